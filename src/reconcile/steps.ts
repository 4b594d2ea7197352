import { type Problem, problem, refKey } from '../kernel/index.ts';
import { cronJobName, jobName, namespaceName, startupSeconds } from '../render/index.ts';
import { type Application, dependencyOrder } from '../spec/index.ts';
import type { InventoryEntry } from './ownership.ts';

/** One step of a release. `name` is stable: it stands in the release's record, in logs and in tests. */
export type ReleaseStep =
  | {
      readonly kind:
        | 'secrets'
        | 'images'
        | 'namespace'
        | 'network-policies'
        | 'quota'
        | 'claims'
        | 'services'
        | 'prune'
        | 'schedules'
        | 'finish';
      readonly name: string;
    }
  | {
      readonly kind: 'service' | 'job' | 'schedule';
      /** `service:<service>`, for jobs too. */
      readonly name: string;
      readonly service: string;
      /** What must be ready (services) or completed (jobs) before: the declared dependencies, sorted. */
      readonly needs: readonly string[];
      /** Seconds we wait for readiness, or for the job's end. */
      readonly waitSeconds: number;
    }
  | { readonly kind: 'ingress'; readonly name: string; readonly service: string; readonly needs: readonly string[] };

/** What of the installation bounds a release. */
export type ReleaseBounds = { readonly rolloutTimeoutSeconds: number };

/** Seconds beyond a job's own deadline until we stop waiting for its controller (facts 3.6). */
const JOB_GRACE = 30;
/** Seconds a release has before its budgets (facts 6.3: ten minutes in total). */
const RELEASE_SECONDS = 600;

/** Seconds we wait for one service: its startup budget, or its job's deadline and 30 s; nobody waits for a schedule. */
export function waitSeconds(application: Application, service: string, bounds: ReleaseBounds): number {
  const spec = application.services[service];
  if (spec === undefined || spec.job?.schedule !== undefined) return 0;
  return spec.job === undefined
    ? startupSeconds(spec, bounds.rolloutTimeoutSeconds)
    : spec.job.timeout_seconds + JOB_GRACE;
}

/**
 * The steps of a release in order: everything is read before anything is written; policies and the budget stand before anything runs; each
 * service follows what it depends on, and is public only once it is ready (facts 3.2 and 3.4); what is no longer wanted goes, and last the
 * schedules begin (facts 3.6).
 */
export function releaseSteps(application: Application, bounds: ReleaseBounds): readonly ReleaseStep[] {
  const before = (['secrets', 'images', 'namespace', 'network-policies', 'quota', 'claims', 'services'] as const).map(
    (kind): ReleaseStep => ({ kind, name: kind }),
  );
  const workloads = dependencyOrder(application).flatMap((service): ReleaseStep[] => {
    const spec = application.services[service];
    if (spec === undefined) return [];
    const step: ReleaseStep = {
      kind: kindOf(spec),
      name: `service:${service}`,
      service,
      needs: [...spec.depends_on].sort(),
      waitSeconds: waitSeconds(application, service, bounds),
    };
    const ingress: ReleaseStep = { kind: 'ingress', name: `ingress:${service}`, service, needs: [service] };
    return spec.public ? [step, ingress] : [step];
  });
  const after = (['prune', 'schedules', 'finish'] as const).map((kind): ReleaseStep => ({ kind, name: kind }));
  return [...before, ...workloads, ...after];
}

/**
 * When a release must have ended. Ten minutes, plus every reviewed budget: each declared `startup_timeout_seconds` and each job's deadline with
 * its grace. They are added up because services are carried out one after another, so a release that keeps each budget never meets this bound.
 */
export function releaseDeadline(application: Application, bounds: ReleaseBounds, startedAt: Date): Date {
  const budgets = Object.entries(application.services).map(([name, spec]) => {
    const declared = spec.startup_timeout_seconds !== undefined || spec.job !== undefined;
    return declared ? waitSeconds(application, name, bounds) : 0;
  });
  const seconds = budgets.reduce((total, budget) => total + budget, RELEASE_SECONDS);
  return new Date(startedAt.getTime() + seconds * 1000);
}

function kindOf({ job }: Application['services'][string]): 'service' | 'job' | 'schedule' {
  if (job === undefined) return 'service';
  return job.schedule === undefined ? 'job' : 'schedule';
}

/**
 * Refuses a service, a deployment job or a scheduled job that became another of the three while the object of its former kind is on record:
 * it is removed in one release and comes back in another (lifecycle page). The first in name order, or `undefined`.
 */
export function kindChange(request: {
  readonly application: Application;
  readonly id: string;
  readonly inventory: readonly InventoryEntry[];
}): Problem | undefined {
  const namespace = namespaceName(request.id);
  const known = new Set(request.inventory.map(refKey));
  for (const [name, spec] of Object.entries(request.application.services).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kinds = {
      service: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
      job: { apiVersion: 'batch/v1', kind: 'Job', namespace, name: jobName(name) },
      schedule: { apiVersion: 'batch/v1', kind: 'CronJob', namespace, name: cronJobName(name) },
    };
    const former = Object.entries(kinds).filter(([kind]) => kind !== kindOf(spec));
    if (former.some(([, ref]) => known.has(refKey(ref)))) {
      return problem('kind_change', undefined, { at: `services.${name}.job` });
    }
  }
  return undefined;
}
