import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/access/index.ts';
import { toSnake } from '../../../../src/ports/api/index.ts';
import {
  type DeploymentRequest,
  parseDeploymentRequest,
  parseRemovalRequest,
} from '../../../../src/ports/cluster-operations/index.ts';
import { APPLICATION, type ApiWorld, apiWorld, ended, must } from '../../../support/api-world.ts';
import { CONFIGURATION } from '../../../support/fake-cluster-operations.ts';
import { INFO } from '../../../support/release-api.ts';
import { deployment, ON, removal } from '../../../support/run-requests.ts';

const OF_APPLICATION = `hp-${APPLICATION}`;
const WORKLOAD = { namespace: 'shop', kind: 'deployment', name: 'web' } as const;

let world: ApiWorld;
let cluster: ApiWorld['operations']['cluster'];
beforeEach(async () => {
  world = await apiWorld();
  cluster = world.operations.cluster;
});

type Answer = { readonly ok: boolean; readonly problem?: { readonly code: string; readonly at?: string } };
const refusal = async (answer: Promise<Answer>): Promise<string> => {
  const { problem } = await answer;
  return problem === undefined ? 'ok' : [problem.code, problem.at].filter(Boolean).join(' at ');
};
const calls = (name: string): readonly unknown[] =>
  world.clusterOperations.calls.filter((one) => one.name === name).map(({ input }) => input);

describe('deploying an instance', () => {
  it('asks for what was asked, in the words of the operations, and answers a run', async () => {
    const claims = [{ name: 'data', size: '1Gi' }];
    const [web] = deployment().services;
    const mounts = [{ claim: 'data', path: '/data' }];
    const services = [{ ...web, mounts, cluster_ip: '10.0.0.9' }];
    const begun = must(await cluster.deploy(LOCAL, deployment({ services, target: { ...ON, claims } }), INFO));
    expect(begun).toEqual({
      id: 'shop-1',
      kind: 'deploy',
      namespace: 'shop',
      name: 'shop',
      state: 'running',
      requested_at: '2026-11-29T12:00:00.000Z',
      deadline: '2026-11-29T12:10:00.000Z',
      steps: [],
      services: [],
    });
    expect(await ended(world, 'shop-1')).toMatchObject({
      state: 'ended',
      outcome: 'succeeded',
      steps: [{ service: 'web', step: 'create', outcome: 'succeeded' }],
    });
    const [request] = calls('deploy') as [DeploymentRequest];
    expect(must(parseDeploymentRequest(request, world.memory.now))).toEqual(request);
    expect(request).toMatchObject({
      requestId: 'shop-1',
      endpoint: 'hakopod',
      issuedAt: '2026-11-29T12:00:00.000Z',
      deadline: '2026-11-29T12:10:00.000Z',
      target: {
        namespace: 'shop',
        instanceId: ON.instance_id,
        claims: [{ name: 'data', accessMode: 'ReadWriteOnce' }],
      },
      services: [
        {
          env: { MODE: 'production', DATABASE_URL: 'canary-database-url' },
          secretKeys: ['DATABASE_URL'],
          clusterIP: '10.0.0.9',
          mounts: [{ claim: 'data', path: '/data', readOnly: false }],
        },
      ],
    });
  });

  it('is on record as it is asked for and as it ended, and keeps no value', async () => {
    const { events } = world.memory.deps.audit as unknown as {
      readonly events: readonly { readonly action: string; readonly resource: object }[];
    };
    const before = events.length;
    must(await cluster.deploy(LOCAL, deployment(), INFO));
    await ended(world, 'shop-1');
    const resource = { kind: 'ClusterDeployment', name: 'shop/shop' };
    expect(events.slice(before).map(({ action, resource: of }) => ({ action, resource: of }))).toEqual([
      { action: 'cluster.deploy', resource },
      { action: 'cluster.deploy.end', resource },
    ]);
    expect(JSON.stringify([events, ...world.clusterRuns.items.values()])).not.toContain('canary');
  });

  it('is done once for a request id, also when the rest of it is ours to say', async () => {
    must(await cluster.deploy(LOCAL, deployment(), INFO));
    await ended(world, 'shop-1');
    world.memory.now = new Date(world.memory.now.getTime() + 60_000);
    expect(must(await cluster.deploy(LOCAL, deployment(), INFO))).toMatchObject({ state: 'ended' });
    expect(await refusal(cluster.deploy(LOCAL, deployment({ revision: 2 }), INFO))).toBe('conflict at request_id');
    expect(calls('deploy')).toHaveLength(1);
    must(await cluster.deploy(LOCAL, deployment({ request_id: undefined }), INFO));
    expect(calls('deploy')).toHaveLength(2);
  });

  it('names what is wrong with it, as the wire calls it', async () => {
    const [web] = deployment().services;
    const withWeb = (over: object): object => ({ services: [{ ...web, ...over }] });
    const refusals: readonly [object, string][] = [
      [withWeb({ secret_keys: ['NOTHING'] }), 'services.0.secret_keys'],
      [withWeb({ cluster_ip: 'a', ports: [] }), 'services.0.cluster_ip'],
      [withWeb({ image: { reference: 'nginx:1', digest: ON.spec_digest } }), 'services.0.image'],
      [{ target: { ...ON, instance_id: 'x' } }, 'target.instance_id'],
      [{ target: { ...ON, claims: [{ name: 'data', size: '1Gi' }] } }, 'target.claims'],
      [{ revision: 101 }, 'revision'],
    ];
    for (const [over, at] of refusals)
      expect(await refusal(cluster.deploy(LOCAL, deployment(over), INFO)), at).toBe(`invalid_request at ${at}`);
    expect(calls('deploy')).toEqual([]);
    expect(world.clusterRuns.items.size).toBe(1);
  });
});

