import type { Granted } from '../grant/index.ts';
import type { Problem } from '../kernel/index.ts';
import { type Application, requiredSecrets, specDigest } from '../spec/index.ts';
import { type Change, changesBetween } from './changes.ts';
import { claimChanges, emptyApplication, kindChanges } from './refusals.ts';
import { missingSecretProblems } from './secrets.ts';
import { unsupportedFeatures } from './unsupported.ts';
import { warningsFor } from './warnings.ts';

/** What a release of the desired application would do. Holds no secret and no value of `env`. */
export type Plan = {
  readonly changes: readonly Change[];
  readonly warnings: readonly string[];
  readonly requiredSecrets: readonly string[];
  /** Absent when it may not be told (a fork) or was not asked. */
  readonly missingSecrets?: readonly string[];
  /** Why the application can not be released as it is. A release is refused for missing secrets; the plan of a pull request lists them. */
  readonly refusals: readonly Problem[];
  /** The desired application is the current revision already. */
  readonly unchanged: boolean;
  /** Of the desired application. */
  readonly specDigest: string;
};

/**
 * Compares a granted application with the current revision (facts 2.12, 2.13, 6.1). Pure: the same input gives the same plan. Who calls
 * asks for `missingSecrets` (names among `requiredSecrets` that do not exist) beforehand; for a fork's plan they are left out even when given.
 */
export function planRelease(input: {
  readonly granted: Granted<Application>;
  readonly previous: Application | undefined;
  readonly missingSecrets?: readonly string[] | undefined;
  /** Warnings of the parser, shown first. */
  readonly notes?: readonly string[];
}): Plan {
  const { granted, previous, notes } = input;
  const plan = compare(granted.value, previous, notes);
  if (granted.fork || input.missingSecrets === undefined) return plan;
  const missing = input.missingSecrets.filter((name) => plan.requiredSecrets.includes(name)).sort();
  const refused = granted.purpose === 'release' ? missingSecretProblems(granted.value, missing) : [];
  return { ...plan, missingSecrets: missing, refusals: [...plan.refusals, ...refused] };
}

/** The same comparison of two files on somebody's own machine: no grant and no secrets are looked at, and no release can be made of it. */
export function planOffline(
  next: Application,
  previous: Application | undefined,
  notes: readonly string[] = [],
): OfflinePlan {
  return { ...compare(next, previous, notes), offline: true };
}

/** Only to be shown. */
export type OfflinePlan = Plan & { readonly offline: true };

function compare(next: Application, previous: Application | undefined, notes: readonly string[] = []): Plan {
  const changes = changesBetween(previous, next);
  return {
    changes,
    warnings: [...notes, ...warningsFor(next, previous)],
    requiredSecrets: requiredSecrets(next),
    refusals: [
      ...emptyApplication(next, previous),
      ...kindChanges(next, previous),
      ...claimChanges(next, previous),
      ...unsupportedFeatures(next),
    ],
    // every field has a rule, so no change means the same application
    unchanged: previous !== undefined && changes.length === 0,
    specDigest: specDigest(next),
  };
}
