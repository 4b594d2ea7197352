import { fail, ok, type Problem, problem, type Result, refOf } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { claimChange, kindChange } from '../../reconcile/index.ts';
import { type Rendered, secretValues } from '../../render/index.ts';
import { type Application, requiredSecrets } from '../../spec/index.ts';
import { cachedApplication } from '../cached-application.ts';
import { dropDomains } from '../endpoints/index.ts';
import { snapshotSecrets } from '../preview-environment/secrets.ts';
import type { Carrying } from './carrying.ts';
import { dropVolumes } from './drop-volumes.ts';
import { layFoundation } from './foundation.ts';
import { releaseHosts } from './hosts.ts';
import { pullLogins, type ReleaseImages, resolveImages } from './images.ts';
import { placeRelease } from './place.ts';
import { prune } from './prune.ts';
import { finalObjects, renderInput } from './render.ts';
import type { Session } from './session.ts';
import { runStep, StepRecorder } from './steps.ts';
import { carryWorkload, isSchedule } from './workload.ts';
import { writeObject } from './write.ts';

/**
 * Carries out one release: read everything, then write in order, then delete what is no longer wanted. Every step reads before it writes,
 * so a run that was cut off is simply run again. A failure of kind `rejected` ends the release; others are worth another try.
 */
export async function carryRelease(carrying: Carrying): Promise<Result<void>> {
  const recorder = new StepRecorder(carrying.session.deps, carrying.release, carrying.prefix);
  const done = await carrySteps(carrying, recorder);
  await recorder.settle();
  return done;
}

async function carrySteps(carrying: Carrying, recorder: StepRecorder): Promise<Result<void>> {
  const { session, desired } = carrying;
  const kind = kindChange({ application: desired, id: session.id, inventory: session.inventory.entries });
  if (kind !== undefined) return fail(kind);
  const placement = await placeRelease(carrying);
  if (!placement.ok) {
    recorder.set('preflight', 'refused', placement.problem);
    return placement;
  }
  // An earlier try that did not fit is over; otherwise there is nothing to tell.
  if (recorder.has('preflight')) recorder.set('preflight', 'done');
  const hosts = await releaseHosts(session, { ...carrying.release.spec, desired });
  if (!hosts.ok) return hosts;
  const secrets = await runStep(recorder, 'secrets', () => readSecrets(session, carrying.release, desired));
  if (!secrets.ok) return secrets;
  const images = await runStep(recorder, 'images', () => readImages(carrying, secrets.value));
  if (!images.ok) return images;
  const creationId = session.deps.random.hex(16);
  const input = renderInput(session, carrying, {
    ...images.value,
    ...hosts.value,
    placement: placement.value,
    creationId,
  });
  if (!input.ok) return input;
  const rendered = finalObjects(input.value);
  if (!rendered.ok) return rendered;
  const fixed = rendered.value.claims
    .map((claim) => claimChange(claim, session.inventory.live(refOf(claim))))
    .find((change) => change !== undefined);
  if (fixed !== undefined) return fail(fixed);

  const foundation = await runStep(recorder, 'foundation', () => layFoundation(carrying, rendered.value));
  if (!foundation.ok) return foundation;
  const workloads = await carryWorkloads(carrying, rendered.value, recorder);
  if (!workloads.ok) return workloads;
  const pruned = await runStep(recorder, 'prune', () =>
    prune({ session, release: carrying.release, check: carrying.guard.check }, rendered.value),
  );
  if (!pruned.ok) return pruned;
  const deleted = await dropVolumes(carrying);
  if (!deleted.ok) return deleted;
  const dropped = await letGo(carrying);
  if (!dropped.ok || !rendered.value.workloads.some(isSchedule)) return dropped;
  return runStep(recorder, 'schedules', () => startSchedules(carrying, rendered.value));
}

/** Domains the revision names no longer are free for others; an earlier revision that is put back lets go of nothing. */
function letGo({ session, release, desired, prefix }: Carrying): Promise<Result<void>> | Result<void> {
  if (prefix !== undefined) return ok(undefined);
  const { application, revision } = release.spec;
  return dropDomains(session.deps, { application, id: session.id, revision, desired });
}

/** All values in one snapshot before anything is written (facts 6.6), by service and key, base64: variables, bindings and files. */
async function readSecrets(session: Session, release: Release, desired: Application): Promise<Result<Values>> {
  const application = cachedApplication(session.deps, release.spec.application);
  if (!application.ok) return application;
  const snapshot = await snapshotSecrets(session.deps, application.value, requiredSecrets(desired));
  if (!snapshot.ok) return snapshot;
  return ok(secretValues(desired, snapshot.value));
}

type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Images by digest, and the logins they are pulled with among the values of their services (facts 5.8). */
async function readImages(
  carrying: Carrying,
  secrets: Values,
): Promise<Result<ReleaseImages & { readonly secrets: Values }>> {
  const resolved = await resolveImages(carrying);
  if (!resolved.ok) return resolved;
  const logins = await pullLogins(carrying.session, resolved.value.credentials);
  if (!logins.ok) return logins;
  const merged = Object.entries(secrets).map(([name, values]) => [name, { ...values, ...logins.value[name] }] as const);
  return ok({ ...resolved.value, secrets: Object.fromEntries(merged) });
}

/** Lets the schedules of a release begin, once everything else of it is there (facts 3.6). */
async function startSchedules(carrying: Carrying, rendered: Rendered): Promise<Result<void>> {
  const { session, release, guard } = carrying;
  for (const { workload } of rendered.workloads.filter(isSchedule)) {
    const allowed = guard.check();
    if (!allowed.ok) return allowed;
    const written = await writeObject(session, workload, { operation: release.name });
    if (!written.ok) return written;
  }
  return ok(undefined);
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
      // Done in an earlier try of the same revision, before somebody resumed it.
      if (carrying.only?.has(workload.service) === false) return Promise.resolve(ok(undefined));
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
