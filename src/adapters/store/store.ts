import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type Application,
  type Cluster,
  type GitRepository,
  type GitSource,
  GROUP_VERSION,
  type Log,
  type Release,
  type ReleaseCollection,
  type Store,
} from '../../ports/index.ts';
import { createCollection } from './collection.ts';
import { APPLICATION, RELEASE, REPOSITORY, SOURCE } from './decode.ts';
import { objectsOf } from './objects.ts';
import { createSourceIndex } from './source-index.ts';

export type StoreOptions = { readonly cluster: Cluster; readonly namespace: string; readonly log: Log };

/**
 * The custom resources of one control namespace. Writes and `get` work at once; `cached`, `all` and `sourcesOf` are empty until
 * `start` has resolved. `start` rejects only when its signal aborts.
 */
export function createStore(options: StoreOptions): Store {
  const index = createSourceIndex();
  const repositories = createCollection<GitRepository>({ ...options, codec: REPOSITORY });
  const sources = createCollection<GitSource>({ ...options, codec: SOURCE, index: index.change });
  const applications = createCollection<Application>({ ...options, codec: APPLICATION, guard: keepFence });
  const collections = [repositories, sources, applications];
  return {
    repositories,
    sources,
    applications,
    releases: releasesOf(options),
    sourcesOf: index.sourcesOf,
    repositoryRefs: index.repositoryRefs,
    start: async (signal) => {
      await Promise.all(collections.map((collection) => collection.start().whenSynced(signal)));
    },
    stop: async () => {
      await Promise.all(collections.map((collection) => collection.stop()));
    },
  };
}

/** What the rule in the CRD enforces, answered in our words; a status that says nothing of the fence keeps it. */
function keepFence(current: Application, next: Application['status']): Result<Application['status']> {
  const { fence } = current.status;
  if (fence === undefined) return ok(next);
  if (next.fence === undefined) return ok({ ...next, fence });
  return next.fence < fence ? fail(problem('lease_lost')) : ok(next);
}

function releasesOf(options: StoreOptions): ReleaseCollection {
  const { cluster, namespace, log } = options;
  const { get, create, updateStatus, delete: remove } = objectsOf<Release>({ cluster, namespace, codec: RELEASE });
  return {
    get,
    create,
    updateStatus,
    delete: remove,
    ofApplication: async (application) => {
      const fieldSelector = `spec.application=${escaped(application)}`;
      const listed = await cluster.list({ apiVersion: GROUP_VERSION, kind: RELEASE.kind, namespace, fieldSelector });
      if (!listed.ok) return listed;
      const releases = listed.value.flatMap((object) => {
        const decoded = RELEASE.decode(object);
        if (decoded.ok) return [decoded.value];
        log.warn('object skipped', { code: decoded.problem.code, cause: decoded.problem.cause });
        return [];
      });
      return ok(releases.sort((a, b) => b.spec.revision - a.spec.revision));
    },
  };
}

/** The characters that mean something in a field selector. */
function escaped(value: string): string {
  return value.replace(/[\\,=]/g, (c) => `\\${c}`);
}
