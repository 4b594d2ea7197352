import type { Command } from 'commander';
import { Source, Webhook, WebhookInstalled, WebhookRotated, WebhookTested } from '../../ports/api/index.ts';
import { type Answered, path } from '../client/api.ts';
import { print, when } from '../output.ts';
import { andThen, type Cli, type Session } from '../session.ts';
import { onSource } from './on-source.ts';

/** `sources webhook show|install|rotate|test`: the webhook of a source's repository, which all sources on it share. */
export function addWebhooks(sources: Command, cli: Cli): void {
  const webhook = sources.command('webhook').description("the webhook of a source's repository; its sources share it");
  const on = (name: string, description: string, run: (session: Session, repository: string) => Promise<number>) =>
    onSource(cli, webhook.command(name).description(description), async (session, id) => {
      const source = await session.api.call({ method: 'GET', path: path`/sources/${id}`, answer: Source });
      return andThen(session, source, ({ repository }) => run(session, repository));
    });
  on('show', 'how it stands at the forge, and what is wrong with it', async (session, name) => {
    const shown = await session.api.call({ method: 'GET', path: hookPath(name), answer: Webhook });
    return andThen(session, shown, (hook) => print(session, hook, () => webhookLines(hook)));
  });
  on('install', 'create it at the forge, or mend it, with the token of the repository', async (session, name) => {
    const answer: Answered<WebhookInstalled> = await act(session, `${hookPath(name)}/install`, WebhookInstalled);
    return andThen(session, answer, (done) =>
      print(session, done, () => [
        done.created ? 'the webhook was created' : 'the webhook is as it should be again',
        ...(done.webhook_secret === undefined ? [] : [`secret (shown once): ${done.webhook_secret}`]),
        ...webhookLines(done.webhook),
      ]),
    );
  });
  on('rotate', 'give it a new secret; the old one is valid until the forge uses it', async (session, name) => {
    const answer: Answered<WebhookRotated> = await act(session, `${hookPath(name)}/rotate`, WebhookRotated);
    return andThen(session, answer, (done) =>
      print(session, done, () => [
        `new secret (shown once): ${done.webhook_secret}`,
        done.forge_updated
          ? 'the forge has it; the old one goes with the first delivery that proves the new one'
          : `enter it at the forge (${done.code ?? 'not updated'}); the old one is valid until a delivery proves the new one`,
      ]),
    );
  });
  on('test', 'let the forge deliver now, and see whether that arrives', async (session, name) => {
    const answer: Answered<WebhookTested> = await act(session, `${hookPath(name)}/test`, WebhookTested);
    return andThen(session, answer, (done) => {
      const printed = print(session, done, () => [
        done.arrived ? 'the delivery arrived' : 'no delivery with the right secret arrived',
        ...webhookLines(done.webhook),
      ]);
      return done.arrived ? printed : 1;
    });
  });
}

function hookPath(name: string): string {
  return path`/repositories/${name}/webhook`;
}

function act<T>(
  session: Session,
  to: string,
  answer: Parameters<typeof session.api.call<T>>[0]['answer'],
): Promise<Answered<T>> {
  return session.api.call({ method: 'POST', path: to, answer });
}

function webhookLines({ forge, ...hook }: Webhook): readonly string[] {
  const { last_delivery: last } = forge;
  const wrong = forge.faults.map((fault) => `  ${fault}: ${FAULTS[fault]}`);
  return [
    `URL:           ${hook.url ?? `https://<public URL of this installation>${hook.path}`}`,
    `events:        ${hook.events.join(', ')}`,
    `at the forge:  ${forge.health}${forge.code === undefined ? '' : ` (${forge.code})`}`,
    ...(wrong.length === 0 ? [] : ['wrong:', ...wrong]),
    `last delivery: ${lastLine(last)}`,
    ...(hook.last_delivery_at === undefined ? [] : [`last arrival:  ${when(hook.last_delivery_at)}`]),
    ...(hook.configured ? [] : ['secret:        none; deliveries are refused']),
    ...(hook.rotating_since === undefined
      ? []
      : [`rotating:      since ${when(hook.rotating_since)} two secrets are valid, until the forge uses the new one`]),
    `polled:        each ${hook.poll_seconds} s${POLLED[forge.health]}`,
  ];
}

function lastLine(last: Webhook['forge']['last_delivery']): string {
  if (last === undefined) return '-';
  const result = last.status === undefined ? (last.ok ? 'arrived' : 'not answered') : `answered ${last.status}`;
  return last.at === undefined ? result : `${result} at ${when(last.at)}`;
}

const POLLED: Readonly<Record<Webhook['forge']['health'], string>> = {
  healthy: ', less often because the webhook works',
  dead: ', more often because the webhook does not work',
  unknown: '',
};

const FAULTS: Readonly<Record<Webhook['forge']['faults'][number], string>> = {
  missing: 'the forge has no webhook that delivers here; install it',
  url: 'it delivers to another address; install mends it',
  events: 'it does not send everything that is looked at; install mends it',
  extra_events: 'it sends events that nobody reads; install mends it',
  tls: 'it does not verify certificates; install mends it',
  content_type: 'it sends forms; install mends it',
  inactive: 'somebody switched it off; install mends it',
  paused: 'the forge paused it after failures; install lets it try again',
  disabled: 'the forge disabled it after failures; install lets it try again',
  secret: 'its last delivery proved no secret; install enters the right one',
  failing: 'its last delivery did not get through; see that the forge reaches the URL',
  doubled: 'several webhooks deliver here; install leaves one',
};
