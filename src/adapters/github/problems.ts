import { type Problem, problem } from '../../kernel/index.ts';
import { ExchangeError } from './client.ts';

/** GitHub's documentation: without a hint, wait at least one minute. */
const LIMIT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;
/** Characters of GitHub's own words kept for the log. */
const KEPT_WORDS = 300;

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly words: string;
};

/** Translates what Octokit threw. The one place where GitHub's errors become ours; its words stay in `cause`, without the token. */
export function githubProblem(error: unknown, context: { readonly now: Date; readonly token: string }): Problem {
  const answer = answerOf(error);
  if (answer === undefined) return unanswered(error);
  const cause = {
    status: answer.status,
    words: answer.words.replaceAll(context.token, '[redacted]').slice(0, KEPT_WORDS),
  };
  if (isLimit(answer)) {
    return problem('forge_rate_limited', undefined, { afterMs: waitMs(answer.headers, context.now), cause });
  }
  if (answer.status === 401 || answer.status === 403) return problem('forge_unauthorized', undefined, { cause });
  if (answer.status === 404 || answer.status === 410) return problem('forge_not_found', undefined, { cause });
  if (answer.status >= 500 || answer.status === 408) return problem('forge_unavailable', undefined, { cause });
  // 422 is also the answer for a commit that is not there.
  const noCommit = answer.status === 422 && /no commit found/i.test(answer.words);
  return problem(noCommit ? 'forge_not_found' : 'forge_rejected', undefined, { cause });
}

function unanswered(error: unknown): Problem {
  const inner = error instanceof Error ? error.cause : undefined;
  const exchange = error instanceof ExchangeError ? error : inner instanceof ExchangeError ? inner : undefined;
  if (exchange?.failure === 'redirect') {
    return problem('forge_rejected', 'the forge redirects to another host; check its API URL');
  }
  return problem('forge_unavailable', undefined, { cause: exchange?.failure ?? { error: nameOf(error) } });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The answer behind Octokit's RequestError, read by shape because it comes from a package of its own. */
function answerOf(error: unknown): Answer | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const response = error.response;
  if (typeof response !== 'object' || response === null) return undefined;
  if (!('status' in response) || typeof response.status !== 'number') return undefined;
  const headers = 'headers' in response && typeof response.headers === 'object' ? { ...response.headers } : {};
  return { status: response.status, headers, words: error.message };
}

/** Primary limits empty the remaining count; secondary ones answer 403 or 429, sometimes with nothing but a sentence. */
function isLimit({ status, headers, words }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /secondary rate limit|abuse detection/i.test(words)
  );
}

/**
 * Milliseconds after which there is something left again of the token's limit, when an answer, of whatever status, says that nothing is. Other
 * limits than that of the REST API, such as GraphQL's, are passed over.
 */
export function spentMs(headers: Answer['headers'], now: Date): number | undefined {
  const resource = headers['x-ratelimit-resource'] ?? 'core';
  return headers['x-ratelimit-remaining'] === '0' && resource === 'core' ? waitMs(headers, now) : undefined;
}

function waitMs(headers: Answer['headers'], now: Date): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const reset =
    headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset'] ?? Number.NaN) : Number.NaN;
  const wait = Number.isFinite(seconds)
    ? seconds * 1000
    : Number.isFinite(reset)
      ? reset * 1000 - now.getTime()
      : LIMIT_WAIT_MS;
  // One second more, so that the next try comes after the reset and not with it.
  return Math.min(Math.max(wait + 1000, 1000), MAX_WAIT_MS);
}
