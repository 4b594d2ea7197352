import { describe, ok, type Problem, type Result } from '../kernel/index.ts';
import type { CommitReport, GitRepository, Job, PullRequestPlan } from '../ports/index.ts';
import { readyCondition } from '../status/index.ts';
import type { Deps } from './context.ts';
import { isOwed, reportsOf } from './ledger.ts';
import { plansOfRepository } from './preview/plans.ts';

/** The GitHub App's way in is closed until a person opens it again; trying once more opens nothing. */
const LOST: readonly string[] = ['installation_gone', 'installation_repository'];
/** All that can be said again once the way in is open. */
const CLOSED: readonly string[] = [...LOST, 'installation_suspended'];

/** True when what is owed to the forge can not be said by whoever waits. */
export function isLost({ code }: Problem): boolean {
  return LOST.includes(code);
}

/** The entry of a commit that can not be said, for its status and its deployment alike. */
export function unsayable({ deployment }: CommitReport, code: string): Partial<CommitReport> {
  return {
    undeliverable: code,
    posting: undefined,
    ...(deployment === undefined ? {} : { deployment: { ...deployment, undeliverable: code } }),
  };
}

/** Says on the repository that it can not be read, and why. Writes only what changes. */
export async function markRefused(deps: Deps, repository: GitRepository, p: Problem): Promise<Result<unknown>> {
  return deps.store.repositories.updateStatus(repository.name, ({ status, generation }) => {
    const now = deps.clock.now();
    const next = { status: 'False', reason: p.code, message: describe(p), now, generation } as const;
    const ready = readyCondition(status.conditions, next);
    const known = status.conditions?.find(({ type }) => type === 'Ready');
    const isSaid = known?.status === 'False' && known.reason === ready.reason && known.message === ready.message;
    return isSaid ? undefined : { ...status, conditions: [ready] };
  });
}

/**
 * Takes that back once the repository was read, and owes the forge again what could not be said while the App's installation was lost: a
 * commit that was pending then gets its last word. Answers the jobs that say it.
 */
export async function markOpened(deps: Deps, repository: GitRepository): Promise<Result<readonly Job[]>> {
  if (repository.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False')) {
    const now = deps.clock.now();
    const opened = await deps.store.repositories.updateStatus(repository.name, ({ status, generation }) => ({
      ...status,
      conditions: [
        readyCondition(status.conditions, {
          ...{ status: 'True', reason: 'readable', message: 'the repository can be read' },
          ...{ now, generation },
        }),
      ],
    }));
    if (!opened.ok) return opened;
  }
  const jobs: Job[] = [];
  const { sources, plans } = deps.store;
  const mine = sources.all().filter(({ spec }) => spec.repository === repository.name);
  for (const { name } of mine.filter(owesLost)) {
    const written = await sources.updateStatus(name, ({ status }) => ({
      ...status,
      reports: owedAgain(status.reports),
    }));
    if (!written.ok) return written;
    jobs.push(...owed(written.value).map((commit): Job => ({ queue: 'report', source: name, commit })));
  }
  for (const { name, spec } of plansOfRepository(deps, repository.name).filter(wasRefused)) {
    const written = await plans.updateStatus(name, ({ status }) => ({
      ...status,
      reports: owedAgain(status.reports),
      ...(status.comment === undefined ? {} : { comment: reopened(status.comment) }),
    }));
    if (!written.ok) return written;
    jobs.push({ queue: 'preview', repository: spec.repository, number: spec.number });
    jobs.push(...owed(written.value).map((commit): Job => ({ queue: 'report', plan: name, commit })));
  }
  return ok(jobs);
}

type Ledgered = Parameters<typeof reportsOf>[0];
type Refusable = { readonly undeliverable?: string | undefined };

function owed(holder: Ledgered): readonly string[] {
  return reportsOf(holder)
    .filter(isOwed)
    .map(({ commit }) => commit);
}

function owesLost(holder: Ledgered): boolean {
  return reportsOf(holder).some((report) => isRefused(report) || isRefused(report.deployment));
}

function wasRefused(plan: PullRequestPlan): boolean {
  return owesLost(plan) || isRefused(plan.status.comment);
}

function isRefused(said: Refusable | undefined): boolean {
  return said?.undeliverable !== undefined && CLOSED.includes(said.undeliverable);
}

function reopened<T extends Refusable>(said: T): T {
  return isRefused(said) ? { ...said, undeliverable: undefined } : said;
}

function owedAgain(reports: readonly CommitReport[] = []): CommitReport[] {
  return reports.map((report) => {
    const { deployment } = report;
    return { ...reopened(report), ...(deployment === undefined ? {} : { deployment: reopened(deployment) }) };
  });
}
