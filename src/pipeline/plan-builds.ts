import { buildsOf, watchedPaths } from '../build/index.ts';
import {
  type ApplicationKey,
  commitSha,
  ok,
  type Problem,
  problem,
  type RepoPath,
  type Result,
  releaseName,
  repoPath,
} from '../kernel/index.ts';
import type { GitSource, Job, Release } from '../ports/index.ts';
import type { Application } from '../spec/index.ts';
import { buildNames, ensureBuilds } from './builds.ts';
import type { Deps, Run } from './context.ts';
import { unpackSpec } from './release-body.ts';
import { remoteOf } from './remote.ts';

/** Why this installation can not build what the file asks for. */
export function buildRefusals(deps: Pick<Deps, 'options'>, application: Application): readonly Problem[] {
  const [built] = Object.entries(application.services).filter(([, service]) => service.build !== undefined);
  return built === undefined || deps.options.buildRegistry !== undefined
    ? []
    : [problem('build_registry_required', undefined, { at: `services.${built[0]}.build` })];
}

/** `spec.builds` of a release to accept; nothing when nothing is built. */
export function acceptedBuilds(
  deps: Deps,
  application: Application,
  at: { readonly key: ApplicationKey; readonly commit: string },
): { readonly builds?: Record<string, string> } {
  const registry = deps.options.buildRegistry;
  const builds = registry === undefined ? undefined : buildNames(buildsOf(application, { ...at, registry }));
  return builds === undefined ? {} : { builds: { ...builds } };
}

/**
 * Whether what a release built is the same at another commit: no context and no Dockerfile differs, by Git's own trees. What can not be
 * compared counts as different.
 */
export async function buildsUnchanged(
  deps: Deps,
  input: {
    readonly source: GitSource;
    readonly application: Application;
    readonly release: Release;
    readonly commit: string;
  },
  run: Run,
): Promise<Result<boolean>> {
  const watched = watchedPaths(input.application);
  const { commit: base } = input.release.spec.origin;
  if (watched.length === 0 || base === input.commit) return ok(true);
  const paths = watched.map((path) => repoPath(path));
  const commits = [commitSha(base ?? ''), commitSha(input.commit)] as const;
  const repository = deps.store.repositories.cached(input.source.spec.repository);
  // The whole repository is a context: another commit is another context.
  if (watched.includes('.') || !commits[0].ok || !commits[1].ok || repository === undefined) return ok(false);
  const remote = await remoteOf(repository, deps);
  if (!remote.ok) return remote;
  const changed = await deps.git.changedPaths({
    remote: remote.value,
    base: commits[0].value,
    head: commits[1].value,
    paths: paths.flatMap((path): RepoPath[] => (path.ok ? [path.value] : [])),
    signal: run.signal,
  });
  return changed.ok ? ok(changed.value?.size === 0) : changed;
}

/** What follows from an accepted release: its builds, or at once its reconcile when it has none left to do. */
export async function jobsAfterAcceptance(
  deps: Deps,
  application: string,
  revision: number,
): Promise<Result<readonly Job[]>> {
  const reconcile: Job = { queue: 'reconcile', application };
  const release = await deps.store.releases.get(releaseName(application, revision));
  if (!release.ok) return release;
  if (release.value?.spec.builds === undefined) return ok([reconcile]);
  const desired = unpackSpec(release.value.spec.spec);
  if (!desired.ok) return ok([reconcile]);
  const builds = await ensureBuilds(deps, release.value, desired.value);
  if (!builds.ok) return builds;
  const { unfinished } = builds.value;
  return ok(unfinished.length === 0 ? [reconcile] : unfinished.map((build): Job => ({ queue: 'build', build })));
}
