import { evaluateGrant } from '../../grant/index.ts';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { HeldLease, Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import { type Deps, type Run, storedPath, storedRef } from '../context.ts';

/** What must stay true while a release is carried out. */
export type Guard = {
  /** Asked before every privileged step. */
  check(): Result<void>;
  /** Aborts as soon as a check would fail, so that waits end at once. */
  readonly signal: AbortSignal;
  stop(): void;
};

/**
 * Watches over one release: the lease is held, the worker is not stopping, nobody cancelled it, no newer commit's release was accepted, and
 * the grant still allows what the release does, at its current revision (invariant 4).
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
    const status = deps.store.applications.cached(release.spec.application)?.status;
    if (status?.cancelled?.includes(release.spec.revision) === true) return fail(problem('cancelled'));
    const isGit = release.spec.origin.kind === 'git';
    if (isGit && (status?.gitRevision ?? 0) > release.spec.revision) return fail(problem('superseded'));
    return checkGrant(deps, input);
  };
  const changed = new AbortController();
  const look = (): void => {
    if (!check().ok) changed.abort();
  };
  const stops = [deps.store.applications.onChange(look), deps.store.sources.onChange(look)];
  return {
    check,
    signal: AbortSignal.any([lease.signal, run.signal, changed.signal]),
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Whether the source's grant, as it is now, still allows what a release does. `grant_refused` when the source is gone. */
export function checkGrant(
  deps: Deps,
  input: { readonly release: Release; readonly desired: Application; readonly previous: Application | undefined },
): Result<void> {
  const { origin } = input.release.spec;
  if (origin.kind !== 'git' || origin.source === undefined) return ok(undefined);
  const source = deps.store.sources.cached(origin.source);
  if (source === undefined || source.deleting)
    return fail(problem('grant_refused', 'the source was removed, and its grant with it'));
  const { project, environment, name } = source.spec.application;
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
