import { type ApplicationKey, isTagPattern, ok, type RefName, type Result } from '../kernel/index.ts';
import type { CommitReport, GitSource, Job, PullRequestPlan } from '../ports/index.ts';
import { deployContext, planContext } from '../status/index.ts';
import { type Deps, storedRef } from './context.ts';
import { type Ledgered, reportsOf } from './ledger.ts';
import { planPageUrl } from './preview/plan-page.ts';

/** Whose status of which commit: a source's deploy, or a pull request's plan. */
export type ReportJob =
  | { readonly source: string; readonly commit: string }
  | { readonly plan: string; readonly commit: string };

type Ledger = readonly CommitReport[];

/** What the report job needs of whatever keeps the ledger, so that both kinds are posted by the same steps. */
export type Holder = {
  readonly name: string;
  readonly reports: Ledger;
  readonly repository: string;
  readonly ref: RefName;
  readonly context: string;
  readonly application: ApplicationKey;
  /** The page that says more, where the server has an address. */
  readonly page: string | undefined;
  /** It waits for its last status, then goes. */
  readonly isClosing: boolean;
  /** The job that closes it, once nothing is owed. */
  readonly closing: Job;
  /** Changes the ledger by compare-and-set; `undefined` writes nothing. False when the holder is gone. */
  update(change: (reports: Ledger) => CommitReport[] | undefined): Promise<Result<boolean>>;
};

/** Reads the holder of a report; `undefined` when there is none any more. */
export async function openHolder(deps: Deps, job: ReportJob): Promise<Result<Holder | undefined>> {
  if ('plan' in job) {
    const plan = await deps.store.plans.get(job.plan);
    return plan.ok ? ok(plan.value && holderOfPlan(deps, plan.value)) : plan;
  }
  const source = await deps.store.sources.get(job.source);
  return source.ok ? ok(source.value && holderOfSource(deps, source.value, job.commit)) : source;
}

function holderOfSource(deps: Deps, source: GitSource, commit: string): Holder {
  const { publicUrl } = deps.options;
  const { name, spec, status } = source;
  // Which tag a commit was found at is known of the last one only; no forge has a ref that is a pattern.
  const tag = status.seen?.commit === commit ? status.seen.ref : undefined;
  return {
    name,
    reports: reportsOf(source),
    repository: spec.repository,
    ref: storedRef(tag ?? (isTagPattern(spec.ref) ? '' : spec.ref)),
    context: deployContext(spec.application),
    application: spec.application,
    page: publicUrl,
    isClosing: source.deleting,
    closing: { queue: 'plan', source: name },
    update: (change) => done(deps.store.sources.updateStatus(name, (current) => changed(current, change))),
  };
}

function holderOfPlan(deps: Deps, plan: PullRequestPlan): Holder {
  const { publicUrl } = deps.options;
  const { name, spec, status } = plan;
  return {
    name,
    reports: reportsOf(plan),
    repository: spec.repository,
    // A branch puts the status beside the branch's own; a fork's head is on no branch of this repository.
    ref: storedRef(status.branch ?? status.headRef ?? ''),
    context: planContext(spec.application),
    application: spec.application,
    page: publicUrl === undefined ? undefined : planPageUrl(publicUrl, plan.name),
    isClosing: status.closed === true,
    closing: { queue: 'preview', repository: spec.repository, number: spec.number },
    update: (change) => done(deps.store.plans.updateStatus(name, (current) => changed(current, change))),
  };
}

function changed<S extends { readonly reports?: CommitReport[] | undefined }>(
  current: { readonly status: S },
  change: (reports: Ledger) => CommitReport[] | undefined,
): S | undefined {
  const reports = change(reportsOf(current));
  return reports === undefined ? undefined : { ...current.status, reports };
}

async function done(written: Promise<Result<Ledgered>>): Promise<Result<boolean>> {
  const result = await written;
  if (result.ok) return ok(true);
  return result.problem.code === 'not_found' ? ok(false) : result;
}
