import type { Readable } from 'node:stream';
import {
  at,
  type CallFailure,
  fail,
  isMissing,
  ok,
  type Problem,
  problem,
  type Result,
  records,
} from '../../../kernel/index.ts';
import {
  type LogRequest,
  type LogSink,
  OPERATION_LIMITS,
  parseLogRequest,
} from '../../../ports/cluster-operations/index.ts';
import { type Context, openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';

const { logFetchMs, logFollowMs, logBytes, logLines, logChunkBytes } = OPERATION_LIMITS;
const NEWLINE = 10;

/**
 * Streams one container's log to `sink`, at most 10,000 lines or 4 MiB, within 60 s, or an hour when it follows (cluster operations 9).
 * The end of the stream, of the time or of the caller's patience is a success. `invalid_request`, `pod_not_found`, `unknown_container`,
 * `forbidden`, `logs_unavailable`, or what the sink failed with.
 */
export async function logs(
  deps: Pick<OperationDeps, 'api' | 'streams' | 'clock'>,
  { request, sink }: { readonly request: LogRequest; readonly sink: LogSink },
  signal?: AbortSignal,
): Promise<Result<void>> {
  const valid = parseLogRequest(request);
  if (!valid.ok) return valid;
  const { pod, follow = false } = valid.value;
  const context = openContext(deps.clock, follow ? logFollowMs : logFetchMs, signal);
  const isOver = (): boolean => context.state() !== 'live';
  try {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: pod.namespace, name: pod.name };
    const read = await deps.api.get(ref, context.signal);
    if (!read.ok) {
      if (isMissing(read.failure)) return fail(problem('pod_not_found'));
      return fail(unreadable(read.failure, 'the pod could not be read'));
    }
    const container = chooseContainer(read.value, pod.container);
    if (!container.ok) return container;
    const opened = await deps.streams.log(pod, queryOf(valid.value, container.value), context.signal);
    if (!opened.ok) return isOver() ? ok(undefined) : fail(unreadable(opened.failure, 'the log could not be opened'));
    return await copy(opened.value, sink, context);
  } finally {
    context.end();
  }
}

function unreadable({ status }: CallFailure, message: string): Problem {
  return status === 403 ? problem('forbidden') : problem('logs_unavailable', message, { cause: { status } });
}

/** The named container, or the only one: with several nothing is guessed. Init containers do not count. */
function chooseContainer(pod: unknown, wanted: string | undefined): Result<string> {
  const names = records(at(pod, 'spec', 'containers')).map(({ name }) => String(name));
  const [only] = names;
  if (wanted === undefined) {
    return names.length === 1 && only !== undefined
      ? ok(only)
      : fail(problem('unknown_container', `the pod has ${names.length} containers; name one`));
  }
  return names.includes(wanted) ? ok(wanted) : fail(problem('unknown_container', `the pod has no container ${wanted}`));
}

function queryOf({ tail = 0, since, timestamps, follow, previous }: LogRequest, container: string): URLSearchParams {
  const query = new URLSearchParams({ container, limitBytes: String(logBytes) });
  if (follow === true) query.set('follow', 'true');
  if (previous === true) query.set('previous', 'true');
  if (timestamps === true) query.set('timestamps', 'true');
  if (tail > 0) query.set('tailLines', String(tail));
  if (since !== undefined) query.set('sinceTime', since);
  return query;
}

async function copy(body: Readable, sink: LogSink, { signal, state }: Context): Promise<Result<void>> {
  const rest: { bytes: number; lines: number } = { bytes: logBytes, lines: logLines };
  const isOver = (): boolean => state() !== 'live';
  // A reader that takes no more, such as a pager, must not hold the log beyond its end.
  const over = new Promise<Result<void>>((resolve) => {
    signal.addEventListener('abort', () => resolve(ok(undefined)), { once: true });
  });
  try {
    for await (const data of body as AsyncIterable<Buffer>) {
      for (let start = 0; start < data.length; start += logChunkBytes) {
        const chunk = cut(data.subarray(start, start + logChunkBytes), rest);
        const taken = await Promise.race([sink(chunk), over]);
        if (!taken.ok) return taken;
        if (rest.bytes === 0 || rest.lines === 0) return ok(undefined);
        if (isOver()) return ok(undefined);
      }
    }
    return ok(undefined);
  } catch {
    return isOver() ? ok(undefined) : fail(problem('logs_unavailable', 'the log broke off'));
  } finally {
    body.on('error', () => undefined).destroy();
  }
}

/** As much of a chunk as the bounds leave, and the bounds less that; the last line allowed keeps its end. Lines are counted in raw bytes. */
function cut(data: Buffer, rest: { bytes: number; lines: number }): Buffer {
  const chunk = data.subarray(0, rest.bytes);
  let length = chunk.length;
  for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, end + 1)) {
    rest.lines -= 1;
    if (rest.lines > 0) continue;
    length = end + 1;
    break;
  }
  rest.bytes -= length;
  return chunk.subarray(0, length);
}
