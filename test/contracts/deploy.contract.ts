import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { shows } from '../support/claims.ts';
import {
  type DeployStage,
  foreign,
  label,
  live,
  newInstance,
  type OpenStage,
  requestOf,
  run,
  serviceOf,
  stepsOf,
} from '../support/deploy-stage.ts';
import { refused } from '../support/recorded-api.ts';
import { must } from './cluster.contract.ts';

const WEB = { ports: [{ protocol: 'tcp' as const, published: 80, target: 8080 }], env: { A: '1' }, secretKeys: ['A'] };
const CLAIM = { name: 'data', size: '1Gi', accessMode: 'ReadWriteOnce' as const };
const MOUNT = { mounts: [{ claim: 'data', path: '/data' }] };

/** What a deploy does, and refuses before it did anything. */
export function describeDeployContract(name: string, open: OpenStage): void {
  describe(`deploy: ${name}`, () => {
    let stage: DeployStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    const first = async () => {
      const instance = newInstance();
      const request = requestOf(stage, instance, [serviceOf(stage, 'web', WEB)]);
      const ran = await run(stage, 'deploy', request);
      expect(ran.result.outcome, JSON.stringify(ran.result)).toBe('succeeded');
      return { instance, request, ran, object: `${instance.project}-web` };
    };

    it(`${shows('deploy', 'create', 'order', 'identity')} makes what is missing in the order of the reference`, async () => {
      const instance = newInstance();
      const services = [serviceOf(stage, 'web', { ...WEB, ...MOUNT }), serviceOf(stage, 'db')];
      const claim = { ...CLAIM, name: `${instance.project}-data` };
      services[0] = serviceOf(stage, 'web', { ...WEB, mounts: [{ claim: claim.name, path: '/data' }] });
      const { result, writes, started } = await run(
        stage,
        'deploy',
        requestOf(stage, instance, services, { claims: [claim] }),
      );
      const web = `${instance.project}-web`;
      expect(stepsOf(result)).toEqual([
        'web precondition succeeded',
        'db precondition succeeded',
        'web create succeeded',
        'web start succeeded',
        'db create succeeded',
        'db start succeeded',
        'db prune skipped',
      ]);
      expect(writes().slice(0, 5)).toEqual([
        `create Service/${web}`,
        `create PersistentVolumeClaim/${claim.name}`,
        `create ConfigMap/${web}-env`,
        `create Secret/${web}-secret`,
        `create Deployment/${web}`,
      ]);
      expect(started).toBe(1);
      const deployment = await live(stage, 'Deployment', web);
      expect(result.services[0]).toEqual({
        service: 'web',
        kind: 'Deployment',
        namespace: stage.namespace,
        name: web,
        uid: deployment?.metadata.uid,
        generation: 1,
        imageDigest: stage.image.split('@')[1],
      });
      expect(result.code).toBeUndefined();
    });

    it(`${shows('deploy', 'update', 'service_ip_kept')} replaces its own in place and keeps the address`, async () => {
      const { instance, object } = await first();
      const before = await live(stage, 'Service', object);
      const changed = { ...WEB, env: { A: '2', B: '3' } };
      const { result, writes } = await run(
        stage,
        'deploy',
        requestOf(stage, instance, [serviceOf(stage, 'web', changed)]),
      );
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      expect(new Set(writes().map((key) => key.split(' ')[0]))).toEqual(new Set(['replace']));
      const after = await live(stage, 'Service', object);
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
      expect(addressOf(after)).toBe(addressOf(before));
      expect((await live(stage, 'ConfigMap', `${object}-env`))?.data).toEqual({ B: '3' });
    });

    it(`${shows('deploy', 'idempotent')} changes nothing but versions when it is said again`, async () => {
      const { request, object } = await first();
      const before = await live(stage, 'Deployment', object);
      const { result } = await run(stage, 'deploy', request);
      expect(result.outcome).toBe('succeeded');
      const after = await live(stage, 'Deployment', object);
      expect(after?.spec).toEqual(before?.spec);
      expect(after?.metadata.generation).toBe(before?.metadata.generation);
    });

    it.each(['ConfigMap', 'Secret', 'Service', 'Deployment'])(
      `${shows('deploy', 'name_taken', 'zero_writes')} leaves a foreign %s and everything else alone`,
      async (kind) => {
        const instance = newInstance();
        const object = `${instance.project}-web`;
        const names: Record<string, string> = { ConfigMap: `${object}-env`, Secret: `${object}-secret` };
        const taken = names[kind] ?? object;
        const spec: Record<string, object> = {
          Service: { spec: { ports: [{ port: 1 }] } },
          Deployment: { apiVersion: 'apps/v1', spec: sleeper(stage.image) },
        };
        must(await stage.cluster.create(foreign(stage, kind, taken, spec[kind])));
        const services = [serviceOf(stage, 'db'), serviceOf(stage, 'web', WEB)];
        const { result, writes, started } = await run(stage, 'deploy', requestOf(stage, instance, services));
        expect(result).toMatchObject({ outcome: 'denied', code: 'step_failed', services: [] });
        expect(stepsOf(result)).toEqual([
          'db precondition succeeded',
          `web precondition denied name_taken ${kind}/${taken}`,
          'db create skipped',
          'db start skipped',
          'web create skipped',
          'web start skipped',
          'web prune skipped',
        ]);
        expect([writes(), started]).toEqual([[], 0]);
      },
    );

    it(`${shows('deploy', 'pod_security')} ${shows('machine', 'pod_security_missing', 'pod_security_privileged')} refuses a namespace below the baseline`, async () => {
      for (const [level, detail] of [
        [undefined, 'missing'],
        ['privileged', 'privileged'],
      ] as const) {
        await label(stage, level);
        const { result, writes } = await run(
          stage,
          'deploy',
          requestOf(stage, newInstance(), [serviceOf(stage, 'web')]),
        );
        expect(stepsOf(result)[0]).toBe(`web precondition denied pod_security ${detail}`);
        expect(writes()).toEqual([]);
      }
      await label(stage, 'restricted');
      await label(stage, 'baseline');
    });

    it(`${shows('deploy', 'forbidden')} refuses without the right to create Deployments`, async () => {
      const { result, writes, calls } = await run(
        stage,
        'deploy',
        requestOf(stage, newInstance(), [serviceOf(stage, 'web')]),
        {
          prepare: ({ meet }) => meet('review', () => ({ ok: true, value: false as never })),
        },
      );
      expect(stepsOf(result)[0]).toBe('web precondition denied forbidden');
      expect([writes(), calls.length]).toEqual([[], 1]);
    });

    describe('claims', () => {
      const withClaim = async (
        claim: object,
        options: { readonly owned?: boolean; readonly planned?: object } = {},
      ) => {
        const instance = newInstance();
        const own = `${instance.project}-data`;
        const labels = options.owned === false ? {} : { 'hakopod.io/instance': instance.instanceId };
        const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...claim };
        const metadata = { name: own, namespace: stage.namespace, labels };
        must(await stage.cluster.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec }));
        const service = serviceOf(stage, 'web', { mounts: [{ claim: own, path: '/data' }] });
        const claims = [{ ...CLAIM, ...options.planned, name: own }];
        const ran = await run(stage, 'deploy', requestOf(stage, instance, [service], { claims }));
        return { ...ran, own };
      };

      it(`${shows('deploy', 'claim_immutable')} refuses another size or class than the claim has`, async () => {
        const other = await withClaim({}, { planned: { size: '2Gi' } });
        expect(stepsOf(other.result)[0]).toBe(
          `web precondition denied claim_immutable PersistentVolumeClaim/${other.own}`,
        );
        const modes = await withClaim({ accessModes: ['ReadWriteMany'] });
        expect(stepsOf(modes.result)[0]).toContain('claim_immutable');
        const named = await withClaim({ storageClassName: 'slow' }, { planned: { class: 'fast' } });
        expect(stepsOf(named.result)[0]).toContain('claim_immutable');
        expect(named.writes()).toEqual([]);
      });

      it(`${shows('deploy', 'claim_default_class')} takes the class a claim got, and sizes that mean the same`, async () => {
        const { result, writes } = await withClaim({ storageClassName: 'slow' }, { planned: { size: '1024Mi' } });
        expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
        expect(writes().filter((key) => key.includes('PersistentVolumeClaim'))).toEqual([]);
      });

      it(`${shows('deploy', 'name_taken')} refuses a claim of someone else`, async () => {
        const { result, own, writes } = await withClaim({}, { owned: false });
        expect(stepsOf(result)[0]).toBe(`web precondition denied name_taken PersistentVolumeClaim/${own}`);
        expect(writes()).toEqual([]);
      });

      it(`${shows('deploy', 'claim_read_error', 'zero_writes')} ends at a claim it can not read`, async () => {
        const instance = newInstance();
        const service = serviceOf(stage, 'web', MOUNT);
        const { result, writes } = await run(
          stage,
          'deploy',
          requestOf(stage, instance, [service], { claims: [CLAIM] }),
          {
            prepare: ({ meet }) => meet('get PersistentVolumeClaim', () => refused(500)),
          },
        );
        expect(stepsOf(result)[0]).toBe('web precondition failed runtime_status 500');
        expect(writes()).toEqual([]);
      });
    });

    it(`${shows('deploy', 'stale_secret', 'stale_service')} drops its Secret and Service when nothing needs them`, async () => {
      const { instance, object } = await first();
      const { result, writes } = await run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web')]));
      expect(result.outcome).toBe('succeeded');
      // A controller may write between ours, which then is said again.
      expect([...new Set(writes())]).toEqual([
        `replace ConfigMap/${object}-env`,
        `delete Secret/${object}-secret`,
        `replace Deployment/${object}`,
        `delete Service/${object}`,
      ]);
      expect(await live(stage, 'Secret', `${object}-secret`)).toBeUndefined();
      expect(await live(stage, 'Service', object)).toBeUndefined();
    });

    it(`${shows('deploy', 'foreign_stale_kept')} leaves those of someone else`, async () => {
      const instance = newInstance();
      const object = `${instance.project}-web`;
      must(await stage.cluster.create(foreign(stage, 'Secret', `${object}-secret`)));
      must(await stage.cluster.create(foreign(stage, 'Service', object, { spec: { ports: [{ port: 1 }] } })));
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web')]));
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      expect(await live(stage, 'Secret', `${object}-secret`)).toBeDefined();
      expect(await live(stage, 'Service', object)).toBeDefined();
    });

    it(`${shows('deploy', 'prune', 'prune_never_claims')} removes services the plan has no more, but no claim`, async () => {
      const instance = newInstance();
      const claim = { ...CLAIM, name: `${instance.project}-data` };
      const old = serviceOf(stage, 'old', { ...WEB, mounts: [{ claim: claim.name, path: '/data' }] });
      const both = [serviceOf(stage, 'web', WEB), old];
      await run(stage, 'deploy', requestOf(stage, instance, both, { claims: [claim] }));
      const { result } = await run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web', WEB)]));
      expect(stepsOf(result).at(-1)).toBe('web prune succeeded');
      const object = `${instance.project}-old`;
      for (const [kind, one] of Object.entries({ Deployment: object, Service: object, Secret: `${object}-secret` }))
        expect(await live(stage, kind, one), kind).toBeUndefined();
      expect(await live(stage, 'PersistentVolumeClaim', claim.name)).toBeDefined();
      expect(await live(stage, 'Secret', `${instance.project}-web-secret`)).toBeDefined();
    });
  });
}

/** A Deployment's spec that nobody of ours made. */
export function sleeper(image: string): object {
  const labels = { app: 'foreign' };
  return {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
  };
}

/** The address of a Service. */
export function addressOf(service: Manifest | undefined): string | undefined {
  return (service?.spec as { clusterIP?: string } | undefined)?.clusterIP;
}
