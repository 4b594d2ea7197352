import type { Granted } from '../grant/index.ts';
import { type Problem, problem } from '../kernel/index.ts';
import { type Application, requiredSecrets, specDigest } from '../spec/index.ts';
import { type Change, changesBetween } from './changes.ts';
import { missingSecretProblems } from './secrets.ts';
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
  const { granted, previous } = input;
  const next = granted.value;
  const required = requiredSecrets(next);
  const missing = granted.fork ? undefined : input.missingSecrets?.filter((name) => required.includes(name)).sort();
  const digest = specDigest(next);
  return {
    changes: changesBetween(previous, next),
    warnings: [...(input.notes ?? []), ...warningsFor(next, previous)],
    requiredSecrets: required,
    ...(missing === undefined ? {} : { missingSecrets: missing }),
    refusals: [
      ...emptyApplication(next, previous),
      ...kindChanges(next, previous),
      ...(granted.purpose === 'release' ? missingSecretProblems(next, missing ?? []) : []),
    ],
    unchanged: previous !== undefined && specDigest(previous) === digest,
    specDigest: digest,
  };
}

/** Facts 1: no services is how an existing application is emptied; a new one would be nothing. */
function emptyApplication(next: Application, previous: Application | undefined): readonly Problem[] {
  if (previous !== undefined || Object.keys(next.services).length > 0) return [];
  return [problem('invalid_spec', 'a new application needs at least one service', { at: 'services' })];
}

/** Facts 3.3: a Deployment can not turn into a Job in one release, nor back. */
function kindChanges(next: Application, previous: Application | undefined): readonly Problem[] {
  const before = previous?.services ?? {};
  return Object.keys(next.services)
    .filter((name) => Object.hasOwn(before, name) && isJob(before[name]) !== isJob(next.services[name]))
    .sort()
    .map((name) => problem('kind_change', undefined, { at: `services.${name}.job` }));
}

function isJob(service: Application['services'][string] | undefined): boolean {
  return service?.job !== undefined;
}
