import { canonicalJson, describe, fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { readyCondition } from '../../status/index.ts';
import type { Deps, Run } from '../context.ts';
import { endMessage } from './conclude.ts';
import { driftRecord, inspect } from './drift.ts';
import type { KeptObject } from './kept.ts';
import { movedDomains } from './moved-domains.ts';
import { prune } from './prune.ts';
import { type Session, saveInventory, viewOf, writeApplication } from './session.ts';
import { writeObject } from './write.ts';

/** The newest release, and what runs at rest: the same one, or what was put back after it had failed. */
export type AtRest = { readonly latest: Release; readonly standing: Release };

/**
 * Compares an application at rest with its last release and writes only where they differ: what a person or another controller changed by
 * hand goes, what was deleted comes back, unless its source wants that to be reported only. Runs no job, reads no new secret value (running
 * pods keep the values of their release) and waits for nothing.
 */
export async function maintain(session: Session, atRest: AtRest, run: Run): Promise<Result<void>> {
  const { standing: release, latest } = atRest;
  const application = session.deps.store.applications.cached(session.application);
  if (application === undefined) return ok(undefined);
  const found = await inspect(session, { release, application });
  if (!found.ok) return found.problem.kind === 'rejected' ? tell(session, { application, latest }, found) : found;
  const { kept } = found.value;
  const moved = movedDomains(session, release, found.value.drifted);
  const drifted = found.value.drifted.filter((one) => !moved.has(one));
  const corrected = driftPolicy(session.deps, session.application) === 'correct';
  let refused = found.value.refused;
  for (const { object } of corrected ? found.value.drifted : moved) {
    const allowed = mayGoOn(session, run);
    if (!allowed.ok) return allowed;
    const written = await correct(session, object, release.name);
    if (!written.ok && written.problem.kind !== 'rejected') return written;
    if (!written.ok) refused ??= written.problem;
  }
  // Snapshots that were still read when their release ended go now, and what a run that was cut off left behind.
  const check = (): Result<void> => mayGoOn(session, run);
  const tidied =
    kept.whole === undefined ? await saveInventory(session) : await prune({ session, release, check }, kept.whole);
  const drift = driftRecord(drifted, { corrected, now: session.deps.clock.now() });
  return tell(session, { application, latest, drift }, refused === undefined ? tidied : fail(refused));
}

/** True when a look at an application at rest shows that there is nothing to do. It takes no lease and writes nothing. */
export async function isAsReleased(deps: Deps, application: ApplicationResource, atRest: AtRest): Promise<boolean> {
  const view = viewOf(deps, application);
  const found = await inspect(view, { release: atRest.standing, application });
  if (!found.ok || found.value.refused !== undefined || found.value.leftovers) return false;
  const isQuiet = found.value.drifted.length === 0;
  const drift = driftRecord([], { corrected: true, now: deps.clock.now() });
  return isQuiet && change({ deps, application, latest: atRest.latest, drift }, undefined) === undefined;
}

/** What an application's source wants to happen with drift; without one it is corrected (design 7). */
function driftPolicy(deps: Pick<Deps, 'store'>, application: string): 'correct' | 'report' {
  return deps.store.sources.cached(application)?.spec.drift ?? 'correct';
}

async function correct(session: Session, object: KeptObject, operation: string): Promise<Result<void>> {
  const { manifest, autoscaler } = object;
  const written = await writeObject(session, manifest, { operation, autoscaler });
  if (!written.ok) return written;
  if (written.value === 'unchanged') return ok(undefined);
  session.deps.metrics.stage('drift', 'corrected', 0);
  session.deps.log.warn('drift removed', {
    application: session.application,
    object: `${manifest.kind}/${manifest.metadata.name}`,
    write: written.value,
  });
  return ok(undefined);
}

function mayGoOn(session: Session, run: Run): Result<void> {
  if (session.lease.signal.aborted) return fail(problem('lease_lost'));
  return run.signal.aborted ? fail(problem('worker_stopping', undefined, { afterMs: 0 })) : ok(undefined);
}

type Told = {
  readonly application: ApplicationResource;
  readonly latest: Release;
  readonly drift?: NonNullable<ApplicationResource['status']['drift']>;
};

/** Says on the application what is not as released and what can not be put right, and takes it back when it is. */
async function tell(session: Session, told: Told, done: Result<unknown>): Promise<Result<void>> {
  const p = done.ok ? undefined : done.problem;
  // What is worth another try is not told.
  if (p !== undefined && p.kind !== 'rejected') return fail(p);
  const changed = change({ ...told, deps: session.deps }, p);
  if (changed === undefined) return ok(undefined);
  const written = await writeApplication(session, (status) => ({ ...status, ...changed }));
  return written.ok ? ok(undefined) : written;
}

/** What of an application's status is not true any more. */
function change(
  { deps, application, latest, drift }: Told & { readonly deps: Deps },
  p: Problem | undefined,
): Partial<ApplicationResource['status']> | undefined {
  const ready = application.status.conditions?.find((condition) => condition.type === 'Ready');
  // A release that failed stays the last word where an earlier revision was put back.
  const { code } = latest.status;
  const asReleased = code === undefined ? 'the cluster is as released' : endMessage(latest);
  const next = readyCondition(application.status.conditions, {
    status: p === undefined && code === undefined ? 'True' : 'False',
    reason: p?.code ?? code ?? 'released',
    message: p === undefined ? asReleased : describe(p),
    now: deps.clock.now(),
    generation: application.generation,
  });
  const isGood = p === undefined && ready?.status !== 'False';
  const isTold = isGood || (ready?.reason === next.reason && ready.message === next.message);
  const drifts = drift === undefined || sameDrift(application.status.drift, drift);
  if (isTold && drifts) return undefined;
  return {
    ...(isTold ? {} : { conditions: [next] }),
    ...(drifts ? {} : { drift: drift.count > 0 ? drift : undefined }),
  };
}

/** What was corrected stays on record until the next release or the next drift; what is reported only as long as it is there. */
function sameDrift(known: ApplicationResource['status']['drift'], now: NonNullable<typeof known>): boolean {
  if (now.count === 0) return known === undefined || known.corrected;
  const isSame = canonicalJson(known?.objects ?? []) === canonicalJson(now.objects) && known?.count === now.count;
  return isSame && !now.corrected && known.corrected === now.corrected;
}
