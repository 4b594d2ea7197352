import { describe, fail, type Manifest, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { allObjects, type Rendered, type RenderInput } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import { readyCondition } from '../../status/index.ts';
import type { Run } from '../context.ts';
import { unpackSpec } from '../release-body.ts';
import { endMessage } from './conclude.ts';
import { recordedHosts } from './hosts.ts';
import { prune } from './prune.ts';
import { recordedSecrets } from './recorded-secrets.ts';
import { finalObjects, renderInput } from './render.ts';
import { readLive, type Session, saveInventory, writeApplication } from './session.ts';
import { writeObject } from './write.ts';

/** The newest release, and what runs at rest: the same one, or what was put back after it had failed. */
export type AtRest = { readonly latest: Release; readonly standing: Release };

/**
 * Compares an application at rest with its last release and writes only where they differ: what a person or another controller changed by
 * hand goes, what was deleted comes back. Runs no job, reads no new secret value (running pods keep the values of their release) and
 * waits for nothing.
 */
export async function maintain(session: Session, atRest: AtRest, run: Run): Promise<Result<void>> {
  const { standing: release, latest } = atRest;
  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) return desired;
  const live = await readLive(session);
  if (!live.ok) return live;
  const application = session.deps.store.applications.cached(session.application);
  if (application === undefined) return ok(undefined);
  const input = await inputAtRest(session, { release, application, desired: desired.value });
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
  return tellDrift(session, { application, latest }, refused === undefined ? tidied : fail(refused));
}

/** A release that has ended, in the words of rendering: with the values and digests it runs with. */
async function inputAtRest(
  session: Session,
  rest: { readonly release: Release; readonly application: ApplicationResource; readonly desired: Application },
): Promise<Result<RenderInput>> {
  const { release, application, desired } = rest;
  const hosts = await recordedHosts(session, application, desired);
  if (!hosts.ok) return hosts;
  return renderInput(
    session,
    { release, desired },
    {
      images: release.status.resolved ?? {},
      credentials: release.status.credentials ?? {},
      secrets: recordedSecrets(session, desired),
      ...hosts.value,
      creationId: release.name,
    },
  );
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
  if (whole.problem.code !== 'missing_secrets' && whole.problem.code !== 'certificate_missing') return whole;
  const around = finalObjects({ ...input, preview: true });
  if (!around.ok) return around;
  const { namespace, networkPolicies, quota, claims, services } = around.value;
  const text = 'the values this service runs with were deleted from the cluster; they come back with the next release';
  return ok({
    objects: [namespace, ...networkPolicies, quota, ...claims, ...services].map((manifest) => ({ manifest })),
    whole: undefined,
    problem: whole.problem.code === 'missing_secrets' ? { ...whole.problem, message: text } : whole.problem,
  });
}

/** Says on the application what can not be put right, and takes it back when it is. What is worth another try is not told. */
async function tellDrift(
  session: Session,
  { application, latest }: { readonly application: ApplicationResource; readonly latest: Release },
  done: Result<unknown>,
): Promise<Result<void>> {
  const p = done.ok ? undefined : done.problem;
  if (p !== undefined && p.kind !== 'rejected') return fail(p);
  const ready = application.status.conditions?.find((condition) => condition.type === 'Ready');
  if (p === undefined && ready?.status !== 'False') return ok(undefined);
  // A release that failed stays the last word where an earlier revision was put back.
  const { code } = latest.status;
  const asReleased = code === undefined ? 'the cluster is as released' : endMessage(latest);
  const next = readyCondition(application.status.conditions, {
    status: p === undefined && code === undefined ? 'True' : 'False',
    reason: p?.code ?? code ?? 'released',
    message: p === undefined ? asReleased : describe(p),
    now: session.deps.clock.now(),
    generation: application.generation,
  });
  if (ready?.reason === next.reason && ready.message === next.message) return ok(undefined);
  const written = await writeApplication(session, (status) => ({ ...status, conditions: [next] }));
  return written.ok ? ok(undefined) : written;
}
