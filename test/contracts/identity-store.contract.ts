import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdentityStore } from '../../src/adapters/kubernetes/operations/identity-store.ts';
import { fail, type Manifest, problem } from '../../src/kernel/index.ts';
import type { Cluster, IdentityStore, InstallationIdentity } from '../../src/ports/index.ts';
import { shows } from '../support/claims.ts';
import type { ClusterUnderTest } from '../support/kubernetes.ts';
import { must } from './cluster.contract.ts';

const ONE: InstallationIdentity = {
  installation: 'a'.repeat(32),
  privateKey: 'b'.repeat(64),
  home: { namespace: 'hakopod-system', uid: 'c' },
  generation: 1,
};
const OTHER = { ...ONE, installation: 'd'.repeat(32) };

/** The behaviour of cluster operations 15. */
export function describeIdentityStoreContract(name: string, factory: () => Promise<ClusterUnderTest>): void {
  describe(`identity store (${name})`, () => {
    let under: ClusterUnderTest;
    let count = 0;
    beforeAll(async () => {
      under = await factory();
    });
    afterAll(() => under.close());

    const fresh = (): string => {
      count += 1;
      return `identity-${count}`;
    };
    const ref = (secret: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: under.namespace, name: secret });
    const open = (
      secret: string,
      cluster: Pick<Cluster, 'get' | 'create' | 'replace'> = under.cluster,
    ): IdentityStore => must(createIdentityStore({ cluster, namespace: under.namespace, name: secret }));
    const read = async (secret: string): Promise<Manifest> => must(await under.cluster.get(ref(secret)))!;
    const code = async (saving: ReturnType<IdentityStore['save']>): Promise<string> => {
      const saved = await saving;
      return saved.ok ? 'ok' : saved.problem.code;
    };

    it(`${shows('identity', 'create', 'update')} creates the Secret, and replaces it as last seen`, async () => {
      const secret = fresh();
      const store = open(secret);
      expect(must(await store.load())).toBeUndefined();
      must(await store.save(ONE));
      must(await store.save({ ...ONE, generation: 2 }));
      // the same generation once more is no step back
      must(await store.save({ ...ONE, generation: 2 }));
      expect(must(await open(secret).load())).toEqual({ ...ONE, generation: 2 });
      const made = await read(secret);
      expect([made.type, made.metadata.labels, Object.keys(made.data as object)]).toEqual([
        'Opaque',
        { 'app.kubernetes.io/name': 'hakopod', 'app.kubernetes.io/managed-by': 'hakopod' },
        ['identity.json'],
      ]);
    });

    it(`${shows('identity', 'undecodable')} keeps labels of others, and its data is the one key`, async () => {
      const secret = fresh();
      must(
        await under.cluster.create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: secret, namespace: under.namespace, labels: { theirs: 'yes' } },
          type: 'Opaque',
          data: { 'identity.json': Buffer.from('not an identity').toString('base64'), more: 'eA==' },
        }),
      );
      const store = open(secret);
      expect(await store.load()).toMatchObject({ ok: false, problem: { code: 'invalid_secret' } });
      must(await store.save(ONE));
      const now = await read(secret);
      expect([now.metadata.labels, Object.keys(now.data as object)]).toEqual([{ theirs: 'yes' }, ['identity.json']]);
    });

    it('refuses a key that is too short, and says nothing of it', async () => {
      const secret = fresh();
      const short = JSON.stringify({ ...ONE, privateKey: 'b'.repeat(62) });
      must(
        await under.cluster.create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: secret, namespace: under.namespace },
          type: 'Opaque',
          data: { 'identity.json': Buffer.from(short).toString('base64') },
        }),
      );
      const loaded = await open(secret).load();
      expect(loaded).toMatchObject({ ok: false, problem: { code: 'invalid_secret' } });
      expect(JSON.stringify(loaded)).not.toContain('bbb');
    });

    it(`${shows('identity', 'stale_writer')} lets a stale writer of the same installation go on once, at a later generation`, async () => {
      const secret = fresh();
      const [first, second] = [open(secret), open(secret)];
      must(await first.save(ONE));
      must(await second.load());
      must(await first.save({ ...ONE, generation: 2 }));
      must(await second.save({ ...ONE, generation: 3 }));
      expect(must(await first.load())?.generation).toBe(3);
    });

    it('is a conflict when a later generation was saved meanwhile', async () => {
      const secret = fresh();
      const [first, second] = [open(secret), open(secret)];
      must(await first.save(ONE));
      must(await second.load());
      must(await second.save({ ...ONE, generation: 5 }));
      expect(await code(first.save({ ...ONE, generation: 2 }))).toBe('identity_conflict');
      expect(must(await second.load())?.generation).toBe(5);
    });

    it(`${shows('identity', 'other_endpoint')} never overwrites another installation, and writes nothing when it has seen it`, async () => {
      const secret = fresh();
      must(await open(secret).save(ONE));
      let writes = 0;
      const counting = {
        ...under.cluster,
        replace: (manifest: Manifest) => {
          writes += 1;
          return under.cluster.replace(manifest);
        },
      };
      const store = open(secret, counting);
      must(await store.load());
      expect(await code(store.save(OTHER))).toBe('identity_conflict');
      expect(writes).toBe(0);
      // one that never looked meets it when it creates
      expect(await code(open(secret).save(OTHER))).toBe('identity_conflict');
      expect(must(await open(secret).load())).toEqual(ONE);
    });

    it(`${shows('identity', 'conflict')} gives up when the Secret changed twice`, async () => {
      const secret = fresh();
      const racing = {
        ...under.cluster,
        replace: async (manifest: Manifest) => {
          const live = await read(secret);
          must(
            await under.cluster.replace({ ...live, metadata: { ...live.metadata, labels: { turn: `${count++}` } } }),
          );
          return under.cluster.replace(manifest);
        },
      };
      must(await open(secret).save(ONE));
      const store = open(secret, racing);
      must(await store.load());
      expect(await code(store.save({ ...ONE, generation: 2 }))).toBe('identity_conflict');
    });

    it(`${shows('identity', 'deleted_secret')} does not make a deleted Secret again`, async () => {
      const secret = fresh();
      const store = open(secret);
      must(await store.save(ONE));
      const { uid = '' } = (await read(secret)).metadata;
      must(await under.cluster.delete(ref(secret), { uid, propagation: 'Background' }));
      expect(await code(store.save({ ...ONE, generation: 2 }))).toBe('not_found');
      expect(must(await under.cluster.get(ref(secret)))).toBeUndefined();
      // a process that starts anew enrols anew
      must(await open(secret).save(ONE));
    });

    it('passes other failures on, and takes turns', async () => {
      const secret = fresh();
      const refusing = { ...under.cluster, create: async () => fail(problem('forbidden')) };
      expect(await code(open(secret, refusing).save(ONE))).toBe('forbidden');
      const store = open(secret);
      const saved = await Promise.all([1, 2, 3].map((generation) => code(store.save({ ...ONE, generation }))));
      expect(saved).toEqual(['ok', 'ok', 'ok']);
    });

    it('wants a namespace that is a label and a name that is a subdomain', () => {
      for (const [namespace, secret] of [
        ['A', 'x'],
        ['a.b', 'x'],
        ['a', 'X'],
        ['a', '-x'],
        ['a', 'x'.repeat(254)],
      ] as const)
        expect(createIdentityStore({ cluster: under.cluster, namespace, name: secret })).toMatchObject({
          ok: false,
          problem: { code: 'invalid_config' },
        });
    });
  });
}
