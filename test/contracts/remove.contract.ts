import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from '../support/claims.ts';
import {
  type DeployStage,
  foreign,
  type Instance,
  live,
  newInstance,
  type OpenStage,
  removalOf,
  requestOf,
  run,
  serviceOf,
  stepsOf,
} from '../support/deploy-stage.ts';
import { eventually } from '../support/kubernetes.ts';
import { type RecordedApi, refused } from '../support/recorded-api.ts';
import { must } from './cluster.contract.ts';

const WEB = { ports: [{ protocol: 'tcp' as const, published: 80, target: 8080 }], env: { A: '1' }, secretKeys: ['A'] };

/** What the end of an instance takes and leaves. */
export function describeRemoveContract(name: string, open: OpenStage): void {
  describe(`remove: ${name}`, () => {
    let stage: DeployStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    const standing = async (services: readonly string[] = ['web']) => {
      const instance = newInstance();
      const own = { name: `${instance.project}-data`, size: '1Gi', accessMode: 'ReadWriteOnce' as const };
      const mounts = [{ claim: own.name, path: '/data' }];
      const all = services.map((service, i) => serviceOf(stage, service, i === 0 ? { ...WEB, mounts } : WEB));
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, all, { claims: [own] }));
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      return { instance, object: `${instance.project}-web`, claim: own.name };
    };
    const remove = (instance: Instance, services: readonly string[] = ['web'], prepare?: (r: RecordedApi) => void) =>
      run(stage, 'remove', removalOf(stage, instance, services), prepare === undefined ? {} : { prepare });
    const gone = (kind: string, object: string): Promise<void> =>
      eventually(async () => (await live(stage, kind, object)) === undefined, `the end of ${kind}/${object}`);

    it(`${shows('remove', 'removes', 'claims_retained', 'secrets_never_listed')} takes all of it but the claims`, async () => {
      const { instance, object, claim } = await standing();
      const { result, calls, writes, started } = await remove(instance);
      expect(stepsOf(result)).toEqual([
        'web precondition succeeded',
        'web remove succeeded',
        'web volume skipped retained',
      ]);
      expect(result).toMatchObject({ outcome: 'succeeded', services: [] });
      expect(started).toBe(1);
      expect(writes()).toEqual([
        `delete Deployment/${object}`,
        `delete Secret/${object}-secret`,
        `delete Service/${object}`,
        `delete ConfigMap/${object}-env`,
      ]);
      for (const { body } of calls.filter(({ key }) => key.startsWith('delete')))
        expect(body).toMatchObject({ propagation: 'Foreground', uid: expect.stringMatching(/./) });
      expect(calls.filter(({ key }) => key.startsWith('list Secret'))).toEqual([]);
      await gone('Deployment', object);
      await gone('Secret', `${object}-secret`);
      expect(await live(stage, 'PersistentVolumeClaim', claim)).toBeDefined();
    });

    it(`${shows('remove', 'foreign_survives')} leaves what has not the label, whatever its name`, async () => {
      const instance = newInstance();
      const object = `${instance.project}-web`;
      must(await stage.cluster.create(foreign(stage, 'Secret', `${object}-secret`)));
      must(await stage.cluster.create(foreign(stage, 'ConfigMap', `${object}-env`)));
      const { result, writes } = await remove(instance);
      expect(stepsOf(result)).toEqual(['web precondition succeeded', 'web remove skipped']);
      expect(writes()).toEqual([]);
    });

    it(`${shows('remove', 'skipped', 'unnamed_services')} adds services nobody named, sorted behind the first one`, async () => {
      const { instance } = await standing(['web', 'b', 'a']);
      const { result, started } = await remove(instance, ['zzz', 'web']);
      expect(stepsOf(result)).toEqual([
        'zzz precondition succeeded',
        'zzz remove skipped',
        ...['a', 'b', 'web'].flatMap((one) => [`${one} precondition succeeded`, `${one} remove succeeded`]),
        'web volume skipped retained',
      ]);
      expect(started).toBe(1);
      const names = ['web', 'a', 'b'].map((one) => `${instance.project}-${one}`);
      const namespace = stage.namespace;
      await eventually(async () => {
        const left = must(await stage.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace }));
        const rest = must(await stage.cluster.list({ apiVersion: 'v1', kind: 'Service', namespace }));
        return ![...left, ...rest].some((one) => names.includes(one.metadata.name));
      }, 'the end of its objects');
      const again = await remove(instance, ['web']);
      expect(again.started).toBe(0);
    });

    it(`${shows('remove', 'secret_by_deployment')} finds a Secret by its Deployment's name, not by the rule alone`, async () => {
      const instance = newInstance();
      // Two services that would share a name: removed one by one, the rule alone gives another name.
      const services = ['a-b', 'a_b'].map((one) => serviceOf(stage, one, WEB));
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, services));
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      const { writes } = await remove(instance, ['a-b']);
      expect(writes().filter((key) => key.startsWith('delete Secret'))).toHaveLength(2);
    });

    it(`${shows('remove', 'secret_by_config_map')} finds a Secret whose Deployment was never made`, async () => {
      const instance = newInstance();
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web', WEB)]), {
        prepare: ({ meet }) => meet('create Deployment', () => refused(500)),
      });
      expect(result.outcome).toBe('failed');
      const { writes } = await remove(instance, ['other']);
      expect(writes()).toContain(`delete Secret/${instance.project}-web-secret`);
    });

    it(`${shows('remove', 'recreated_survives')} leaves what someone else made again meanwhile`, async () => {
      const { instance, object } = await standing();
      const name = `${object}-env`;
      const { result } = await remove(instance, ['web'], ({ meet }) =>
        meet('delete ConfigMap', async () => {
          const found = await live(stage, 'ConfigMap', name);
          const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: stage.namespace, name };
          must(await stage.cluster.delete(ref, { uid: found?.metadata.uid ?? '', propagation: 'Background' }));
          must(await stage.cluster.create(foreign(stage, 'ConfigMap', name, { data: { mine: '1' } })));
          return undefined;
        }),
      );
      expect(result.outcome).toBe('succeeded');
      expect((await live(stage, 'ConfigMap', name))?.data).toEqual({ mine: '1' });
    });

    it.each(['list Deployment', 'list Service', 'list ConfigMap', 'get Secret', 'list PersistentVolumeClaim'])(
      `${shows('remove', 'read_error_deletes_nothing')} deletes nothing when %s fails`,
      async (key) => {
        const { instance } = await standing();
        const { result, writes, started } = await remove(instance, ['web'], ({ meet }) =>
          meet(key, () => refused(403)),
        );
        expect(stepsOf(result)).toEqual(['web precondition denied forbidden', 'web remove skipped']);
        expect([writes(), started]).toEqual([[], 0]);
      },
    );

    it(`${shows('remove', 'delete_error')} ends at a refused delete, and still reports the claims`, async () => {
      const { instance } = await standing(['web', 'b']);
      const { result } = await remove(instance, ['b', 'web'], ({ meet }) => meet('delete Service', () => refused(500)));
      expect(stepsOf(result)).toEqual([
        'b precondition succeeded',
        'b remove failed runtime_status 500',
        'web precondition skipped',
        'web remove skipped',
        'web volume skipped retained',
      ]);
    });

    it(`${shows('remove', 'claim_cap')} reports no more than 64 claims`, async () => {
      const instance = newInstance();
      const labels = { 'hakopod.io/instance': instance.instanceId, 'hakopod.io/service': 'web' };
      const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c', labels }, spec: {} };
      const items = Array.from({ length: 70 }, () => claim);
      const { result } = await remove(instance, ['web'], ({ meet }) =>
        meet('list PersistentVolumeClaim', () => ({ ok: true, value: { items, more: false } as never })),
      );
      expect(stepsOf(result).filter((step) => step === 'web volume skipped retained')).toHaveLength(64);
    });
  });
}
