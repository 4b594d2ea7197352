import { fail, ok, type Problem, problem, type Result, refOf } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { kindChange, pruneSet, secretsInUse, stalePolicies } from '../../reconcile/index.ts';
import { allObjects, type Rendered, renderApplication, secretValues } from '../../render/index.ts';
import { type Application, requiredSecrets } from '../../spec/index.ts';
import { resolveImages } from './images.ts';
import { renderOptions } from './options.ts';
import { type Session, saveInventory } from './session.ts';
import { runStep, StepRecorder } from './steps.ts';
import { type Carrying, carryWorkload } from './workload.ts';
import { deleteObject, writeObject } from './write.ts';

/**
 * Carries out one release: read everything, then write in order, then delete what is no longer wanted. Every step reads before it writes,
 * so a run that was cut off is simply run again. A failure of kind `rejected` ends the release; others are worth another try.
 */
export async function carryRelease(carrying: Carrying): Promise<Result<void>> {
  const recorder = new StepRecorder(carrying.session.deps, carrying.release);
  const done = await carrySteps(carrying, recorder);
  await recorder.settle();
  return done;
}

async function carrySteps(carrying: Carrying, recorder: StepRecorder): Promise<Result<void>> {
  const { session, desired } = carrying;
  const kind = kindChange({ application: desired, id: session.id, inventory: session.inventory.entries });
  if (kind !== undefined) return fail(kind);
  const secrets = await runStep(recorder, 'secrets', () => readSecrets(session, carrying.release, desired));
  if (!secrets.ok) return secrets;
  const images = await runStep(recorder, 'images', () => resolveImages(carrying));
  if (!images.ok) return images;
  const rendered = render(carrying, { images: images.value, secrets: secrets.value });
  if (!rendered.ok) return rendered;

  const foundation = await runStep(recorder, 'foundation', () => layFoundation(carrying, rendered.value));
  if (!foundation.ok) return foundation;
  const workloads = await carryWorkloads(carrying, rendered.value, recorder);
  if (!workloads.ok) return workloads;
  const pruned = await runStep(recorder, 'prune', () => prune(carrying, rendered.value));
  return pruned.ok ? ok(undefined) : pruned;
}

/** All values in one snapshot before anything is written (facts 6.6), by service and key, base64: variables, bindings and files. */
async function readSecrets(
  session: Session,
  release: Release,
  desired: Application,
): Promise<Result<Readonly<Record<string, Readonly<Record<string, string>>>>>> {
  const application = session.deps.store.applications.cached(release.spec.application);
  if (application === undefined) return fail(problem('cluster_unavailable', 'the application is not in the cache yet'));
  const { project, environment, name } = application.spec;
  const names = requiredSecrets(desired);
  const snapshot =
    names.length === 0
      ? ok(new Map<string, string>())
      : await session.deps.secrets.snapshot({ project, environment, name }, names);
  if (!snapshot.ok) return snapshot;
  return ok(secretValues(desired, snapshot.value));
}

function render(
  carrying: Carrying,
  input: {
    readonly images: Readonly<Record<string, string>>;
    readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  },
): Result<Rendered> {
  const { session, release, desired } = carrying;
  const application = session.deps.store.applications.cached(release.spec.application);
  if (application === undefined) return fail(problem('cluster_unavailable', 'the application is not in the cache yet'));
  const { project, environment, name } = application.spec;
  return renderApplication({
    application: desired,
    key: { project, environment, name },
    id: session.id,
    revision: release.spec.revision,
    operation: release.name,
    images: input.images,
    secrets: input.secrets,
    snapshotKey: session.deps.options.snapshotKey,
    creationId: session.deps.random.hex(16),
    options: renderOptions(session.deps.options),
  });
}

