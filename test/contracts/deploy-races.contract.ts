import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import type { DeploymentService } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import {
  type DeployStage,
  foreign,
  type Instance,
  live,
  newInstance,
  type OpenStage,
  requestOf,
  run,
  serviceOf,
  stepsOf,
} from '../support/deploy-stage.ts';
import { type RecordedApi, refused } from '../support/recorded-api.ts';
import { must } from './cluster.contract.ts';
import { addressOf } from './deploy.contract.ts';

const WEB = { ports: [{ protocol: 'tcp' as const, published: 80, target: 8080 }], env: { A: '1' }, secretKeys: ['A'] };

/** What a deploy does when somebody else writes at the same time, and when a write is refused. */
export function describeDeployRacesContract(name: string, open: OpenStage): void {
  describe(`deploy, races and refused writes: ${name}`, () => {
    let stage: DeployStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    const deploy = (
      instance: Instance,
      service: Partial<DeploymentService> = WEB,
      prepare?: (r: RecordedApi) => void,
    ) =>
      run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web', service)]), prepare ? { prepare } : {});
    /** An instance that stands, so that what comes next are updates. */
    const standing = async (service: Partial<DeploymentService> = WEB) => {
      const instance = newInstance();
      const { result } = await deploy(instance, service);
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      return { instance, object: `${instance.project}-web` };
    };
    const touch = async (kind: string, object: string, change: object): Promise<undefined> => {
      const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
      const ref = { apiVersion, kind, namespace: stage.namespace, name: object };
      must(await stage.cluster.mergePatch(ref, change));
      return undefined;
    };
    const drop = async (kind: string, object: string): Promise<undefined> => {
      const found = await live(stage, kind, object);
      const { apiVersion = 'v1', metadata } = found as Manifest;
      const ref = { apiVersion, kind, namespace: stage.namespace, name: object };
      must(await stage.cluster.delete(ref, { uid: metadata.uid ?? '', propagation: 'Background' }));
      return undefined;
    };

    it(`${shows('deploy', 'lost_race')} takes no name that someone else took meanwhile`, async () => {
      const instance = newInstance();
      const object = `${instance.project}-web`;
      const { result } = await deploy(instance, WEB, ({ meet }) =>
        meet(`create ConfigMap/${object}-env`, async () => {
          must(await stage.cluster.create(foreign(stage, 'ConfigMap', `${object}-env`, { data: { mine: '1' } })));
          return undefined;
        }),
      );
      expect(stepsOf(result)[1]).toBe(`web create denied name_taken ConfigMap/${object}-env`);
      expect((await live(stage, 'ConfigMap', `${object}-env`))?.data).toEqual({ mine: '1' });
      expect(await live(stage, 'Deployment', object)).toBeUndefined();
    });

    it(`${shows('deploy', 'conflict_once')} writes again over what changed meanwhile`, async () => {
      const { instance, object } = await standing();
      const { result, writes } = await deploy(instance, WEB, ({ meet }) =>
        meet('replace ConfigMap', () => touch('ConfigMap', `${object}-env`, { data: { OTHER: '1' } })),
      );
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      expect(writes().filter((key) => key.includes('ConfigMap'))).toHaveLength(2);
      expect((await live(stage, 'ConfigMap', `${object}-env`))?.data ?? {}).toEqual({});
    });

    it(`${shows('deploy', 'conflict_twice')} gives up at the second conflict`, async () => {
      const { instance, object } = await standing();
      let count = 0;
      const { result, writes } = await deploy(instance, WEB, ({ meet }) =>
        meet('replace ConfigMap', () => touch('ConfigMap', `${object}-env`, { data: { OTHER: String(count++) } }), 9),
      );
      expect(stepsOf(result)[1]).toBe(`web create failed conflict ConfigMap/${object}-env`);
      expect(writes().filter((key) => key.includes('ConfigMap'))).toHaveLength(2);
    });

    it(`${shows('deploy', 'update_vanished')} makes again what vanished meanwhile`, async () => {
      const { instance, object } = await standing();
      const { result, writes } = await deploy(instance, WEB, ({ meet }) =>
        meet('replace ConfigMap', () => drop('ConfigMap', `${object}-env`)),
      );
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      expect(writes()).toContain(`create ConfigMap/${object}-env`);
    });

    it(`${shows('deploy', 'admission_denied')} names what a policy refuses, as the verb is there`, async () => {
      const instance = newInstance();
      const { result, calls } = await deploy(instance, WEB, ({ meet }) => meet('create Secret', () => refused(403)));
      expect(stepsOf(result)[1]).toBe(`web create denied admission_denied Secret/${instance.project}-web-secret`);
      const review = calls.filter(({ key }) => key.startsWith('review')).at(-1);
      const right = { verb: 'create', group: '', resource: 'secrets', namespace: stage.namespace };
      expect(review?.body).toEqual({ ...right, name: `${instance.project}-web-secret` });
    });

    it(`${shows('deploy', 'write_forbidden')} says forbidden when the verb is missing`, async () => {
      const { instance } = await standing();
      const { result } = await deploy(instance, WEB, ({ meet }) => {
        meet('replace Deployment', () => refused(403));
        meet('review update', () => ({ ok: true, value: false as never }));
      });
      expect(stepsOf(result)[1]).toBe('web create denied forbidden');
    });

    it(`${shows('deploy', 'review_failed_on_write')} takes a question without an answer for no permission answer`, async () => {
      const { result } = await deploy(newInstance(), WEB, ({ meet }) => {
        meet('create Secret', () => refused(403));
        meet('review create secrets', () => refused(500));
      });
      expect(stepsOf(result)[1]).toBe('web create failed runtime_status 500');
    });

    it(`${shows('deploy', 'service_ip_immutable')} refuses another address than the Service has`, async () => {
      const { instance, object } = await standing();
      const address = addressOf(await live(stage, 'Service', object)) ?? '';
      const other = address.replace(/\d+$/, (last) => String((Number(last) % 250) + 1));
      const { result, writes } = await deploy(instance, { ...WEB, clusterIP: other });
      expect(stepsOf(result)[0]).toBe(`web precondition denied service_ip_immutable Service/${object}`);
      expect(writes()).toEqual([]);
      const same = await deploy(instance, { ...WEB, clusterIP: address });
      expect(same.result.outcome).toBe('succeeded');
    });

    it(`${shows('deploy', 'service_ip_unavailable')} writes no workload after an address nobody can have`, async () => {
      const { object: other } = await standing();
      const taken = addressOf(await live(stage, 'Service', other)) ?? '';
      const instance = newInstance();
      const { result, writes } = await deploy(instance, { ...WEB, clusterIP: taken });
      expect(stepsOf(result)[1]).toBe(`web create denied service_ip_unavailable Service/${instance.project}-web`);
      expect(writes()).toEqual([`create Service/${instance.project}-web`]);
    });

    it(`${shows('deploy', 'service_ip_conflict_retry')} looks at the address again on a retry`, async () => {
      const { instance, object } = await standing();
      const address = addressOf(await live(stage, 'Service', object)) ?? '';
      const { result, writes } = await deploy(instance, { ...WEB, clusterIP: address }, ({ meet }) =>
        meet('replace Service', async () => {
          await drop('Service', object);
          const labels = { 'hakopod.io/instance': instance.instanceId };
          const metadata = { name: object, namespace: stage.namespace, labels };
          const made = {
            apiVersion: 'v1',
            kind: 'Service',
            metadata,
            spec: { clusterIP: 'None', ports: [{ port: 1 }] },
          };
          must(await stage.cluster.create(made));
          return refused(409);
        }),
      );
      expect(stepsOf(result)[1]).toBe(`web create denied service_ip_immutable Service/${object}`);
      expect(writes()).toEqual([`replace Service/${object}`]);
    });

    it(`${shows('deploy', 'later_services_skipped')} leaves the services before a failure as applied`, async () => {
      const instance = newInstance();
      const services = ['a', 'b', 'c'].map((one) => serviceOf(stage, one));
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, services), {
        prepare: ({ meet }) => meet(`create Deployment/${instance.project}-b`, () => refused(500)),
      });
      expect(stepsOf(result).slice(3)).toEqual([
        'a create succeeded',
        'a start succeeded',
        'b create failed runtime_status 500',
        'b start skipped',
        'c create skipped',
        'c start skipped',
        'c prune skipped',
      ]);
      expect(result.services.map((service) => service.service)).toEqual(['a']);
      expect(await live(stage, 'Deployment', `${instance.project}-a`)).toBeDefined();
      expect(await live(stage, 'ConfigMap', `${instance.project}-c-env`)).toBeUndefined();
    });

    describe('restore', () => {
      const failing = (recorded: RecordedApi, object: string): void =>
        recorded.meet(
          `get Deployment/${object}`,
          async () => {
            const writes = recorded.writes().some((key) => key.endsWith(`Deployment/${object}`));
            const found = await live(stage, 'Deployment', object);
            if (!writes || found === undefined) return undefined;
            const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
            const status = { observedGeneration: found.metadata.generation, conditions };
            return { ok: true, value: { ...found, status } as never };
          },
          Number.POSITIVE_INFINITY,
        );

      it(`${shows('deploy', 'restore')} puts a service back whose rollout failed`, async () => {
        const { instance, object } = await standing();
        const before = await live(stage, 'Deployment', object);
        const changed = { env: { B: '2' } };
        const services = [serviceOf(stage, 'web', changed), serviceOf(stage, 'later')];
        const { result } = await run(stage, 'deploy', requestOf(stage, instance, services), {
          prepare: (recorded) => failing(recorded, object),
        });
        expect(stepsOf(result).slice(2)).toEqual([
          'web create succeeded',
          'web start failed rollout_timeout progressing=ProgressDeadlineExceeded',
          'web restore succeeded',
          'later create skipped',
          'later start skipped',
          'later prune skipped',
        ]);
        expect(result).toMatchObject({ outcome: 'failed', code: 'step_failed', services: [] });
        const after = await live(stage, 'Deployment', object);
        expect(after?.spec).toEqual(before?.spec);
        expect((await live(stage, 'ConfigMap', `${object}-env`))?.data ?? {}).toEqual({});
        // Both were dropped by the run.
        expect(await live(stage, 'Secret', `${object}-secret`)).toBeDefined();
        expect(await live(stage, 'Service', object)).toBeDefined();
      });

      it(`${shows('deploy', 'restore_deletes_new')} takes away what the run made`, async () => {
        const instance = newInstance();
        const object = `${instance.project}-web`;
        const { result } = await deploy(instance, WEB, (recorded) => failing(recorded, object));
        expect(stepsOf(result)).toContain('web restore succeeded');
        for (const [kind, one] of Object.entries({ Deployment: object, Service: object, Secret: `${object}-secret` }))
          expect(await live(stage, kind, one), kind).toBeUndefined();
      });

      it(`${shows('deploy', 'restore')} leaves what someone else wrote since`, async () => {
        const { instance, object } = await standing();
        const { result } = await deploy(instance, { env: { B: '2' } }, (recorded) => {
          failing(recorded, object);
          recorded.meet('list Pod', () =>
            touch('ConfigMap', `${object}-env`, { metadata: { annotations: { 'hakopod.io/deployment': 'another' } } }),
          );
        });
        expect(stepsOf(result), JSON.stringify(result)).toContain(
          `web restore failed conflict ConfigMap/${object}-env`,
        );
        expect((await live(stage, 'ConfigMap', `${object}-env`))?.data).toEqual({ B: '2' });
      });
    });
  });
}
