import type { Readable } from 'node:stream';
import { type Manifest, type Problem, problem } from '../../kernel/index.ts';
import type { ListQuery, WatchEvent } from '../../ports/index.ts';
import { failureOf, type Intent, problemOf, type Refusal, unanswered } from './answers.ts';
import { type Client, discard, parseJson, readText, retryAfterMs } from './client.ts';
import { collectionOf, type Target } from './kinds.ts';
import { acceptOf, selectorsOf, tidy } from './list.ts';

/** Times of a watch in milliseconds, but for the first. */
export type WatchTuning = {
  /** The server ends the watch after this; a tenth is taken off at random so that watches do not end together. */
  readonly timeoutSeconds: number;
  /** Silence for this long means a dead connection. The API server sends a bookmark about each minute. */
  readonly idleMs: number;
  /** First and longest pause before a new try. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
};

export const WATCH: WatchTuning = { timeoutSeconds: 300, idleMs: 90_000, backoffMs: 100, backoffMaxMs: 5000 };

/** How a watch ended. `ended`: as agreed, go on at `resourceVersion`. Everything else needs a new list. */
export type WatchEnd =
  | { readonly how: 'ended'; readonly resourceVersion: string; readonly events: number }
  | { readonly how: 'gone'; readonly events: number }
  | { readonly how: 'failed'; readonly problem: Problem; readonly events: number };

export type WatchRequest = {
  readonly query: ListQuery;
  readonly from: string;
  readonly tuning: WatchTuning;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The server has accepted the watch. */
  readonly onOpen: () => void;
  readonly onEvent: (event: WatchEvent) => void;
};

/** The longest event line: far above the 3 MiB an object in etcd can have. */
const MAX_LINE = 32 * 1024 * 1024;

/** Runs one watch request from `from` until it ends, calling `onEvent` in order. Never rejects. */
export async function watchOnce(client: Client, request: WatchRequest): Promise<WatchEnd> {
  const target = collectionOf(request.query);
  if (!target.ok) return { how: 'failed', problem: target.problem, events: 0 };
  const progress: Progress = { resourceVersion: request.from, events: 0 };
  const seconds = Math.max(1, Math.round(request.tuning.timeoutSeconds * (1 - request.random() / 10)));
  const abort = new AbortController();
  // the server ends the watch; this is for one that does not keep its word
  const timer = setTimeout(
    () => abort.abort(new Error('the watch did not end')),
    seconds * 1000 + request.tuning.idleMs,
  );
  const onAbort = (): void => abort.abort(request.signal.reason);
  if (request.signal.aborted) onAbort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await run(client, request, { target: target.value, seconds, progress, signal: abort.signal });
  } catch (error) {
    const { failure } = unanswered(error);
    return {
      how: 'failed',
      problem: problemOf(failure, { verb: 'watch', target: target.value }),
      events: progress.events,
    };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
    abort.abort(); // lets go of the connection whatever ended the loop
  }
}

type Progress = { resourceVersion: string; events: number };
type Run = {
  readonly target: Target;
  readonly seconds: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

async function run(
  client: Client,
  request: WatchRequest,
  { target, seconds, progress, signal }: Run,
): Promise<WatchEnd> {
  const params = selectorsOf(request.query);
  params.set('watch', 'true');
  params.set('allowWatchBookmarks', 'true');
  params.set('resourceVersion', request.from);
  params.set('timeoutSeconds', String(seconds));
  const answer = await client.connection.send({
    method: 'GET',
    path: `${target.path}?${params}`,
    accept: acceptOf(request.query, true),
    userAgent: client.userAgent,
    watchIdleMs: request.tuning.idleMs,
    signal,
  });
  if (answer.status === 410) {
    discard(answer.body);
    return { how: 'gone', events: 0 };
  }
  if (answer.status !== 200) {
    const body = parseJson(await readText(answer.body));
    const refusal = { status: answer.status, body, retryAfterMs: retryAfterMs(answer.retryAfter) };
    return { how: 'failed', problem: refused(refusal, target), events: 0 };
  }
  request.onOpen();
  for await (const line of lines(answer.body)) {
    const end = take(JSON.parse(line) as RawEvent, request, { target, progress });
    if (end !== undefined) return end;
  }
  return { how: 'ended', ...progress };
}

function refused(refusal: Refusal, target: Target): Problem {
  const intent: Intent = { verb: 'watch', target };
  return problemOf(failureOf(refusal, intent), intent);
}

type RawEvent = { readonly type?: unknown; readonly object?: unknown };

const TYPES: Readonly<Record<string, WatchEvent['type']>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

function take(raw: RawEvent, request: WatchRequest, run: Pick<Run, 'target' | 'progress'>): WatchEnd | undefined {
  const { progress } = run;
  if (raw.type === 'ERROR') {
    const status = Number((raw.object as { code?: unknown } | undefined)?.code);
    if (status === 410) return { how: 'gone', events: progress.events };
    const refusal = { status: Number.isInteger(status) ? status : 500, body: raw.object, retryAfterMs: undefined };
    return {
      how: 'failed',
      problem: refused(refusal, run.target),
      events: progress.events,
    };
  }
  const object = raw.object as Manifest | undefined;
  const version = object?.metadata?.resourceVersion;
  if (object === undefined || version === undefined) return malformed(progress);
  progress.resourceVersion = version;
  if (raw.type === 'BOOKMARK') return undefined;
  const type = TYPES[String(raw.type)];
  if (type === undefined || typeof object.metadata.name !== 'string') return malformed(progress);
  progress.events += 1;
  request.onEvent({ type, object: tidy(object, request.query) });
  return undefined;
}

function malformed(progress: Progress): WatchEnd {
  const cause = { message: 'an event of the watch is not valid' };
  return { how: 'failed', problem: problem('cluster_unavailable', undefined, { cause }), events: progress.events };
}

/** Splits a stream at line ends. What follows the last line end is a cut-off event and is left out. */
async function* lines(body: Readable): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pending.push(chunk.subarray(start, end));
      const line = Buffer.concat(pending).toString('utf8');
      pending = [];
      size = 0;
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    pending.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MAX_LINE) throw new Error('an event of the watch is too long');
  }
}
