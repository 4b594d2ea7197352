import { type Principal, refusal } from '../../../access/index.ts';
import { fail, keyOfName, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { DeploymentOperations, RequestInfo } from '../../../ports/api/index.ts';
import type { Release } from '../../../ports/index.ts';
import { type Application, dependencyOrder, isDeploymentJob } from '../../../spec/index.ts';
import { describeOutcome } from '../../../status/index.ts';
import { reportsOf, withReport } from '../../ledger.ts';
import { isEnded } from '../../release/conclude.ts';
import { unpackSpec } from '../../release-body.ts';
import { audited } from '../audited.ts';
import { type Current, judge, readCurrent } from './accept.ts';
import type { ReleaseDeps } from './context.ts';
import { targetOf } from './find.ts';
import { finished, known, type Once, onceOf } from './idempotency.ts';

type Asked = {
  readonly input: Parameters<DeploymentOperations['resumeRelease']>[1];
  readonly info: RequestInfo;
};

/**
 * Lets the latest release go on after it has failed (facts 6.5): the same revision, for the services that are not done and whatever depends
 * on them. Not after something else was put back in its place, and not after a job failed, which runs once per revision. Codes: `not_found`,
 * `conflict`, `not_resumable`, and those of the plan, which is judged again for whoever resumes.
 */
export async function resumeRelease(
  deps: ReleaseDeps,
  principal: Principal,
  { input, info }: Asked,
): Promise<Result<Release>> {
  const { id, expected_revision: expectedRevision, idempotency_key: idempotencyKey } = input;
  const target = targetOf(id);
  const denied = refusal(principal, 'deployments:write', target);
  if (denied !== undefined) return fail(denied);
  const once = onceOf(principal, idempotencyKey, ['resume-release', id, expectedRevision]);
  const other = await known(deps, once);
  if (!other.ok) return other;
  const { project, environment, name } = keyOfName(id);
  const key = { project, environment, name };
  const current = await readCurrent(deps, key);
  if (!current.ok) return current;
  const release = current.value.releases.find((one) => one.name === id);
  if (release === undefined) return fail(problem('not_found', 'there is no such release'));
  const repeated = repeats(release, once);
  if (!repeated.ok) return repeated;
  if (repeated.value) return wake(deps, release);

  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) return desired;
  const refused = notResumable(current.value, release, desired.value);
  if (refused !== undefined) return fail(refused);
  if (current.value.revision !== expectedRevision)
    return fail(problem('conflict', 'the application has another revision than expected'));
  const before = { ...current.value, releases: current.value.releases.filter((one) => one.name !== id) };
  const planned = await judge(deps, principal, { key, application: desired.value, current: before });
  if (!planned.ok) return planned;
  const [refusal_] = planned.value.refusals;
  if (refusal_ !== undefined) return fail(refusal_);

  const queued = await requeue(deps, principal, { release, once, services: unfinished(release, desired.value) });
  if (!queued.ok) return queued;
  const resource = { kind: 'Deployment', ...target, name: id };
  await audited(deps, { principal, info }, { action: 'deployment.resume', resource });
  return wake(deps, queued.value);
}

/** Whether this very request resumed the release before. `conflict` when its key did something else here. */
function repeats({ status }: Release, once: Once): Result<boolean> {
  if (status.resumed?.idempotency !== once.digest) return ok(false);
  return status.resumed.requestHash === once.hash
    ? ok(true)
    : fail(problem('conflict', 'the idempotency key was used for another request'));
}

function notResumable(current: Current, release: Release, desired: Application): Problem | undefined {
  const refuse = (message: string): Problem => problem('not_resumable', message);
  const { state, recovery, attempts = 0, steps = [] } = release.status;
  if (release.spec.revision !== current.revision) return refuse('only the latest release can be resumed');
  if (state !== 'failed') return refuse('only a release that failed can be resumed');
  // A skipped recovery changed nothing.
  if (recovery !== undefined && recovery.state !== 'skipped')
    return refuse('the previous revision was put back after it failed; deploy again instead');
  if (attempts === 0) return refuse('it failed before it began; deploy again instead');
  // One that was never begun, because what it depends on failed, has its one run before it.
  const failedJob = steps.find(({ name, state: came }) => isJobStep(desired, name) && FAILED.has(came));
  return failedJob === undefined
    ? undefined
    : problem('not_resumable', 'a job runs once per revision and this one failed; deploy again to run it again', {
        at: `services.${failedJob.name.slice(STEP.length)}.job`,
      });
}

const STEP = 'service:';
const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out']);

function isJobStep({ services }: Application, step: string): boolean {
  const service = step.startsWith(STEP) ? services[step.slice(STEP.length)] : undefined;
  return service !== undefined && isDeploymentJob(service);
}

/** The services that are not done, and everything that depends on one of them. */
export function unfinished({ status }: Release, desired: Application): readonly string[] {
  const done = new Set(status.steps?.filter(({ state }) => state === 'done').map(({ name }) => name));
  const again = new Set<string>();
  for (const service of dependencyOrder(desired)) {
    const needs = desired.services[service]?.depends_on ?? [];
    if (!done.has(`${STEP}${service}`) || needs.some((need) => again.has(need))) again.add(service);
  }
  return [...again].sort();
}

async function requeue(
  deps: ReleaseDeps,
  principal: Principal,
  input: { readonly release: Release; readonly once: Once; readonly services: readonly string[] },
): Promise<Result<Release>> {
  const { release, once, services } = input;
  const at = deps.clock.now().toISOString();
  let isTaken = false;
  const written = await deps.store.releases.updateStatus(release.name, ({ status }) => {
    isTaken = status.state !== 'failed' || status.resumed?.generation !== release.status.resumed?.generation;
    if (isTaken) return undefined;
    const { startedAt: _s, finishedAt: _f, deadline: _d, code: _c, message: _m, at: _a, lost: _l, ...kept } = status;
    const { recovery: _r, ...rest } = kept;
    return {
      ...rest,
      state: 'queued',
      resumed: {
        generation: (status.resumed?.generation ?? 0) + 1,
        services: [...services],
        identity: principal.identity,
        ...(principal.key === undefined ? {} : { key: principal.key.id }),
        idempotency: once.digest,
        requestHash: once.hash,
        at,
      },
    };
  });
  if (!written.ok) return written;
  return isTaken ? fail(problem('conflict', 'somebody else resumed the release')) : written;
}

/**
 * Lets the application wait for the release again, and the forge show that its commit is on its way; repeated for a request that comes again,
 * because the first one may have been cut off here.
 */
async function wake(deps: ReleaseDeps, release: Release): Promise<Result<Release>> {
  if (isEnded(release)) return ok(release);
  const { application, revision, origin } = release.spec;
  const waiting = await deps.store.applications.updateStatus(application, ({ status }) => ({
    ...status,
    phase: 'queued',
    cancelled: status.cancelled?.filter((other) => other !== revision),
  }));
  if (!waiting.ok) return waiting;
  const { source, commit } = origin;
  if (source !== undefined && commit !== undefined) {
    const pending = describeOutcome({ kind: 'deploying', revision });
    const told = await deps.store.sources.updateStatus(source, (current) => ({
      ...current.status,
      reports: withReport(reportsOf(current), commit, pending, deps.clock.now()),
    }));
    if (!told.ok && told.problem.code !== 'not_found') return told;
    if (told.ok) await deps.jobs.add({ queue: 'report', source, commit });
  }
  return finished(deps, release);
}
