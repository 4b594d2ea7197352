import { setTimeout as sleep } from 'node:timers/promises';
import { Application, Deployment, TERMINAL } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { print, visible, when } from '../output.ts';
import { andThen, type Session } from '../session.ts';

/** Between two looks while the stream is away (facts 8.4). */
const POLL_MS = 2_000;

/** How waiting ended: with a release that has ended, or with the exit code of why it is not known. */
export type Waited =
  | { readonly release: Deployment; readonly urls: readonly string[] }
  | { readonly code: number; readonly release?: undefined };

/**
 * Shows a release's progress on standard error until it has ended. Losing the stream loses nothing: the release is read again. An interrupt ends
 * the waiting alone.
 */
export async function follow(session: Session, started: Deployment): Promise<Waited> {
  const ending = new AbortController();
  const forget = session.terminal.onInterrupt?.(() => ending.abort());
  const progress = { session, started, signal: ending.signal };
  try {
    return await untilEnded(progress);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    session.terminal.err(
      `stopped waiting; ${started.id} goes on: \`hakopod releases show ${started.id}\` shows it, \`hakopod cancel ${started.id}\` ends it`,
    );
    return { code: EXIT.interrupted };
  } finally {
    forget?.();
    ending.abort();
  }
}

type Progress = { readonly session: Session; readonly started: Deployment; readonly signal: AbortSignal };

async function untilEnded({ session, started, signal }: Progress): Promise<Waited> {
  let last: string | undefined;
  let isLost = false;
  for (;;) {
    try {
      const resume = last === undefined ? {} : { lastId: last };
      const events = session.api.events(path`/deployments/${started.id}/events`, { ...resume, signal });
      for await (const { id, data } of events) {
        last = id;
        show(session, data);
      }
    } catch {
      // The stream broke; what it would have said is read below.
    }
    signal.throwIfAborted();
    const read = await session.api.call({ method: 'GET', path: path`/deployments/${started.id}`, answer: Deployment });
    if (!read.ok && read.status !== undefined && read.status < 500 && read.status !== 429)
      return { code: await andThen(session, read, () => EXIT.ok) };
    if (read.ok && TERMINAL.includes(read.value.status))
      return { release: read.value, urls: await addresses(session, read.value) };
    if (!read.ok && !isLost)
      session.terminal.err(`${session.api.where} does not answer; the release goes on, and so does waiting`);
    isLost = !read.ok;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function show({ terminal }: Session, data: unknown): void {
  const event = data as { readonly time?: string; readonly type?: string; readonly message?: string };
  terminal.err(visible(`${when(event.time)} ${event.type ?? ''}: ${event.message ?? ''}`));
}

/** Where people reach what was released. */
async function addresses(session: Session, { application_id: id, status }: Deployment): Promise<readonly string[]> {
  if (status !== 'succeeded') return [];
  const shown = await session.api.call({ method: 'GET', path: path`/applications/${id}`, answer: Application });
  const services = shown.ok ? shown.value.observed.services : [];
  return services.flatMap(({ url }) => (url === undefined ? [] : [url]));
}

/** Waits for one release and prints how it ended. Exit code 5 when it failed, was cancelled or superseded (facts 8.2). */
export async function waitFor(session: Session, started: Deployment): Promise<number> {
  const waited = await follow(session, started);
  if (waited.release === undefined) return waited.code;
  const { release } = waited;
  print(session, release, () => [endOf(waited), ...heldNote(release)]);
  if (release.status === 'succeeded') return EXIT.ok;
  session.terminal.err(`hint: \`hakopod releases show ${release.id}\` shows each step`);
  return EXIT.ended;
}

function endOf({ release, urls }: Extract<Waited, { readonly urls: unknown }>): string {
  const { id, status, error } = release;
  if (status === 'succeeded') return `released ${id}${urls.length === 0 ? '' : `: ${urls.join(' ')}`}`;
  return `${id} ${status}${error === undefined ? '' : `: ${error}`}`;
}

/** What a person should know whose release undoes a push. */
export function heldNote({ held_source: source }: Deployment): readonly string[] {
  return source === undefined
    ? []
    : [
        `the Git source of this application is held: pushes deploy again with the next commit, or after \`hakopod sources resume ${source.replaceAll('.', '/')}\``,
      ];
}
