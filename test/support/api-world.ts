import { LOCAL, type Permission, type Principal, type Scope } from '../../src/access/index.ts';
import { checkRemoteUrl } from '../../src/adapters/git/index.ts';
import { fail, type Manifest, ok, problem, type Result, secretScope } from '../../src/kernel/index.ts';
import {
  createOperations,
  createRunKeeper,
  followReleases,
  type RunKeeper,
} from '../../src/pipeline/operations/index.ts';
import { createAuthenticator } from '../../src/pipeline/operations/people/index.ts';
import type { ClusterRunAnswer, Operations } from '../../src/ports/api/index.ts';
import type { CredentialStore, ListQuery, SecretStore } from '../../src/ports/index.ts';
import { certificateName, readCertificate } from '../../src/render/index.ts';
import { API_LIMITS, type Api, createApi } from '../../src/server/api/index.ts';
import { EXAMPLE_CERTIFICATE, EXAMPLE_KEY } from '../../src/server/api/routes/example-certificate.ts';
import { PREVIEW } from '../../src/server/api/routes/examples.ts';
import { renderManifest } from '../../src/wiring/api.ts';
import { type FakeClusterOperations, fakeClusterOperations, podOf } from './fake-cluster-operations.ts';
import { realClock } from './kubernetes.ts';
import { type Memory, memory } from './memory.ts';
import { type MemoryLeases, memoryLeases } from './memory-leases.ts';
import { type MemoryRuns, memoryRuns } from './memory-runs.ts';
import { addPerson, type MemoryPeople } from './people.ts';
import { INFO } from './release-api.ts';

/** The ids that the examples of the routes speak of. */
export const APPLICATION = '0123456789abcdef0123456789abcdef';
const EXPIRES = '2026-12-20T00:00:00.000Z';

/** The API over the real operations and the stores in memory, with everything in it that the routes' examples speak of. */
export type ApiWorld = {
  readonly memory: Memory;
  readonly operations: Operations;
  readonly api: Api;
  /** Hook secrets and credentials by the name of their Secret. */
  readonly kept: Map<string, unknown>;
  readonly clusterOperations: FakeClusterOperations;
  readonly leases: MemoryLeases;
  readonly clusterRuns: MemoryRuns;
  readonly runs: RunKeeper;
  /** Where may be written; a test may say otherwise. */
  readonly namespaces: { granted: readonly string[]; readonly control: string };
  /** Pods of the services, whatever is asked for, and what was asked for. */
  readonly pods: Manifest[];
  readonly listed: ListQuery[];
  /** A person on record and their principal, made by their key. */
  person(input: Person): Promise<Principal>;
  authenticate(header: string | undefined): Promise<Result<Principal>>;
};

export type Person = {
  readonly name: string;
  readonly holds?: readonly Permission[];
  readonly roles?: readonly { readonly project: string; readonly role: string }[];
  readonly key: readonly Permission[];
  readonly scope?: Scope;
  readonly kind?: 'machine' | 'cli';
};

