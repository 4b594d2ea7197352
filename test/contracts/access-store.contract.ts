import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type AccessStore, createAccessStore, ensureCrds } from '../../src/adapters/store/index.ts';
import { createRandom } from '../../src/adapters/system/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import { type AuditEvent, GROUP_VERSION, type KeyRecord } from '../../src/ports/index.ts';
import { type ClusterUnderTest, eventually, memoryLog, realClock } from '../support/kubernetes.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

const HEX = (n: number): string => n.toString(16).padStart(32, '0');

export function newKey(n: number, change: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: HEX(n),
    digest: 'd'.repeat(64),
    identity: 'ada',
    name: `key ${n}`,
    kind: 'machine',
    permissions: ['deployments:write'],
    scope: { project: 'acme', environment: 'production' },
    createdAt: '2026-06-01T00:00:00.000Z',
    createdBy: 'admin',
    expiresAt: '2026-07-01T00:00:00.000Z',
    ...change,
  };
}

function event(n: number, change: Partial<AuditEvent> = {}): AuditEvent {
  const time = new Date(Date.parse('2026-06-01T00:00:00Z') + n * 1000).toISOString();
  return {
    time,
    identity: 'ada',
    origin: 'api',
    action: 'key.create',
    resource: { kind: 'key', name: `${n}` },
    ...change,
  };
}

function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}

