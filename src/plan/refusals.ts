import { type Problem, problem } from '../kernel/index.ts';
import { type Application, formatPath, type Service } from '../spec/index.ts';

/** Facts 1: no services is how an existing application is emptied; a new one would be nothing. */
export function emptyApplication(next: Application, previous: Application | undefined): readonly Problem[] {
  if (previous !== undefined || Object.keys(next.services).length > 0) return [];
  return [problem('invalid_spec', 'a new application needs at least one service', { at: 'services' })];
}

/**
 * Spec application-lifecycle: one Kubernetes kind can not turn into another in one release. Services, deployment jobs and scheduled jobs
 * become Deployments, Jobs and CronJobs.
 */
export function kindChanges(next: Application, previous: Application | undefined): readonly Problem[] {
  return kept(next.services, previous?.services).flatMap(([name, now, before]): readonly Problem[] => {
    if (kindOf(now) === kindOf(before)) return [];
    const at = `services.${name}.job`;
    const isJobStill = now.job !== undefined && before.job !== undefined;
    return isJobStill
      ? [problem('kind_change', SCHEDULE_CHANGE, { at: `${at}.schedule` })]
      : [problem('kind_change', undefined, { at })];
  });
}

const SCHEDULE_CHANGE =
  'a deployment job can not become a scheduled one, or a scheduled one a deployment job, in one release; remove it first';

function kindOf({ job }: Service): 'service' | 'job' | 'scheduled' {
  if (job === undefined) return 'service';
  return job.schedule === undefined ? 'job' : 'scheduled';
}

type Claim = Readonly<Record<string, string | number>>;

/**
 * Facts 11.4: size, class and access mode of a claim that exists stay as they are. Compares what both applications declare; a claim that
 * was kept from before the previous one is the cluster's to compare.
 */
export function claimChanges(next: Application, previous: Application | undefined): readonly Problem[] {
  const named = kept(next.volumes, previous?.volumes).flatMap(([name, now, before]) =>
    differences(['volumes', name], { ...now }, { ...before }),
  );
  const own = kept(next.services, previous?.services).flatMap(([name, { volume: now }, { volume: before }]) =>
    now === undefined || before === undefined
      ? []
      : differences(['services', name, 'volume'], claim(now), claim(before)),
  );
  return [...named, ...own].map((path) => problem('volume_change', undefined, { at: formatPath(path) }));
}

/** Where a volume is mounted may change. */
function claim({ size_gib, storage_class }: NonNullable<Service['volume']>): Claim {
  return { size_gib, storage_class };
}

function differences(at: readonly string[], now: Claim, before: Claim): readonly (readonly string[])[] {
  return Object.keys(now)
    .filter((field) => now[field] !== before[field])
    .map((field) => [...at, field]);
}

/** The entries both maps have, by name. */
function kept<T>(
  next: Readonly<Record<string, T>>,
  previous: Readonly<Record<string, T>> | undefined,
): readonly (readonly [string, T, T])[] {
  const before = new Map(Object.entries(previous ?? {}));
  return Object.entries(next)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, now]) => {
      const old = before.get(name);
      return old === undefined ? [] : [[name, now, old] as const];
    });
}