export async function apiWorld(): Promise<ApiWorld> {
  const world = await memory({ publicUrl: 'https://hakopod.example.com' });
  world.now = new Date('2026-11-29T12:00:00Z');
  for (const { items } of [world.applications, world.sources, world.repositories]) items.clear();
  const kept = new Map<string, unknown>();
  const clusterOperations = fakeClusterOperations();
  const pods: Manifest[] = [podOf(APPLICATION, { name: 'web-1' })];
  const listed: ListQuery[] = [];
  let count = 0;
  const hex = (bytes: number): string => {
    count += 1;
    return count.toString(16).padStart(bytes * 2, 'a');
  };
  const leases = memoryLeases();
  const clusterRuns = memoryRuns();
  const namespaces: ApiWorld['namespaces'] = { granted: ['*'], control: 'hakopod-system' };
  const { clock, log } = world.deps;
  const runs = createRunKeeper({ runs: clusterRuns, leases, clock, log, key: 'k' });
  const deps = {
    ...world.deps,
    random: { hex },
    secrets: memorySecrets(world),
    credentials: memoryCredentials(kept),
    limits: { applicationsPerEnvironment: 200, environmentsPerProject: 32 },
    checkUrl: (url: string, local: boolean) => checkRemoteUrl(url, { local }),
    forgeApis: { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' },
    cluster: {
      ...world.deps.cluster,
      list: async (query: ListQuery) => {
        listed.push(query);
        return ok(pods);
      },
    },
    operations: clusterOperations,
    manifest: renderManifest,
    leases,
    runs,
    namespaces,
  };
  const operations = createOperations(deps);
  const authenticate = createAuthenticator(deps);
  const api = createApi({
    operations,
    authenticate,
    follower: followReleases(deps),
    version: '0.0.0',
    // What waits for its reader waits really.
    clock: { now: () => deps.clock.now(), sleep: (ms, signal) => realClock.sleep(ms, signal) },
    random: deps.random,
    log: deps.log,
    limits: API_LIMITS,
    trustedProxies: 0,
    checkAnswers: true,
  });
  const people = world.deps as unknown as MemoryPeople;
  const person = async (input: Person): Promise<Principal> => {
    const { raw } = await addPerson(people, { ...input, expiresAt: EXPIRES });
    return must(await authenticate(`Bearer ${raw}`));
  };
  const made = {
    memory: world,
    operations,
    api,
    kept,
    person,
    authenticate,
    clusterOperations,
    pods,
    listed,
    leases,
    clusterRuns,
    runs,
    namespaces,
  };
  await furnish(made);
  return made;
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.problem.code}: ${result.problem.message}`);
  return result.value;
}

async function furnish(made: ApiWorld): Promise<void> {
  const { memory: world, operations } = made;
  const place = { project: 'acme', environment: 'production' };
  const by = [LOCAL, INFO] as const;
  const projects = [
    ['acme', 'production'],
    ['acme', 'unused'],
    ['empty', 'production'],
  ] as const;
  for (const [name, environment] of projects)
    must(await operations.projects.create(by[0], { name, environment }, by[1]));
  for (const [id, project, scope] of [
    ['123456789', 'acme/shop', place],
    ['42', 'acme/old', place],
  ] as const) {
    const url = `https://github.com/${project}.git`;
    const wanted = {
      provider: 'github',
      url,
      repository_id: id,
      repository: project,
      ...scope,
      token: 'a token',
    } as const;
    must(await operations.repositories.create(by[0], wanted, by[1]));
  }
  await world.applications.create({ name: 'acme.production.shop', spec: { id: APPLICATION, ...place, name: 'shop' } });
  for (const revision of [1, 2, 3]) {
    const spec = { name: 'shop', services: { web: { image: `ghcr.io/acme/shop:1.${revision}`, port: 3000 } } };
    const request = {
      ...place,
      spec,
      expected_revision: revision - 1,
      idempotency_key: `example-key-000${revision + 3}`,
    };
    const release = must(await operations.deployments.create(by[0], request, by[1]));
    await world.releases.updateStatus(release.id, ({ status }) => ({
      ...status,
      ...(revision === 3 ? { state: 'running' } : { state: 'succeeded', finishedAt: world.now.toISOString() }),
      resolved: { web: `ghcr.io/acme/shop@sha256:${'a'.repeat(64)}` },
    }));
  }
  await world.applications.updateStatus('acme.production.shop', ({ status }) => ({
    ...status,
    acceptedRevision: 3,
    revision: 2,
  }));
  const shop = { ...place, application: 'shop' };
  must(await operations.secrets.create(by[0], { ...shop, name: 'database-url', value: 'x' }, by[1]));
  const key = { ...place, name: 'shop' };
  const example = { certificate: EXAMPLE_CERTIFICATE, key: EXAMPLE_KEY };
  const facts = must(readCertificate(example, world.now));
  const name = certificateName(secretScope(key), 'web', facts);
  must(await world.certificates.add(key, { ...facts, name, service: 'web' }, example));
  const [host, pending] = ['shop.example.com', 'console.example.com'] as const;
  for (const one of [host, pending]) {
    const claim = {
      application: 'acme.production.shop',
      applicationId: APPLICATION,
      token: 'e'.repeat(32),
      revision: 3,
    };
    await world.domains.create({ name: one, spec: { host: one, ...claim } });
  }
  world.records.set(`_hakopod-challenge.${host}`, [`hakopod-domain-verification=${'e'.repeat(32)}`]);
  const login = { server: 'packages.example.com', username: 'bot', password: 'x' };
  must(await operations.registries.create(by[0], { ...place, name: 'packages', ...login }, by[1]));
  must(await operations.roles.create(by[0], { name: 'operator', permissions: ['logs:read'] }, by[1]));
  for (const name of ['ana', 'ci'])
    must(await operations.identities.create(by[0], { name, kind: 'machine', ...CI }, by[1]));
  await world.deps.keys.create({
    id: 'fedcba9876543210fedcba9876543210',
    digest: '0'.repeat(64),
    identity: 'ci',
    name: 'an example',
    kind: 'machine',
    permissions: ['deployments:read'],
    scope: place,
    createdAt: world.now.toISOString(),
    createdBy: 'admin',
    expiresAt: EXPIRES,
  });
  // Newest first, as they are kept.
  const arrived = { repository: 'github-123456789', at: world.now.toISOString() };
  world.delivered.push(
    { ...arrived, deliveryId: undefined, verdict: 'refused' },
    { ...arrived, deliveryId: 'delivery-0003', verdict: 'event' },
    { ...arrived, deliveryId: 'delivery-0002', verdict: 'accepted', ref: 'pull-request/7', commit: 'b'.repeat(40) },
    { ...arrived, deliveryId: 'delivery-0001', verdict: 'accepted', ref: 'refs/heads/main', commit: 'a'.repeat(40) },
  );
  await runOnce(made, 'example-run');
}