/** What the store of people and programs promises over any cluster. */
export function describeAccessStoreContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`access store contract: ${name}`, () => {
    let under: ClusterUnderTest;
    let store: AccessStore;
    let other: AccessStore;
    const log = memoryLog();
    const lines: string[] = [];
    const open = (): AccessStore =>
      createAccessStore({
        cluster: under.cluster,
        namespace: under.namespace,
        clock: realClock,
        random: createRandom(),
        log,
        auditLine: (line) => lines.push(line),
      });
    beforeAll(async () => {
      under = await factory();
      must(await ensureCrds(under.cluster, realClock));
      store = open();
      other = open();
      expect(store.keys.ready).toBe(false);
      await Promise.all([store.start(), other.start()]);
      expect(store.keys.ready).toBe(true);
    });
    afterAll(async () => {
      await Promise.all([store.stop(), other.stop()]);
      await under.close();
    });
    const secret = (secretName: string) =>
      under.cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: under.namespace, name: secretName });

    test('keeps a key, shows it to its own process at once and to the others soon', async () => {
      const key = newKey(1, { exchangedFrom: HEX(9) });
      expect(must(await store.keys.create(key))).toEqual(key);
      expect(store.keys.find(key.id)).toEqual(key);
      expect(store.keys.all()).toContainEqual(key);
      expect(codeOf(await other.keys.create(key))).toBe('already_exists');
      await eventually(() => other.keys.find(key.id) !== undefined);
      expect(other.keys.find(key.id)).toEqual(key);
      const stored = must(await secret(`key-${key.id}`))!;
      expect(stored.metadata.labels).toMatchObject({ 'hakopod.io/api-key': 'true' });
      expect(store.keys.find(HEX(2))).toBeUndefined();
    });

    test('changes a key by compare-and-set, and tells whoever listens', async () => {
      const key = must(await store.keys.create(newKey(3)));
      const told: string[] = [];
      const off = other.keys.onChange((id) => told.push(id));
      const revokedAt = '2026-06-02T00:00:00.000Z';
      expect(must(await store.keys.change(key.id, () => ({ revokedAt })))).toEqual({ ...key, revokedAt });
      expect(store.keys.find(key.id)?.revokedAt).toBe(revokedAt);
      await eventually(() => other.keys.find(key.id)?.revokedAt === revokedAt);
      expect(told).toContain(key.id);
      off();
      expect(must(await store.keys.change(key.id, () => undefined)).revokedAt).toBe(revokedAt);
      expect(codeOf(await store.keys.change(HEX(4), () => ({ revokedAt })))).toBe('not_found');
      expect(codeOf(await store.keys.change('../hakopod-redis', () => ({ revokedAt })))).toBe('not_found');
    });

    test('notes a use without touching the rest, also when another process revokes at once', async () => {
      const key = must(await store.keys.create(newKey(5)));
      const at = new Date('2026-06-03T00:00:00.000Z');
      const revokedAt = '2026-06-03T00:00:01.000Z';
      await eventually(() => other.keys.find(key.id) !== undefined);
      const both = await Promise.all([store.keys.touch(key.id, at), other.keys.change(key.id, () => ({ revokedAt }))]);
      for (const done of both) must<unknown>(done);
      await eventually(() => store.keys.find(key.id)?.revokedAt === revokedAt);
      expect(store.keys.find(key.id)).toEqual({ ...key, revokedAt, lastUsedAt: at.toISOString() });
    });

    test('forgets a removed key, and never takes a Secret that is no key for one', async () => {
      const key = must(await store.keys.create(newKey(6)));
      await eventually(() => other.keys.find(key.id) !== undefined);
      must(await store.keys.remove(key.id));
      must(await store.keys.remove(key.id));
      expect(store.keys.find(key.id)).toBeUndefined();
      await eventually(() => other.keys.find(key.id) === undefined);
      const { id, digest, ...rest } = newKey(7);
      const forge = (secretName: string, data: Record<string, string>) =>
        under.cluster.create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: secretName, namespace: under.namespace, labels: { 'hakopod.io/api-key': 'true' } },
          data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
        });
      must(await forge(`key-${HEX(8)}`, { digest, key: JSON.stringify({ id, ...rest }) }));
      must(await forge('key-odd', { digest: 'x', key: '{' }));
      must(await store.keys.create(newKey(10)));
      await eventually(() => other.keys.find(HEX(10)) !== undefined);
      expect([store.keys.find(HEX(8)), store.keys.find(id), store.keys.find('odd')]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(log.lines.some(({ message }) => message === 'a Secret labelled as an API key is none')).toBe(true);
    });

    test('lets one of two processes make the first key', async () => {
      expect(must(await store.firstKey.read())).toBeUndefined();
      const raw = (digit: string): string => `hp_${HEX(1)}_${digit.repeat(64)}`;
      const made = await Promise.all([store.firstKey.create(raw('a')), other.firstKey.create(raw('b'))]);
      expect(made.map(codeOf).sort()).toEqual(['already_exists', 'ok']);
      expect([raw('a'), raw('b')]).toContain(must(await other.firstKey.read()));
    });

    test('keeps projects, identities and roles, and shows own writes at once', async () => {
      const createdAt = '2026-06-01T00:00:00.000Z';
      const project = must(
        await store.projects.create({ name: 'acme', spec: { environments: [{ name: 'p', createdAt }] } }),
      );
      expect(store.projects.cached('acme')).toEqual(project);
      must(await store.projects.update('acme', ({ spec }) => ({ spec: { ...spec, displayName: 'Acme' } })));
      expect(store.projects.cached('acme')).toMatchObject({ generation: 2, spec: { displayName: 'Acme' } });
      must(await store.projects.delete('acme', project.uid));
      expect(store.projects.cached('acme')).toBeUndefined();
      const identity = {
        kind: 'person' as const,
        permissions: [],
        scope: {},
        bindings: [{ project: 'acme', role: 'viewer' }],
      };
      must(await store.identities.create({ name: 'ada', spec: identity }));
      must(await store.roles.create({ name: 'ops', spec: { permissions: ['logs:read'] } }));
      await eventually(() => other.identities.cached('ada') !== undefined && other.roles.cached('ops') !== undefined);
      expect(other.identities.cached('ada')?.spec).toEqual(identity);
    });

    test('keeps a setting under its revision: of two changes with one expectation one wins', async () => {
      const at = new Date('2026-06-01T00:00:00Z');
      expect(must(await store.settings.read('kubernetesPatches'))).toEqual({ value: { enabled: false }, revision: 0 });
      expect(store.settings.cached('kubernetesPatches').revision).toBe(0);
      const write = (who: AccessStore, by: string) =>
        who.settings.write('kubernetesPatches', { value: { enabled: true }, expected: 0, by, at });
      const both = await Promise.all([write(store, 'ada'), write(other, 'bob')]);
      expect(both.map(codeOf).sort()).toEqual(['conflict', 'ok']);
      const now = must(await store.settings.read('kubernetesPatches'));
      expect(now).toMatchObject({ value: { enabled: true }, revision: 1, updatedAt: at.toISOString() });
      await eventually(() => other.settings.cached('kubernetesPatches').value.enabled);
    });

    test('keeps registry credentials, and gives the password to a pull alone', async () => {
      const scope = { project: 'acme', environment: 'production' };
      const value = { server: 'registry.example.com', username: 'robot', password: 'pässword' };
      const made = must(await store.registries.create(scope, 'main', value));
      expect(made).toMatchObject({ ...scope, name: 'main', server: value.server, username: 'robot' });
      expect(codeOf(await store.registries.create(scope, 'main', value))).toBe('already_exists');
      must(await store.registries.create(scope, 'alpha', { ...value, server: 'ghcr.io' }));
      must(await store.registries.create({ ...scope, environment: 'staging' }, 'main', value));
      const listed = must(await store.registries.list(scope));
      expect(listed.map((entry) => entry.name)).toEqual(['alpha', 'main']);
      expect(JSON.stringify(listed)).not.toContain(value.password);
      must(await store.registries.replace(scope, 'main', { ...value, password: 'next' }));
      expect(codeOf(await store.registries.replace(scope, 'none', value))).toBe('not_found');
      expect(must(await store.registries.credentials(scope)).map(({ name: n, password }) => [n, password])).toEqual([
        ['alpha', value.password],
        ['main', 'next'],
      ]);
      expect(must(await store.registries.remove(scope, 'main'))).toBe(true);
      expect(must(await store.registries.remove(scope, 'main'))).toBe(false);
    });

    test('lists changes newest first, page by page, filtered, and prints each as a line', async () => {
      for (let n = 0; n < 6; n += 1)
        await store.audit.append(
          event(n, n % 2 === 0 ? { identity: 'bob', resource: { kind: 'key', project: 'acme', name: `${n}` } } : {}),
        );
      const names = async (...args: Parameters<AccessStore['audit']['page']>): Promise<(string | undefined)[]> =>
        must(await other.audit.page(...args)).map(({ resource }) => resource.name);
      expect(await names({}, { limit: 100 })).toEqual(['5', '4', '3', '2', '1', '0']);
      const [, second] = must(await other.audit.page({}, { limit: 2 }));
      expect(await names({}, { after: second!.id, limit: 2 })).toEqual(['3', '2']);
      expect(await names({ identity: 'bob' }, { limit: 100 })).toEqual(['4', '2', '0']);
      expect(await names({ project: 'acme' }, { limit: 1 })).toEqual(['4']);
      expect(await names({ action: 'key.revoke' }, { limit: 1 })).toEqual([]);
      expect(await names({ since: event(2).time, until: event(4).time }, { limit: 100 })).toEqual(['3', '2']);
      expect(lines.map((line) => JSON.parse(line).audit.resource.name)).toEqual(['0', '1', '2', '3', '4', '5']);
    });

    test('keeps two events of one millisecond in order, and none of them can be changed', async () => {
      const time = '2026-06-02T00:00:00.000Z';
      for (const n of [1, 2, 3]) await store.audit.append(event(n, { time, action: 'same.time' }));
      await eventually(async () => must(await store.audit.page({ action: 'same.time' }, { limit: 9 })).length === 3);
      const found = must(await store.audit.page({ action: 'same.time' }, { limit: 9 }));
      expect(found.map(({ resource }) => resource.name)).toEqual(['3', '2', '1']);
      const ref = { apiVersion: GROUP_VERSION, kind: 'AuditRecord', namespace: under.namespace, name: found[0]!.id };
      expect(codeOf(await under.cluster.mergePatch(ref, { spec: { identity: 'eve' } }))).toBe('invalid_object');
    });

    test('forgets by age and by number', async () => {
      const since = new Date(event(2).time);
      expect(must(await store.audit.prune({ records: 100, since }))).toBe(2);
      expect(must(await store.audit.prune({ records: 3, since }))).toBe(4);
      await eventually(async () => must(await other.audit.page({}, { limit: 100 })).length === 3);
      expect(must(await store.audit.prune({ records: 3, since }))).toBe(0);
    });
  });
}