describe('taking an instance down', () => {
  it('asks for its services, once the project is typed again', async () => {
    expect(await refusal(cluster.takeDown(LOCAL, removal({ confirm_name: 'shpo' }), INFO))).toBe(
      'invalid_request at confirm_name',
    );
    must(await cluster.takeDown(LOCAL, removal(), INFO));
    expect(await ended(world, 'shop-2')).toMatchObject({ kind: 'remove', outcome: 'succeeded' });
    const [request] = calls('remove');
    expect(must(parseRemovalRequest(request, world.memory.now))).toEqual(request);
    expect(request).toMatchObject({ requestId: 'shop-2', services: ['web'], target: { specDigest: ON.spec_digest } });
  });
});

describe('a namespace', () => {
  const asks = (namespace: string): Readonly<Record<string, Promise<Answer>>> => {
    const configuration = toSnake({ ...CONFIGURATION, target: { ...CONFIGURATION.target, namespace } });
    const create = toSnake({ ...(configuration as object), resource_version: '' });
    const workload = { ...WORKLOAD, namespace };
    const apply = { ...workload, configuration: configuration as never, create: false, timeout_seconds: 60 };
    return {
      restart: cluster.restart(LOCAL, workload, INFO),
      scale: cluster.scale(LOCAL, { ...workload, replicas: 1 }, INFO),
      remove: cluster.remove(LOCAL, { ...workload, confirm_name: 'web' }, INFO),
      apply: cluster.apply(LOCAL, apply, INFO),
      create: cluster.apply(LOCAL, { ...apply, configuration: create as never, create: true }, INFO),
      deploy: cluster.deploy(LOCAL, deployment({ target: { ...ON, namespace } }), INFO),
      takeDown: cluster.takeDown(LOCAL, removal({ target: { ...ON, namespace } }), INFO),
    };
  };

  it('that is not granted is refused before anything is asked of the cluster', async () => {
    world.namespaces.granted = ['blog'];
    for (const [what, answer] of Object.entries(asks('shop')))
      expect(await refusal(answer), what).toBe('namespace_not_granted at namespace');
    expect(world.clusterOperations.calls).toEqual([]);
    expect(world.leases.held.size).toBe(0);
    must(await cluster.restart(LOCAL, { ...WORKLOAD, namespace: 'blog' }, INFO));
    // Looking is not writing.
    must(await cluster.read(LOCAL, WORKLOAD, INFO));
    must(await cluster.workloads(LOCAL, {}, INFO));
  });

  it('is granted by * unless it is that of Hakopod itself', async () => {
    const itself = { ...WORKLOAD, namespace: 'hakopod-system' };
    must(await cluster.restart(LOCAL, WORKLOAD, INFO));
    expect(await refusal(cluster.restart(LOCAL, itself, INFO))).toBe('namespace_not_granted at namespace');
    world.namespaces.granted = ['*', 'hakopod-system'];
    must(await cluster.restart(LOCAL, itself, INFO));
  });

  it('of an application takes commands, and nothing that would be taken for a part of it', async () => {
    world.namespaces.granted = [];
    const { restart, create, deploy, takeDown } = asks(OF_APPLICATION);
    expect(await refusal(restart!)).toBe('ok');
    for (const answer of [create!, deploy!, takeDown!])
      expect(await refusal(answer)).toBe('application_managed at namespace');
    expect(calls('deploy')).toEqual([]);
  });
});
