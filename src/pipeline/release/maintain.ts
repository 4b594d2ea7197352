import { describe, fail, type Manifest, ok, type Problem, problem, type Result, refOf } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { secretsInUse } from '../../reconcile/index.ts';
import { allObjects, type RenderInput, renderApplication } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import { readyCondition } from '../../status/index.ts';
import type { Run } from '../context.ts';
import { unpackSpec } from '../release-body.ts';
import { renderOptions } from './options.ts';
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
  const { project, environment, name } = application.spec;
  const input: RenderInput = {
    application: desired.value,
    key: { project, environment, name },
    id: session.id,
    revision: release.spec.revision,
    operation: release.name,
    images: release.status.resolved ?? {},
    secrets: recordedSecrets(session, desired.value),
    snapshotKey: session.deps.options.snapshotKey,
    creationId: release.name,
    options: renderOptions(session.deps.options),
  };
  const rendered = renderKept(input);
  if (!rendered.ok) return rendered;

  let changed = 0;
  let refused = rendered.value.problem;
  for (const manifest of rendered.value.objects) {
    if (session.lease.signal.aborted) return fail(problem('lease_lost'));
    if (run.signal.aborted) return fail(problem('worker_stopping', undefined, { afterMs: 0 }));
    const written = await writeObject(session, manifest, release.name);
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
  const saved = await saveInventory(session);
  return saved.ok ? tellDrift(session, application, refused) : saved;
}

type Kept = { readonly objects: readonly Manifest[]; readonly problem: Problem | undefined };

/**
 * What must be there at rest. A snapshot somebody deleted can only come back with a release, because its values may have changed since; what
 * runs is then left alone, and everything around it is kept.
 */
function renderKept(input: RenderInput): Result<Kept> {
  const whole = renderApplication(input);
  if (whole.ok)
    return ok({ objects: allObjects(whole.value).filter(({ kind }) => kind !== 'Job'), problem: undefined });
  if (whole.problem.code !== 'missing_secrets') return whole;
  const around = renderApplication({ ...input, preview: true });
  if (!around.ok) return around;
  const { namespace, networkPolicies, quota, services } = around.value;
  const text = 'the values this service runs with were deleted from the cluster; they come back with the next release';
  return ok({
    objects: [namespace, ...networkPolicies, quota, ...services],
    problem: { ...whole.problem, message: text },
  });
}

/** Says on the application what can not be put right, and takes it back when it is. */
async function tellDrift(
  session: Session,
  application: ApplicationResource,
  p: Problem | undefined,
): Promise<Result<void>> {
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

/** The values each service runs with, from the snapshot its workload names. */
function recordedSecrets(
  session: Session,
  desired: Application,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const secrets = session.inventory.all().filter((object) => object.kind === 'Secret' && owned(session, object));
  const used = secretsInUse(session.inventory.all());
  return Object.fromEntries(
    Object.keys(desired.services).map((service) => {
      const mine = secrets.filter((secret) => secret.metadata.labels?.['hakopod.io/service'] === service);
      const data = (mine.find((secret) => used.has(secret.metadata.name)) ?? mine[0])?.data;
      return [service, typeof data === 'object' && data !== null ? (data as Readonly<Record<string, string>>) : {}];
    }),
  );
}

function owned(session: Session, object: Manifest): boolean {
  const { kind, name } = refOf(object);
  return session.inventory.entries.some(
    (entry) => entry.kind === kind && entry.name === name && entry.uid === object.metadata.uid,
  );
}
