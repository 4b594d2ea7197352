import type { Application } from './application.ts';

/** Why a release can not be taken back by itself: our own text and the field it is about; no field when it is about the whole. */
export type RecoveryBlocker = { readonly at?: string; readonly message: string };

/**
 * What stands against putting the previous release back when the next one fails (facts 2.11): it was switched off, there is no previous
 * success, the services are others, or something keeps data or has run that going back does not undo. Empty: going back is safe.
 */
export function recoveryBlockers(previous: Application | undefined, next: Application): readonly RecoveryBlocker[] {
  const disabled: readonly RecoveryBlocker[] =
    next.recovery.on_failure === 'disabled' ? [{ at: 'recovery.on_failure', message: 'is disabled' }] : [];
  if (previous === undefined) return [...disabled, { message: 'no release has succeeded before' }];
  return [
    ...disabled,
    ...(sameNames(previous, next) ? [] : [{ at: 'services', message: 'the services are not the same as before' }]),
    ...lasting(previous, next),
  ];
}

function sameNames(previous: Application, next: Application): boolean {
  const before = Object.keys(previous.services);
  return (
    before.length === Object.keys(next.services).length && before.every((name) => Object.hasOwn(next.services, name))
  );
}

/** Volumes and jobs of either release, each field once. */
function lasting(previous: Application, next: Application): readonly RecoveryBlocker[] {
  const found = new Map<string, string>();
  for (const application of [previous, next]) {
    if (Object.keys(application.volumes).length > 0) found.set('volumes', 'volumes keep what was written');
    for (const [name, { volume, mounts, job }] of Object.entries(application.services)) {
      if (volume !== undefined) found.set(`services.${name}.volume`, 'volumes keep what was written');
      if (mounts.length > 0) found.set(`services.${name}.mounts`, 'volumes keep what was written');
      if (job !== undefined) found.set(`services.${name}.job`, 'what a job did is not undone');
    }
  }
  return [...found].map(([at, message]) => ({ at, message }));
}
