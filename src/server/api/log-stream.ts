import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { LogStream } from '../../ports/api/index.ts';
import { OPERATION_LIMITS } from '../../ports/cluster-operations/index.ts';
import type { Clock } from '../../ports/index.ts';
import { createPlaces } from './admission.ts';
import { type AuthorityTimes, watchAuthority } from './authority.ts';

/** How long an answer waits for the first line or a refusal, before it begins without either; milliseconds. */
const FIRST_MS = 1000;

export type LogStreams = {
  /** The log as an answer, or why there is none. `authority` is asked again while it lasts; its no ends the log. */
  open(stream: LogStream, authority: () => Promise<Result<void>>): Promise<Response | Problem>;
  /** Ends all of them. */
  close(): void;
};

/**
 * Logs as answers that are written as they come, as fast as their reader takes them. A refusal that comes before anything was written is a
 * refusal; one that comes later cuts the answer, so that half a log is not taken for the whole.
 */
export function createLogStreams(options: { readonly clock: Clock; readonly times: AuthorityTimes }): LogStreams {
  const places = createPlaces(OPERATION_LIMITS.logStreams);
  const running = new Set<AbortController>();
  return {
    async open(stream, authority) {
      const leave = places.enter();
      if (leave === undefined) return problem('stream_limit');
      const ending = new AbortController();
      running.add(ending);
      const stopAsking = watchAuthority(authority, options.times, () => ending.abort());
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      // The reader left.
      writer.closed.catch(() => ending.abort());
      const settled = new AbortController();
      const started = new Promise<'started'>((resolve) => {
        settled.signal.addEventListener('abort', () => resolve('started'), { once: true });
      });
      const sink = async (chunk: Uint8Array): Promise<Result<void>> => {
        settled.abort();
        if (ending.signal.aborted) return fail(problem('cancelled'));
        try {
          await writer.write(new Uint8Array(chunk));
        } catch {
          return fail(problem('cancelled'));
        }
        return ok(undefined);
      };
      const reading = stream.read(sink, ending.signal).finally(() => {
        stopAsking();
        running.delete(ending);
        leave();
      });
      void options.clock.sleep(FIRST_MS, settled.signal).then(() => settled.abort());
      const first = await Promise.race([started, reading]);
      settled.abort();
      if (first !== 'started' && !first.ok) return first.problem;
      void reading
        .then((done) => (done.ok ? writer.close() : writer.abort(brokenOff(done.problem))))
        // Whoever reads it is gone, and there is nobody to tell.
        .catch(() => undefined);
      return new Response(readable, {
        headers: {
          'Content-Type': 'text/plain; charset=utf-8',
          'X-Accel-Buffering': 'no',
          'X-Hakopod-Pod': stream.pod,
          'X-Hakopod-Container': stream.container,
        },
      });
    },
    close() {
      for (const ending of [...running]) ending.abort();
    },
  };
}

/** The listener prints it as it is, so it says what happened and not where in our code. */
function brokenOff({ code }: Problem): Error {
  const error = new Error(`a log broke off: ${code}`);
  error.stack = error.message;
  return error;
}
