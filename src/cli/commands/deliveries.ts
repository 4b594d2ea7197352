import { Delivery, DeliveryPage } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { print, short, when } from '../output.ts';
import { andThen, type Cli, type Flags, type Session, withOutput } from '../session.ts';
import { say } from './environments.ts';

const REPOSITORY = 'the repository: its name as `sources show` has it';

/** `deliveries list|redeliver`: what arrived at a repository's webhook. */
export function addDeliveries({ program, withApi }: Cli): void {
  const deliveries = program.command('deliveries').description('webhook deliveries of a Git repository');
  withOutput(
    deliveries
      .command('list')
      .description('list the newest deliveries and what became of each')
      .argument('<repository>', REPOSITORY),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => listDeliveries(session, name)));
  withOutput(
    deliveries
      .command('redeliver')
      .description('look again where a delivery pointed: at the ref or the request as it is now')
      .argument('<repository>', REPOSITORY)
      .argument('<delivery>', 'id of the delivery, as `deliveries list` shows it')
      .addHelpText('after', '\nExample:\n  hakopod deliveries redeliver github-123456789 5f1d0c6e2b7a9e34'),
  ).action((name: string, id: string, flags: Flags) =>
    withApi(flags, (session) =>
      say(
        session,
        session.api.call({
          method: 'POST',
          path: path`/repositories/${name}/deliveries/${id}/redeliver`,
          answer: Delivery,
        }),
        `delivery ${id}: queued again; \`hakopod sources show\` tells what comes of it`,
      ),
    ),
  );
}

async function listDeliveries(session: Session, name: string): Promise<number> {
  const listed = await session.api.all({ path: path`/repositories/${name}/deliveries`, answer: DeliveryPage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['ID', 'AT', 'VERDICT', 'WHERE', 'COMMIT', 'FORGE ID'],
      rows: items.map((one) => [
        one.id,
        when(one.at),
        one.reason === undefined ? one.verdict : `${one.verdict}: ${WHY[one.reason]}`,
        whereOf(one),
        short(one.commit_sha),
        one.delivery_id ?? '-',
      ]),
    })),
  );
}

function whereOf({ ref, pull_request: request, comment }: Delivery): string {
  if (request === undefined) return ref ?? '-';
  return comment === undefined ? `request ${request}` : `request ${request}, comment ${comment}`;
}

const WHY: Readonly<Record<NonNullable<Delivery['reason']>, string>> = {
  event: 'nothing to do for this event',
  malformed: 'unreadable payload',
  repository: 'another repository',
  signature: 'proves no secret of the hook',
};