/** Waits until a run has ended. */
export async function ended(world: ApiWorld, id: string): Promise<ClusterRunAnswer> {
  for (;;) {
    const run = must(await world.operations.cluster.run(LOCAL, { id }, INFO));
    if (run.state === 'ended' && !world.leases.held.has('cluster-runs')) return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A run that has ended, which one of the examples reads. */
async function runOnce(made: ApiWorld, id: string): Promise<void> {
  const deadline = new Date(made.memory.now.getTime() + 600_000).toISOString();
  const begun = await made.runs.begin({
    spec: { id, kind: 'remove', namespace: 'shop', name: 'shop', deadline, identity: 'local' },
    asked: id,
    execute: async () => ({ outcome: 'succeeded', steps: [], services: [] }),
    onRecord: async () => undefined,
  });
  must(begun);
  await ended(made, id);
}

const CI = { permissions: ['deployments:read', 'deployments:write'] as Permission[], project: 'acme' };

/** Binds the example's source; not part of every world, as an application that has one can not be removed. */
export async function withSource({ memory: world, operations }: ApiWorld): Promise<void> {
  const source = {
    project: 'acme',
    environment: 'production',
    application: 'shop',
    repository: 'github-123456789',
    ref: 'main',
    path: 'hakopod.toml',
  };
  must(await operations.sources.create(LOCAL, source, INFO));
  await world.plans.create({
    name: 'acme.production.shop.7',
    spec: {
      repository: 'github-123456789',
      source: 'acme.production.shop',
      application: { project: 'acme', environment: 'production', name: 'shop' },
      number: 7,
    },
  });
}

/** The example's preview environment: of request 7 of the example's source, which is there already. */
export async function withPreview({ memory: world }: Pick<ApiWorld, 'memory'>): Promise<void> {
  const name = `acme.production.${PREVIEW}`;
  const source = 'acme.production.shop';
  const expiresAt = new Date(world.now.getTime() + 24 * 3_600_000).toISOString();
  const key = { project: 'acme', environment: 'production', name: PREVIEW };
  // The name follows from this and the request's number.
  const about = { source, sourceUid: '5f3c1b7e-2d4a-4c6b-9e8f-0a1b2c3d4e5f', parent: source };
  const request = { repository: 'github-123456789', number: 7, branch: 'refs/heads/dark-mode' };
  await world.applications.create({
    name,
    spec: { id: 'c'.repeat(32), ...key, preview: { ...about, ...request, expiresAt } },
  });
  const commit = 'b'.repeat(40);
  const url = 'https://web-preview.apps.example.com';
  await world.plans.updateStatus(`${source}.7`, ({ status }) => ({
    ...status,
    head: commit,
    branch: request.branch,
    outcome: 'planned',
    summary: '1 service to change',
    revision: 3,
    grantRevision: 1,
    at: world.now.toISOString(),
    environment: { application: name, state: 'ready', commit, revision: 1, url, urls: { web: url }, expiresAt },
  }));
}

/** From now on the source's plan of this commit waits for an approval. */
export async function withWait({ memory: world }: Pick<ApiWorld, 'memory'>, commit: string): Promise<void> {
  const at = world.now.toISOString();
  await world.sources.updateStatus('acme.production.shop', ({ status }) => ({
    ...status,
    seen: { commit, generation: 1, at },
    planned: { commit, grantRevision: 1, outcome: 'waiting', at },
    waiting: { commit, digest: 'd'.repeat(64), grantRevision: 1, for: 'approval', since: at, lookAt: at },
  }));
}

function memorySecrets(world: Memory): SecretStore {
  const items = new Map<string, string>();
  const at = (): { readonly updatedAt: string } => ({ updatedAt: world.now.toISOString() });
  const keyOf = (key: object, name: string): string => `${JSON.stringify(key)} ${name}`;
  return {
    list: async (key: object) =>
      ok(
        [...items.keys()]
          .filter((id) => id.startsWith(JSON.stringify(key)))
          .map((id) => ({ name: id.split(' ').at(-1) ?? '', ...at() })),
      ),
    create: async (key: object, name: string, value: string) => {
      if (items.has(keyOf(key, name))) return fail(problem('secret_exists'));
      items.set(keyOf(key, name), value);
      return ok(at());
    },
    replace: async (key: object, name: string, value: string) => {
      if (!items.has(keyOf(key, name))) return fail(problem('not_found'));
      items.set(keyOf(key, name), value);
      return ok(at());
    },
    delete: async (key: object, name: string) => ok(items.delete(keyOf(key, name))),
    addImported: async () => ok(undefined),
    missing: async (key: object, names: readonly string[]) => ok(names.filter((name) => !items.has(keyOf(key, name)))),
  } as unknown as SecretStore;
}

export function memoryCredentials(kept: Map<string, unknown>): CredentialStore {
  return {
    forRepository: async (name) => ok(kept.get(name) as { username: string; token: string } | undefined),
    saveCredentials: async (name, value) => ok(void kept.set(name, value)),
    saveApp: async (name, app) => ok(void kept.set(name, app)),
    // A forge knows which refresh token was used before.
    saveOauth: async (name, grant) =>
      grant.refreshToken.includes('used')
        ? fail(problem('oauth_grant_ended', undefined, { at: 'oauth' }))
        : ok(void kept.set(name, grant)),
    hasHookSecret: async (name) => ok(kept.has(name)),
    hookSecret: async (name) => ok(kept.get(name) as { current: string; previous?: string } | undefined),
    dropPreviousHookSecret: async (name, current) => {
      const known = kept.get(name) as { current: string } | undefined;
      return ok(void (known?.current === current && kept.set(name, { current })));
    },
    saveHookSecret: async (name, value) => ok(void kept.set(name, value)),
    remove: async (name) => ok(void kept.delete(name)),
  };
}