/** Namespace, policies, quota and Services; a pause when policies changed, because the network applies them on its own time. */
async function layFoundation(carrying: Carrying, rendered: Rendered): Promise<Result<void>> {
  const { session, release, guard } = carrying;
  const { clock, options } = session.deps;
  let policiesChanged = false;
  const write = async (manifest: Parameters<typeof writeObject>[1]): Promise<Result<void>> => {
    const allowed = guard.check();
    if (!allowed.ok) return allowed;
    const written = await writeObject(session, manifest, release.name);
    if (!written.ok) return written;
    if (manifest.kind === 'NetworkPolicy' && written.value !== 'unchanged') policiesChanged = true;
    return ok(undefined);
  };
  const namespace = await write(rendered.namespace);
  if (!namespace.ok) return namespace;
  const others = await Promise.all([...rendered.networkPolicies, rendered.quota, ...rendered.services].map(write));
  const failed = others.find((result) => !result.ok);
  if (failed !== undefined) return failed;
  const stale = stalePolicies(candidates(carrying, rendered, undefined));
  for (const entry of stale) {
    const gone = await deleteObject(session, entry, release.name);
    if (!gone.ok) return gone;
  }
  const saved = await saveInventory(session);
  if (!saved.ok) return saved;
  if (policiesChanged) await clock.sleep(options.policySettleMs, guard.signal);
  return guard.check();
}

/**
 * Every service starts as soon as what it depends on is ready or completed; services that do not depend on each other go side by side. A
 * failure blocks its dependents only; the first problem in dependency order is the release's.
 */
async function carryWorkloads(carrying: Carrying, rendered: Rendered, recorder: StepRecorder): Promise<Result<void>> {
  const { desired } = carrying;
  const outcomes = new Map<string, Promise<Result<void>>>();
  for (const workload of rendered.workloads) {
    const needs = desired.services[workload.service]?.depends_on ?? [];
    const before = needs.map((need) => outcomes.get(need) ?? Promise.resolve(ok(undefined)));
    const outcome = Promise.all(before).then((results): Promise<Result<void>> => {
      const isBlocked = results.some((result) => !result.ok);
      return runStep(recorder, `service:${workload.service}`, async () =>
        isBlocked
          ? fail(problem('dependency_failed', undefined, { at: `services.${workload.service}.depends_on` }))
          : carryWorkload(carrying, workload),
      );
    });
    outcomes.set(workload.service, outcome);
  }
  const results = await Promise.all(outcomes.values());
  const problems = results.flatMap((result): readonly Problem[] => (result.ok ? [] : [result.problem]));
  const worst =
    problems.find((p) => p.kind !== 'rejected') ?? problems.find((p) => p.code !== 'dependency_failed') ?? problems[0];
  return worst === undefined ? ok(undefined) : fail(worst);
}

function candidates(
  carrying: Carrying,
  rendered: Rendered,
  inUse: ReadonlySet<string> | undefined,
): ReturnType<typeof pruneSet> {
  const { inventory } = carrying.session;
  return pruneSet({
    inventory: inventory.entries,
    rendered: allObjects(rendered).map(refOf),
    renderedOk: true,
    secretsInUse: inUse,
  });
}

/** Deletes what this application owned and wants no longer; only after everything wanted is there. */
async function prune(carrying: Carrying, rendered: Rendered): Promise<Result<void>> {
  const { session, release, guard } = carrying;
  const hasOldSecrets = candidates(carrying, rendered, new Set()).some((entry) => entry.kind === 'Secret');
  const pods = hasOldSecrets
    ? await session.deps.cluster.list({
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: session.namespace,
        labelSelector: `hakopod.io/application-id=${session.id}`,
      })
    : ok([]);
  if (!pods.ok) return pods;
  const inUse = secretsInUse([...pods.value, ...session.inventory.all()]);
  for (const entry of candidates(carrying, rendered, inUse)) {
    const allowed = guard.check();
    if (!allowed.ok) return allowed;
    const deleted = await deleteObject(session, entry, release.name);
    if (!deleted.ok) return deleted;
  }
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}
