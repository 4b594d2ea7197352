import { setTimeout as sleep } from 'node:timers/promises';
import { Application, Deployment, TERMINAL } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { print, when } from '../output.ts';
import { type Session, andThen } from '../session.ts';

/** Between two looks while the stream is away. */
const POLL_MS = 2_000;

/**
 * Shows a release's progress on standard error until it has ended, then its end with the addresses of what is public. Exit code 5 when it
 * failed, was cancelled or superseded (facts 8.2). Losing the stream loses nothing: the release is read again.
 */
export async function waitFor(session: Session, started: Deployment): Promise<number> {
  let last: string | undefined;
  for (;;) {
    const ending = new AbortController();
    try {
      const events = session.api.events(path`/deployments/${started.id}/events`, {
        ...(last === undefined ? {} : { lastId: last }),
        signal: ending.signal,
      });
      for await (const { id, data } of events) {
        last = id;
        show(session, data);
      }
    } catch {
      // The stream broke; what it would have said is read below.
    } finally {
      ending.abort();
    }
    const read = await session.api.call({ method: 'GET', path: path`/deployments/${started.id}`, answer: Deployment });
    if (!read.ok && read.status !== undefined) return andThen(session, read, () => EXIT.ok);
    if (read.ok && TERMINAL.includes(read.value.status)) return end(session, read.value);
    await sleep(POLL_MS);
  }
}

function show({ terminal }: Session, data: unknown): void {
  const event = data as { readonly time?: string; readonly type?: string; readonly message?: string };
  terminal.err(`${when(event.time)} ${event.type ?? ''}: ${event.message ?? ''}`);
}

async function end(session: Session, release: Deployment): Promise<number> {
  const application = await session.api.call({
    method: 'GET',
    path: path`/applications/${release.application_id}`,
    answer: Application,
  });
  const services = application.ok ? application.value.observed.services : [];
  const urls = services.flatMap(({ url }) => (url === undefined ? [] : [url]));
  const isGood = release.status === 'succeeded';
  print(session, release, () => [
    isGood
      ? `released ${release.id}${urls.length === 0 ? '' : `: ${urls.join(' ')}`}`
      : `${release.id} ${release.status}${release.error === undefined ? '' : `: ${release.error}`}`,
    ...heldNote(release),
  ]);
  if (!isGood) session.terminal.err(`hint: \`hakopod releases show ${release.id}\` shows each step`);
  return isGood ? EXIT.ok : EXIT.ended;
}

/** What a person should know whose release undoes a push. */
export function heldNote({ held_source: source }: Deployment): readonly string[] {
  return source === undefined
    ? []
    : [
        `the Git source of this application is held: pushes deploy again with the next commit, or after \`hakopod sources resume ${source.replaceAll('.', '/')}\``,
      ];
}
