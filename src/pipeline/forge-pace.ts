import { fail, type Problem, problem, type Result, sha256 } from '../kernel/index.ts';
import type { BudgetLimits, ForgeBudget, ForgeRepository } from '../ports/index.ts';

/** Where a repository without an API address of its own is asked. */
export type StandardUrls = Readonly<Record<ForgeRepository['forge'], string>>;

/** Makes calls to forges within what they allow; `call` is told as whom. */
export type Pace = <T>(
  repository: ForgeRepository,
  kind: 'read' | 'write',
  call: (as: ForgeRepository) => Promise<Result<T>>,
) => Promise<Result<T>>;

/**
 * Limits that are published for the public forges: GitHub counts a reading call as 1 and a writing one as 5 points, 900 a minute and
 * installation (REST API, rate limits, secondary); GitLab.com takes 2,000 requests a minute from one user. Forges of one's own limit nothing
 * by default, and others than ours are asked there too: what they answer counts everywhere.
 */
const LIMITS: Readonly<Record<string, BudgetLimits>> = {
  'api.github.com': { capacity: 900, perSecond: 15 },
  'gitlab.com': { capacity: 2000, perSecond: 33 },
};
const POINTS = { github: { read: 1, write: 5 }, gitlab: { read: 1, write: 1 } } as const;
/** For a limit that says nothing (both forges count by the minute). */
const PAUSE_MS = 60_000;

/**
 * Paces calls by the budget of the installation that the token belongs to. A call that has to wait is not made and fails with
 * `forge_rate_limited`; when a forge asks to wait (Retry-After, an empty primary limit, a secondary one), nobody calls as this
 * installation until then, whichever worker it is.
 */
export function createPace(budget: ForgeBudget, standard: StandardUrls): Pace {
  return async (repository, kind, call) => {
    const host = hostOf(repository.apiUrl ?? standard[repository.forge]);
    const installation = installationOf(repository, host);
    const waitMs = await budget.take(installation, POINTS[repository.forge][kind], LIMITS[host]);
    if (waitMs > 0) return fail(problem('forge_rate_limited', undefined, { afterMs: waitMs }));
    const done = await call(repository);
    if (!done.ok && isLimit(done.problem)) await budget.pause(installation, done.problem.afterMs ?? PAUSE_MS);
    return done;
  };
}

/** Lets nobody call as the repository's installation for so long: a forge said with its last answer that nothing is left. */
export function createPause(
  budget: ForgeBudget,
  standard: StandardUrls,
): (repository: ForgeRepository, afterMs: number) => void {
  return (repository, afterMs) => {
    const host = hostOf(repository.apiUrl ?? standard[repository.forge]);
    void budget.pause(installationOf(repository, host), afterMs);
  };
}

function isLimit({ code }: Problem): boolean {
  return code === 'forge_rate_limited';
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** A digest, for it is a key in Redis and the token is none of its business. */
function installationOf({ forge, installation, token }: ForgeRepository, host: string): string {
  return sha256(JSON.stringify([forge, host, installation ?? token ?? ''])).slice(0, 32);
}
