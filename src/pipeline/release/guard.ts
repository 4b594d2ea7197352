import { evaluateGrant, permitRelease } from '../../grant/index.ts';
import { fail, keyOfName, ok, problem, type Result } from '../../kernel/index.ts';
import type { HeldLease, Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import { authorityBehind, checkGrantOwner } from '../authority.ts';
import { type Deps, type Run, storedPath, storedRef } from '../context.ts';
import { checkPreviewGrant } from '../preview-environment/check-grant.ts';
import { isPreview } from '../preview-environment/names.ts';

/** What must stay true while a release is carried out. */
export type Guard = {
  /** Asked before every privileged step. */
  check(): Result<void>;
  /** Aborts as soon as a check would fail, so that waits end at once. */
  readonly signal: AbortSignal;
  stop(): void;
};

/** How often everything is asked again (facts 6.3), because time passes without telling anybody: keys and grants expire. */
const AGAIN_MS = 1000;

/**
 * Watches over one release: the lease is held, the worker is not stopping, nobody cancelled it or removed the application, no newer commit's release was accepted, and
 * whoever asked for it still may: the grant at its current revision (invariant 4), or the key and its identity. Changes are looked at as they
 * come, and everything once a second.
 */
export function openGuard(
  deps: Deps,
  input: {
    readonly lease: HeldLease;
    readonly run: Run;
    readonly release: Release;
    readonly desired: Application;
    readonly previous: Application | undefined;
  },
): Guard {
  const { lease, run, release } = input;
  const check = (): Result<void> => {
    if (lease.signal.aborted) return fail(problem('lease_lost'));
    if (run.signal.aborted) return fail(problem('worker_stopping', undefined, { afterMs: 0 }));
    const application = deps.store.applications.cached(release.spec.application);
    if (application?.deleting === true) return fail(problem('cancelled', 'the application was removed'));
    const status = application?.status;
    if (status?.cancelled?.includes(release.spec.revision) === true) return fail(problem('cancelled'));
    const isCommit = release.spec.origin.kind !== 'api';
    if (isCommit && (status?.gitRevision ?? 0) > release.spec.revision) return fail(problem('superseded'));
    return isCommit ? checkGrant(deps, input) : checkAuthority(deps, input);
  };
  const changed = new AbortController();
  const stopped = new AbortController();
  const look = (): void => {
    if (!check().ok) changed.abort();
  };
  const { applications, sources, plans } = deps.store;
  const watched = [applications, sources, plans, deps.keys, deps.identities, deps.roles, deps.settings];
  const stops = watched.map((part) => part.onChange(look));
  void lookAgain(deps, look, AbortSignal.any([stopped.signal, changed.signal]));
  return {
    check,
    signal: AbortSignal.any([lease.signal, run.signal, changed.signal]),
    stop: () => {
      stopped.abort();
      for (const stop of stops) stop();
    },
  };
}

async function lookAgain(deps: Pick<Deps, 'clock'>, look: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await deps.clock.sleep(AGAIN_MS, signal);
    if (!signal.aborted) look();
  }
}

/**
 * Whether the key and the identity a release was asked with may still do what it does. `authority_revoked` when they may not; the code of the
 * setting when patches were switched off since.
 */
function checkAuthority(
  deps: Deps,
  input: { readonly release: Release; readonly desired: Application; readonly previous: Application | undefined },
): Result<void> {
  const { origin, application } = input.release.spec;
  // Whoever resumed a release asks for it from then on.
  const { resumed } = input.release.status;
  const asked = resumed ?? { identity: origin.identity, key: origin.key };
  const principal = authorityBehind(deps, { identity: asked.identity ?? origin.actor, key: asked.key });
  if (!principal.ok) return principal;
  const permitted = permitRelease({
    principal: principal.value,
    key: keyOfName(application),
    application: input.desired,
    previous: input.previous,
    patchesEnabled: deps.settings.cached('kubernetesPatches').value.enabled,
  });
  if (permitted.ok) return ok(undefined);
  return permitted.problem.code === 'permission_denied' ? fail(problem('authority_revoked')) : permitted;
}

/** Whether the source's grant, as it is now, still allows what a release does. `grant_refused` when the source is gone. */
export function checkGrant(
  deps: Deps,
  input: { readonly release: Release; readonly desired: Application; readonly previous: Application | undefined },
): Result<void> {
  const { origin } = input.release.spec;
  if (origin.kind === 'preview') return checkPreview(deps, input);
  if (origin.kind !== 'git' || origin.source === undefined) return ok(undefined);
  const source = deps.store.sources.cached(origin.source);
  if (source === undefined || source.deleting)
    return fail(problem('grant_refused', 'the source was removed, and its grant with it'));
  const { project, environment, name } = source.spec.application;
  const owned = checkGrantOwner(deps, source.spec.grant, { project, environment, name });
  if (!owned.ok) return owned;
  const granted = evaluateGrant({
    grant: source.spec.grant,
    request: {
      ref: storedRef(origin.ref ?? ''),
      path: storedPath(source.spec.path),
      application: { project, environment, name },
      now: deps.clock.now(),
      trigger: 'push',
      fork: false,
    },
    application: input.desired,
    previous: input.previous,
  });
  return granted.ok ? ok(undefined) : granted;
}

/**
 * Whether the request of a preview is open still, and its source would give it this environment now. What the caches do not know yet is worth
 * another try: an environment that nothing wants is removed, and its releases end with it.
 */
function checkPreview(
  deps: Deps,
  { release, desired }: { readonly release: Release; readonly desired: Application },
): Result<void> {
  const { origin, application } = release.spec;
  const cached = deps.store.applications.cached(application);
  const plan = deps.store.plans.cached(origin.plan ?? '');
  if (cached !== undefined && !isPreview(cached))
    return fail(problem('grant_refused', 'the application is no preview environment'));
  if (cached === undefined || plan === undefined) return fail(problem('cluster_unavailable'));
  const { preview } = cached.spec;
  const source = deps.store.sources.cached(preview.source);
  if (source === undefined || source.uid !== preview.sourceUid)
    return fail(problem('grant_refused', 'the source was removed, and its grant with it'));
  if (plan.status.closed === true) return fail(problem('cancelled', 'the request was closed'));
  if (plan.status.fork === true) return fail(problem('cancelled', 'the request comes from a fork now'));
  return checkPreviewGrant(deps, source, { base: storedRef(origin.ref ?? ''), application: desired });
}
