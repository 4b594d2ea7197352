import { type Problem, problem } from '../../kernel/index.ts';
import { AnswerError, ExchangeError } from './client.ts';
import { ErrorBody } from './schema.ts';

/** GitLab's limits are counted per minute. */
const LIMIT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;
/** Characters of GitLab's own words kept for the log. */
const KEPT_WORDS = 300;

/** Translates what the client threw. The one place where GitLab's errors become ours; its words stay in `cause`, without the token. */
export function gitlabProblem(error: unknown, context: { readonly now: Date; readonly token: string }): Problem {
  if (error instanceof ExchangeError) return problem('forge_unavailable', undefined, { cause: error.failure });
  if (!(error instanceof AnswerError)) {
    return problem('forge_unavailable', undefined, {
      cause: { error: error instanceof Error ? error.name : typeof error },
    });
  }
  const { status } = error;
  const cause = { status, words: wordsOf(error).replaceAll(context.token, '[redacted]').slice(0, KEPT_WORDS) };
  if (status === 429) return problem('forge_rate_limited', undefined, { afterMs: waitMs(error, context.now), cause });
  if (status === 401 || status === 403) return problem('forge_unauthorized', undefined, { cause });
  if (status === 404 || status === 410) return problem('forge_not_found', undefined, { cause });
  if (status >= 300 && status <= 399) {
    return problem('forge_rejected', 'the forge redirects to another place; check its API URL', { cause });
  }
  // A success that is not the documented one was not answered by GitLab, so nothing says that the status exists.
  if (status < 300) return problem('forge_unavailable', undefined, { cause });
  // 409 is GitLab's answer while another call holds the pipeline's lock.
  if (status >= 500 || status === 408 || status === 409) return problem('forge_unavailable', undefined, { cause });
  return problem('forge_rejected', undefined, { cause });
}

/** GitLab refuses to set a status to the state it has: `Cannot transition status via :enqueue from :pending` (field lessons 3.3). */
export function isSameState(error: unknown, state: string): boolean {
  if (!(error instanceof AnswerError) || error.status !== 400) return false;
  const from = /^Cannot transition status via :\w+ from :(\w+)/.exec(wordsOf(error))?.[1];
  return from === state;
}

/** GitLab's answer to any other change of state that its machine does not have, such as going on after the end. */
export function isOtherState(error: unknown): boolean {
  return error instanceof AnswerError && error.status === 400 && /cannot transition/i.test(wordsOf(error));
}

/** GitLab's answer to a status for a pipeline that is gone, or was never one of this commit and ref. */
export function isPipelineMissing(error: unknown): boolean {
  return error instanceof AnswerError && error.status === 404 && /\bpipeline\b/i.test(wordsOf(error));
}

function wordsOf(error: AnswerError): string {
  const body = ErrorBody.safeParse(error.body);
  const words = body.success ? (body.data.message ?? body.data.error ?? '') : '';
  return typeof words === 'string' ? words : JSON.stringify(words);
}

/** Milliseconds after which there is something left again of the user's limit, when an answer, of whatever status, says that nothing is. */
export function spentMs(headers: AnswerError['headers'], now: Date): number | undefined {
  return headers['ratelimit-remaining'] === '0' ? waitMs({ headers }, now) : undefined;
}

function waitMs({ headers }: Pick<AnswerError, 'headers'>, now: Date): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const reset = Number(headers['ratelimit-reset'] ?? Number.NaN);
  const wait = Number.isFinite(seconds)
    ? seconds * 1000
    : Number.isFinite(reset)
      ? reset * 1000 - now.getTime()
      : LIMIT_WAIT_MS;
  // One second more, so that the next try comes after the reset and not with it.
  return Math.min(Math.max(wait + 1000, 1000), MAX_WAIT_MS);
}
