import { type ApplicationKey, applicationName, sha256 } from '../kernel/index.ts';
import type { Application, Build } from '../spec/index.ts';
import { configurationRevision } from './revision.ts';

/** One image an application needs at a commit. */
export type BuildTarget = {
  /** Name of the BuildRun: the same for the same commit, configuration and place. */
  readonly run: string;
  /** All services that run this image, sorted; the first one names it. */
  readonly services: readonly [string, ...string[]];
  readonly revision: string;
  readonly build: Build;
  /** Where the image is pushed, without a tag. */
  readonly repository: string;
  readonly tag: string;
};

/** Where builds of this installation go: `registry.example.com`, `registry.example.com:5000/team`; no scheme. */
export type BuildPlace = { readonly key: ApplicationKey; readonly commit: string; readonly registry: string };

/**
 * The images an application needs, one per build table: services with equal tables share theirs. Sorted by service; empty when nothing is
 * built.
 */
export function buildsOf(application: Application, place: BuildPlace): readonly BuildTarget[] {
  const byRevision = new Map<string, { readonly build: Build; readonly services: string[] }>();
  for (const service of Object.keys(application.services).sort()) {
    const build = application.services[service]?.build;
    if (build === undefined) continue;
    const revision = configurationRevision(build);
    const same = byRevision.get(revision);
    if (same === undefined) byRevision.set(revision, { build, services: [service] });
    else same.services.push(service);
  }
  return [...byRevision].map(([revision, { build, services }]): BuildTarget => {
    const [first = '', ...others] = services;
    const repository = imageName(place.registry, place.key, first);
    return {
      run: buildRunName(place, { revision, repository }),
      services: [first, ...others],
      revision,
      build,
      repository,
      tag: `${place.commit.slice(0, 12)}-${hexOf(revision).slice(0, 12)}`,
    };
  });
}

/**
 * `<registry>/<project>-<environment>-<application>-<service>`. Slugs may hold hyphens, so two applications could meet in one name; 8
 * digits of a hash of the parts keep them apart.
 */
export function imageName(registry: string, key: ApplicationKey, service: string): string {
  const parts = [key.project, key.environment, key.name, service];
  return `${registry}/${parts.join('-')}-${sha256(parts.join('/')).slice(0, 8)}`;
}

/** `<application>.<16 digits of the commit>.<16 digits of configuration and place>`: at most 156 characters. */
export function buildRunName(
  place: BuildPlace,
  build: { readonly revision: string; readonly repository: string },
): string {
  const configuration = sha256(`${build.revision} ${build.repository}`).slice(0, 16);
  return `${applicationName(place.key)}.${place.commit.slice(0, 16)}.${configuration}`;
}

/** The paths whose change means another image: contexts and Dockerfiles, sorted, each once. `.` is the whole repository. */
export function watchedPaths(application: Application): readonly string[] {
  const builds = Object.values(application.services).flatMap(({ build }) => (build === undefined ? [] : [build]));
  return [...new Set(builds.flatMap(({ context, dockerfile }) => [context, dockerfile]))].sort();
}

function hexOf(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}
