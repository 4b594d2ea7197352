import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type Application,
  type BuildRun,
  type BuildRunCollection,
  type Cluster,
  type DomainClaim,
  type DomainClaimCollection,
  type GitRepository,
  type GitSource,
  GROUP_VERSION,
  type Log,
  type PullRequestPlan,
  type Release,
  type ReleaseCollection,
  type Resource,
  type Store,
} from '../../ports/index.ts';
import { createCollection } from './collection.ts';
import {
  APPLICATION,
  BUILD_RUN,
  DOMAIN_CLAIM,
  decodeOrSkip,
  type KindCodec,
  PLAN,
  RELEASE,
  REPOSITORY,
  SOURCE,
} from './decode.ts';
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
  const plans = createCollection<PullRequestPlan>({ ...options, codec: PLAN });
  const collections = [repositories, sources, applications, plans];
  return {
    repositories,
    sources,
    applications,
    plans,
    releases: releasesOf(options),
    builds: buildsOf(options),
    domains: domainsOf(options),
    sourcesOf: index.sourcesOf,
    repositoryRefs: index.repositoryRefs,
    previewsOf: async (project) => {
      const { cluster, namespace, log } = options;
      const fieldSelector = `spec.project=${escaped(project)},spec.preview.source!=`;
      const listed = await cluster.list({
        apiVersion: GROUP_VERSION,
        kind: APPLICATION.kind,
        namespace,
        fieldSelector,
      });
      if (!listed.ok) return listed;
      return ok(listed.value.flatMap((object) => decodeOrSkip(APPLICATION, object, log) ?? []));
    },
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
  const { ofApplication, withField, update: _, ...objects } = ofApplications<Release>(options, RELEASE);
  return {
    ...objects,
    ofApplication: async (application) => {
      const listed = await ofApplication(application);
      return listed.ok ? ok([...listed.value].sort((a, b) => b.spec.revision - a.spec.revision)) : listed;
    },
    byIdempotency: async (digest) => {
      const listed = await withField('spec.idempotency', digest);
      return listed.ok ? ok(listed.value[0]) : listed;
    },
    watch: (name, listener) => {
      const { cluster, namespace } = options;
      const fieldSelector = `metadata.name=${escaped(name)}`;
      const cache = cluster.cache({ apiVersion: GROUP_VERSION, kind: RELEASE.kind, namespace, fieldSelector });
      const take = (object: Manifest): void => {
        const decoded = RELEASE.decode(object);
        if (decoded.ok) listener(decoded.value);
      };
      for (const object of cache.items()) take(object);
      cache.onChange(({ type, object }) => {
        if (type !== 'deleted') take(object);
      });
      return () => void cache.stop();
    },
  };
}

function buildsOf(options: StoreOptions): BuildRunCollection {
  const { ofApplication, withField: _, update: __, ...objects } = ofApplications<BuildRun>(options, BUILD_RUN);
  return {
    ...objects,
    ofApplication: async (application) => {
      const listed = await ofApplication(application);
      const newestFirst = (a: BuildRun, b: BuildRun): number => (a.createdAt < b.createdAt ? 1 : -1);
      return listed.ok ? ok([...listed.value].sort(newestFirst)) : listed;
    },
  };
}

function domainsOf(options: StoreOptions): DomainClaimCollection {
  const { cluster, namespace } = options;
  const { ofApplication, get, create, update, updateStatus } = ofApplications<DomainClaim>(options, DOMAIN_CLAIM);
  return {
    get,
    create,
    update,
    updateStatus,
    ofApplication: async (application) => {
      const listed = await ofApplication(application);
      return listed.ok ? ok([...listed.value].sort((a, b) => (a.name < b.name ? -1 : 1))) : listed;
    },
    release: ({ name, uid, resourceVersion }) => {
      const ref = { apiVersion: GROUP_VERSION, kind: DOMAIN_CLAIM.kind, namespace, name };
      return cluster.delete(ref, { uid, resourceVersion, propagation: 'Background' });
    },
  };
}

/** Objects that belong to an application by `spec.application`, listed at the API server and never cached. */
function ofApplications<R extends Resource<unknown, unknown>>(options: StoreOptions, codec: KindCodec<R>) {
  const { cluster, namespace, log } = options;
  const { get, create, update, updateStatus, delete: remove } = objectsOf<R>({ cluster, namespace, codec });
  const withField = async (field: string, value: string): Promise<Result<readonly R[]>> => {
    const fieldSelector = `${field}=${escaped(value)}`;
    const listed = await cluster.list({ apiVersion: GROUP_VERSION, kind: codec.kind, namespace, fieldSelector });
    if (!listed.ok) return listed;
    return ok(listed.value.flatMap((object) => decodeOrSkip(codec, object, log) ?? []));
  };
  return {
    get,
    create,
    update,
    updateStatus,
    delete: remove,
    withField,
    ofApplication: (application: string) => withField('spec.application', application),
  };
}

/** The characters that mean something in a field selector. */
function escaped(value: string): string {
  return value.replace(/[\\,=]/g, (c) => `\\${c}`);
}
