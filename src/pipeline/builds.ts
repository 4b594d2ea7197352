import { type BuildTarget, buildsOf } from '../build/index.ts';
import { type ApplicationKey, fail, ok, problem, type Result } from '../kernel/index.ts';
import type { BuildRun, Release } from '../ports/index.ts';
import type { Application } from '../spec/index.ts';
import { cachedApplication } from './cached-application.ts';
import type { Deps } from './context.ts';

/** The builds of a release, each by its run's name. */
export type ReleaseBuilds = {
  readonly runs: ReadonlyMap<string, BuildRun>;
  /** Names of those that have no end yet. */
  readonly unfinished: readonly string[];
};

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

/** True when the build has ended. */
export function isBuildEnded(run: BuildRun): boolean {
  return ENDED.has(run.status.state ?? 'queued');
}

/** What an application builds at a commit; empty when this installation has no registry, which acceptance refuses. */
export function targetsOf(
  deps: Deps,
  application: Application,
  at: { readonly key: ApplicationKey; readonly commit: string },
): readonly BuildTarget[] {
  const registry = deps.options.buildRegistry;
  return registry === undefined ? [] : buildsOf(application, { ...at, registry });
}

/** `spec.builds` of a release: service to run. `undefined` when nothing is built. */
export function buildNames(targets: readonly BuildTarget[]): Readonly<Record<string, string>> | undefined {
  if (targets.length === 0) return undefined;
  return Object.fromEntries(targets.flatMap(({ run, services }) => services.map((service) => [service, run])));
}

/**
 * Sees to it that every build of a release exists and is asked for. One that succeeded is used as it is, whoever asked for it; one that
 * failed or was cancelled is asked for again, once per release. Safe to repeat: acceptance does it, and so does every reconcile.
 */
export async function ensureBuilds(deps: Deps, release: Release, desired: Application): Promise<Result<ReleaseBuilds>> {
  const runs = new Map<string, BuildRun>();
  const byRun = Map.groupBy(Object.entries(release.spec.builds ?? {}), ([, run]) => run);
  for (const [name, services] of byRun) {
    const run = await ensureRun(deps, {
      release,
      desired,
      name,
      services: services.map(([service]) => service).sort(),
    });
    if (!run.ok) return run;
    runs.set(name, run.value);
  }
  const unfinished = [...runs.values()].filter((run) => !isBuildEnded(run)).map((run) => run.name);
  return ok({ runs, unfinished });
}

type Wanted = {
  readonly release: Release;
  readonly desired: Application;
  readonly name: string;
  readonly services: readonly string[];
};

async function ensureRun(deps: Deps, wanted: Wanted): Promise<Result<BuildRun>> {
  const found = await deps.store.builds.get(wanted.name);
  if (!found.ok) return found;
  if (found.value === undefined) {
    const created = await createRun(deps, wanted);
    if (!created.ok) return created;
  } else if (found.value.status.release === wanted.release.name) return ok(found.value);
  return deps.store.builds.updateStatus(wanted.name, (current) => asked(current, wanted.release));
}

async function createRun(deps: Deps, wanted: Wanted): Promise<Result<unknown>> {
  const { release, desired, name } = wanted;
  const { application, applicationId, origin } = release.spec;
  const known = cachedApplication(deps, application);
  if (!known.ok) return known;
  const { project, environment, name: slug } = known.value.spec;
  const commit = origin.commit ?? '';
  const targets = targetsOf(deps, desired, { key: { project, environment, name: slug }, commit });
  const target = targets.find(({ services }) => services.some((service) => wanted.services.includes(service)));
  if (target === undefined)
    return fail(problem('build_registry_required', undefined, { at: `services.${wanted.services[0]}.build` }));
  const created = await deps.store.builds.create({
    name,
    spec: {
      application,
      applicationId,
      source: origin.source ?? known.value.spec.preview?.source ?? '',
      service: target.services[0],
      commit,
      revision: target.revision,
      build: { ...target.build, build_args: { ...target.build.build_args } },
      repository: target.repository,
      tag: target.tag,
    },
  });
  return !created.ok && created.problem.code === 'already_exists' ? ok(undefined) : created;
}

/** The status of a run that this release asks for; `undefined` when a newer one did already. */
function asked(current: BuildRun, release: Release): BuildRun['status'] | undefined {
  const { status } = current;
  if (status.release !== undefined && revisionOf(status.release) >= release.spec.revision) return undefined;
  if (status.state === 'failed' || status.state === 'cancelled')
    return { state: 'queued', release: release.name, ...(status.fence === undefined ? {} : { fence: status.fence }) };
  return { ...status, state: status.state ?? 'queued', release: release.name };
}

/** A release's name ends with its revision. */
function revisionOf(releaseName: string): number {
  return Number.parseInt(releaseName.slice(releaseName.lastIndexOf('.') + 1), 10);
}

/** Deletes ended builds of an application that no release on record runs or waits for. `releases` are those that stay. */
export async function pruneBuilds(
  deps: Deps,
  application: string,
  releases: readonly Release[],
): Promise<Result<void>> {
  const listed = await deps.store.builds.ofApplication(application);
  if (!listed.ok) return listed;
  const inUse = new Set(releases.flatMap((release) => Object.values(release.spec.builds ?? {})));
  for (const run of listed.value) {
    if (inUse.has(run.name) || !isBuildEnded(run)) continue;
    const deleted = await deps.store.builds.delete(run.name, run.uid);
    if (!deleted.ok) return deleted;
  }
  return ok(undefined);
}
