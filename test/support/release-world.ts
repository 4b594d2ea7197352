import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/adapters/embedded/index.ts';
import { connect, createCluster, createClusterCapacity, createLeases } from '../../src/adapters/kubernetes/index.ts';
import { createLog } from '../../src/adapters/log/index.ts';
import { createSecretStore, createStore, ensureCrds, transitionRules } from '../../src/adapters/store/index.ts';
import { createRandom, createSystemClock } from '../../src/adapters/system/index.ts';
import { defaultGrant } from '../../src/grant/index.ts';
import { ok, type RefName, type RepoPath, type Result } from '../../src/kernel/index.ts';
import { type Deps, reconcile } from '../../src/pipeline/index.ts';
import { packSpec } from '../../src/pipeline/release-body.ts';
import type { Cluster, Job, Release } from '../../src/ports/index.ts';
import { parseSpec, specDigest } from '../../src/spec/index.ts';
import { memory } from './memory.ts';
import { until } from './world.ts';

export const APP = 'acme.production.shop';
export const NAMESPACE = `hp-${'1'.repeat(32)}`;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const KEY = { project: 'acme', environment: 'production', name: 'shop' };

/** The reconcile shell on the embedded cluster, with the rest of the world in memory. */
export type ReleaseWorld = {
  readonly embedded: EmbeddedCluster;
  readonly cluster: Cluster;
  readonly deps: Deps;
  readonly jobs: Job[];
  /** Accepts a file as the next revision, as `plan` would; answers the release's name. */
  accept(
    toml: string,
    options?: {
      readonly commit?: string;
      readonly api?: boolean | { readonly identity: string; readonly key: string };
      readonly images?: Readonly<Record<string, string>>;
    },
  ): Promise<string>;
  run(signal?: AbortSignal): Promise<Result<void>>;
  release(name: string): Promise<Release>;
  /** What the ledger says of the release's commit. */
  said(name: string): Promise<string | undefined>;
  stop(): Promise<void>;
};

/** `through` puts something between the worker and the API server: it takes the server's kubeconfig and answers another. */
export async function startReleaseWorld(
  options: { readonly through?: (kubeconfig: string) => Promise<string>; readonly leaseMs?: number } = {},
): Promise<ReleaseWorld> {
  const embedded = await startEmbeddedCluster({ validators: transitionRules() });
  const kubeconfigText = (await options.through?.(embedded.kubeconfig)) ?? embedded.kubeconfig;
  const connection = connect({ kubeconfigText });
  if (!connection.ok) throw new Error(connection.problem.message);
  const clock = createSystemClock();
  const log = createLog('silent');
  const cluster = createCluster(connection.value, { clock, log, userAgent: 'hakopod-test' });
  const crds = await ensureCrds(cluster, clock);
  if (!crds.ok) throw new Error(crds.problem.message);
  const namespace = 'hakopod-system';
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const store = createStore({ cluster, namespace, log });
  await store.start();
  const inMemory = await memory();
  const random = createRandom();
  const deps: Deps = {
    ...inMemory.deps,
    store,
    cluster,
    capacity: createClusterCapacity(connection.value, {
      ...{ cluster, clock, userAgent: 'hakopod-test', keepMs: 0, keepDisksMs: 0 },
    }),
    clock,
    random,
    log,
    leases: createLeases(cluster, {
      namespace,
      holder: `test-${random.hex(4)}`,
      clock,
      log,
      durationMs: options.leaseMs ?? 2000,
    }),
    secrets: createSecretStore({ cluster, namespace, clock }),
    images: { resolve: async (image) => ok({ image: `${image.replace(/:[^:/]*$/, '')}@${DIGEST}` }) },
  };
  const id = '1'.repeat(32);
  const grant = defaultGrant({
    ref: 'refs/heads/main' as RefName,
    path: 'hakopod.toml' as RepoPath,
    application: KEY,
    owner: 'ada',
    now: clock.now(),
  });
  await store.applications.create({ name: APP, spec: { id, ...KEY } });
  await store.sources.create({
    name: APP,
    spec: { repository: 'github-1', ref: 'refs/heads/main', path: 'hakopod.toml', application: KEY, grant },
  });
  await until(
    'the caches know',
    () => store.applications.cached(APP) !== undefined && store.sources.cached(APP) !== undefined,
  );
  let revision = 0;
  const commits = new Map<string, string>();
  const commitOf = (name: string): string => commits.get(name) ?? '';
  return {
    embedded,
    cluster,
    deps,
    jobs: inMemory.jobs,
    accept: async (toml, { commit, api = false, images } = {}) => {
      const parsed = parseSpec(toml);
      if (!parsed.ok) throw new Error(parsed.problems.map((p) => `${p.at}: ${p.message}`).join('; '));
      revision += 1;
      const name = `${APP}.${revision}`;
      commits.set(name, commit ?? String(revision).padStart(40, '0'));
      const origin = api
        ? { kind: 'api' as const, actor: 'local', identity: 'local', ...(typeof api === 'object' ? api : {}) }
        : {
            kind: 'git' as const,
            actor: 'ada',
            source: APP,
            ref: 'refs/heads/main',
            commit: commitOf(name),
            grantRevision: 1,
          };
      const created = await store.releases.create({
        name,
        spec: {
          application: APP,
          applicationId: id,
          revision,
          specDigest: specDigest(parsed.application),
          spec: packSpec(parsed.application),
          origin,
          ...(images === undefined ? {} : { images: { ...images } }),
        },
      });
      if (!created.ok) throw new Error(created.problem.message);
      const accepted = revision;
      await store.applications.updateStatus(APP, (current) => ({
        ...current.status,
        acceptedRevision: accepted,
        ...(api ? {} : { gitRevision: accepted }),
        phase: 'queued',
      }));
      if (api !== false) {
        await until(
          'the cache knows the release',
          () => store.applications.cached(APP)?.status.acceptedRevision === accepted,
        );
        return name;
      }
      await store.sources.updateStatus(APP, (current) => ({
        ...current.status,
        reports: [
          ...(current.status.reports ?? []).filter((report) => report.commit !== commitOf(name)),
          {
            commit: commitOf(name),
            desired: { outcome: 'pending', description: 'deploying' },
            at: clock.now().toISOString(),
          },
        ],
      }));
      await until(
        'the caches know the release',
        () =>
          store.applications.cached(APP)?.status.acceptedRevision === accepted &&
          store.sources.cached(APP)?.status.reports?.some((report) => report.commit === commitOf(name)) === true,
      );
      return name;
    },
    run: (signal = new AbortController().signal) => reconcile(deps, { application: APP }, { signal }),
    release: async (name) => {
      const read = await store.releases.get(name);
      if (!read.ok || read.value === undefined) throw new Error(`no release ${name}`);
      return read.value;
    },
    said: async (name) => {
      const read = await store.sources.get(APP);
      const report = read.ok ? read.value?.status.reports?.find((entry) => entry.commit === commitOf(name)) : undefined;
      return report === undefined ? undefined : `${report.desired.outcome}: ${report.desired.description}`;
    },
    stop: async () => {
      await store.stop();
      await connection.value.close();
      await embedded.stop();
    },
  };
}
