import { describe, fail, type Manifest, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { allObjects, type Rendered, type RenderInput } from '../../render/index.ts';
import { readyCondition } from '../../status/index.ts';
import type { Run } from '../context.ts';
import { unpackSpec } from '../release-body.ts';
import { prune } from './prune.ts';
import { recordedSecrets } from './recorded-secrets.ts';
import { finalObjects, renderInput } from './render.ts';
import { readLive, type Session, saveInventory, writeApplication } from './session.ts';
import { writeObject } from './write.ts';

/**
 * Compares an application at rest with its last release and writes only where they differ: what a person or another controller changed by
 * hand goes, what was deleted comes back. Runs no job, reads no new secret value (running pods keep the values of their release) and
 * waits for nothing.
 */
export async function maintain(session: Session, release: Release, run: Run): Promise<Result<void>> {
  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) return desired;
  const live = await readLive(session);
  if (!live.ok) return live;
  const application = session.deps.store.applications.cached(session.application);
  if (application === undefined) return ok(undefined);
  const input = renderInput(
    session,
    { release, desired: desired.value },
    {
      images: release.status.resolved ?? {},
      secrets: recordedSecrets(session, desired.value),
      creationId: release.name,
    },
  );
  if (!input.ok) return input;
  const rendered = renderKept(input.value);
  if (!rendered.ok) return rendered;

  const check = (): Result<void> => mayGoOn(session, run);
  let changed = 0;
  let refused = rendered.value.problem;
  for (const { manifest, autoscaler } of rendered.value.objects) {
    const allowed = check();
    if (!allowed.ok) return allowed;
    const written = await writeObject(session, manifest, { operation: release.name, autoscaler });
    if (!written.ok && written.problem.kind !== 'rejected') return written;
    // One object that can not be put right is no reason to leave the others wrong.
    if (!written.ok) refused ??= written.problem;
    else if (written.value !== 'unchanged') {
      changed += 1;
      session.deps.log.warn('drift removed', {
        application: session.application,
        object: `${manifest.kind}/${manifest.metadata.name}`,
        write: written.value,
      });
    }
  }
  if (changed > 0) session.deps.metrics.stage('drift', 'corrected', 0);
  const { whole } = rendered.value;
  // Snapshots that were still read when their release ended go now, and what a run that was cut off left behind.
  const tidied = whole === undefined ? await saveInventory(session) : await prune({ session, release, check }, whole);
  return tellDrift(session, application, refused === undefined ? tidied : fail(refused));
}

function mayGoOn(session: Session, run: Run): Result<void> {
  if (session.lease.signal.aborted) return fail(problem('lease_lost'));
  return run.signal.aborted ? fail(problem('worker_stopping', undefined, { afterMs: 0 })) : ok(undefined);
}

type Kept = {
  readonly objects: readonly { readonly manifest: Manifest; readonly autoscaler?: Manifest | undefined }[];
  /** Everything there should be; absent when not all of it is known. */
  readonly whole: Rendered | undefined;
  readonly problem: Problem | undefined;
};

/**
 * What must be there at rest. A snapshot somebody deleted can only come back with a release, because its values may have changed since; what
 * runs is then left alone, and everything around it is kept.
 */
function renderKept(input: RenderInput): Result<Kept> {
  const whole = finalObjects(input);
  if (whole.ok) {
    const scaled = new Map(whole.value.workloads.map(({ workload, autoscaler }) => [workload, autoscaler]));
    const objects = allObjects(whole.value)
      .filter(({ kind }) => kind !== 'Job')
      .map((manifest) => ({ manifest, autoscaler: scaled.get(manifest) }));
    return ok({ objects, whole: whole.value, problem: undefined });
  }
  if (whole.problem.code !== 'missing_secrets') return whole;
  const around = finalObjects({ ...input, preview: true });
  if (!around.ok) return around;
  const { namespace, networkPolicies, quota, claims, services } = around.value;
  const text = 'the values this service runs with were deleted from the cluster; they come back with the next release';
  return ok({
    objects: [namespace, ...networkPolicies, quota, ...claims, ...services].map((manifest) => ({ manifest })),
    whole: undefined,
    problem: { ...whole.problem, message: text },
  });
}

/** Says on the application what can not be put right, and takes it back when it is. What is worth another try is not told. */
async function tellDrift(
  session: Session,
  application: ApplicationResource,
  done: Result<unknown>,
): Promise<Result<void>> {
  const p = done.ok ? undefined : done.problem;
  if (p !== undefined && p.kind !== 'rejected') return fail(p);
  const ready = application.status.conditions?.find((condition) => condition.type === 'Ready');
  if (p === undefined && ready?.status !== 'False') return ok(undefined);
  const next = readyCondition(application.status.conditions, {
    status: p === undefined ? 'True' : 'False',
    reason: p?.code ?? 'released',
    message: p === undefined ? 'the cluster is as released' : describe(p),
    now: session.deps.clock.now(),
    generation: application.generation,
  });
  if (ready?.reason === next.reason && ready.message === next.message) return ok(undefined);
  const written = await writeApplication(session, (status) => ({ ...status, conditions: [next] }));
  return written.ok ? ok(undefined) : written;
}
