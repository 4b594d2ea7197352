import { ok, type Result } from '../../kernel/index.ts';
import { type Application, CLEANUP_FINALIZER, type PlanEnvironment, type PullRequestPlan } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { planName, type RequestKey } from '../preview/plans.ts';
import { isOverdue, wantsEnvironment } from './due.ts';
import { isPreview, type Preview } from './names.ts';

/** Asks for the end of an environment; whatever is not one is left alone. A worker takes it down. Can be repeated. */
export async function askForRemoval(deps: Deps, application: Application | undefined): Promise<Result<void>> {
  if (application === undefined || !isPreview(application)) return ok(undefined);
  const { name } = application;
  if (!application.deleting) {
    const marked = await markForRemoval(deps, application);
    if (!marked.ok) return marked;
    if (marked.value === 'gone') return ok(undefined);
    deps.log.info('a preview environment goes', { application: name });
  }
  return deps.jobs.add({ queue: 'reconcile', application: name });
}

/** Deletes the application of an environment, which stays until a worker has taken down what it has; `gone` when it was deleted before. */
export async function markForRemoval(
  { store }: Pick<Deps, 'store'>,
  { name, uid }: Preview,
): Promise<Result<'marked' | 'gone'>> {
  const marked = await store.applications.update(name, ({ finalizers, uid: current }) =>
    current !== uid || finalizers.includes(CLEANUP_FINALIZER)
      ? undefined
      : { finalizers: [...finalizers, CLEANUP_FINALIZER] },
  );
  if (!marked.ok) return marked.problem.code === 'not_found' ? ok('gone') : marked;
  const deleted = await store.applications.delete(name, uid);
  return deleted.ok ? ok('marked') : deleted;
}

/** Asks for the end of whatever environment a plan has; true once there is none. Needs neither source nor repository. */
export async function removeEnvironmentOf(deps: Deps, { spec, status }: PullRequestPlan): Promise<Result<boolean>> {
  const cached = environmentsOf(deps, spec).filter(({ spec: { preview } }) => preview.source === spec.source);
  const recorded = status.environment?.application;
  const names = new Set([...(recorded === undefined ? [] : [recorded]), ...cached.map(({ name }) => name)]);
  let isGone = true;
  for (const name of names) {
    const read = await deps.store.applications.get(name);
    if (!read.ok) return read;
    const { value: application } = read;
    if (application === undefined || !isPreview(application) || !isOf(application, spec)) continue;
    isGone = false;
    const asked = await askForRemoval(deps, application);
    if (!asked.ok) return asked;
  }
  return ok(isGone);
}

/**
 * Ends the environments of a request that nothing wants any more: of a plan or a source that is gone or does not want them, and those whose
 * time has come. Needs no forge. What the plan says comes first, so that nobody makes a new one when this is cut off in between.
 */
export async function removeStrays(deps: Deps, request: RequestKey): Promise<Result<void>> {
  for (const application of environmentsOf(deps, request).filter(({ deleting }) => !deleting)) {
    const { source: of, sourceUid, number } = application.spec.preview;
    if (isKept(deps, application)) continue;
    const source = await deps.store.sources.get(of);
    if (!source.ok) return source;
    const plan = await deps.store.plans.get(planName(of, number));
    if (!plan.ok) return plan;
    const isSame = source.value?.uid === sourceUid;
    const isWanted =
      isSame &&
      source.value !== undefined &&
      plan.value !== undefined &&
      wantsEnvironment(source.value, plan.value.status);
    if (isWanted && !isOverdue(application, deps.clock.now())) continue;
    const noted = isWanted ? await noteExpired(deps, application, plan.value) : ok(undefined);
    if (!noted.ok) return noted;
    const asked = await askForRemoval(deps, application);
    if (!asked.ok) return asked;
  }
  return ok(undefined);
}

const UP: ReadonlySet<PlanEnvironment['state']> = new Set(['deploying', 'ready', 'failed']);

/** Whether the caches, at least, see nothing against it. */
function isKept({ store, clock }: Pick<Deps, 'store' | 'clock'>, application: Preview): boolean {
  const { source: of, sourceUid, number } = application.spec.preview;
  const source = store.sources.cached(of);
  const plan = store.plans.cached(planName(of, number));
  const isWanted = source?.uid === sourceUid && plan !== undefined && wantsEnvironment(source, plan.status);
  return isWanted && !isOverdue(application, clock.now());
}

async function noteExpired(
  deps: Deps,
  { name, spec }: Preview,
  plan: PullRequestPlan | undefined,
): Promise<Result<unknown>> {
  if (plan === undefined) return ok(undefined);
  const { expiresAt } = spec.preview;
  const written = await deps.store.plans.updateStatus(plan.name, ({ status }) => {
    const { environment, head } = status;
    const commit = environment?.commit ?? head;
    // A head that was refused was told so; what expires is of an older one.
    const isUp = environment === undefined || UP.has(environment.state);
    return commit === undefined || !isUp
      ? undefined
      : { ...status, environment: { application: name, state: 'expired', commit, expiresAt } };
  });
  return !written.ok && written.problem.code === 'not_found' ? ok(undefined) : written;
}

function environmentsOf(deps: Pick<Deps, 'store'>, { repository, number }: RequestKey): readonly Preview[] {
  return deps.store.applications
    .all()
    .filter(isPreview)
    .filter(({ spec: { preview } }) => preview.repository === repository && preview.number === number);
}

function isOf({ spec: { preview } }: Preview, plan: PullRequestPlan['spec']): boolean {
  return preview.repository === plan.repository && preview.number === plan.number && preview.source === plan.source;
}
