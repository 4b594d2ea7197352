import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../../../src/access/index.ts';
import { fail, ok, problem } from '../../../../src/kernel/index.ts';
import { toSnake } from '../../../../src/ports/api/index.ts';
import type { Command } from '../../../../src/ports/cluster-operations/index.ts';
import { APPLICATION, type ApiWorld, apiWorld, ended, must } from '../../../support/api-world.ts';
import { CONFIGURATION, podOf } from '../../../support/fake-cluster-operations.ts';
import { INFO } from '../../../support/release-api.ts';
import { deployment, removal } from '../../../support/run-requests.ts';

const WEB = { id: APPLICATION, service: 'web' };
const LOG = { ...WEB, follow: false, previous: false, timestamps: false, tail: 0 };
const WORKLOAD = { namespace: 'shop', kind: 'deployment', name: 'web' } as const;
const TEMPLATE = toSnake({ ...CONFIGURATION }) as never;

let world: ApiWorld;
let cluster: ApiWorld['operations']['cluster'];
let recorded: () => readonly { readonly action: string; readonly resource: object }[];
beforeEach(async () => {
  world = await apiWorld();
  cluster = world.operations.cluster;
  const { events } = world.memory.deps.audit as unknown as {
    readonly events: readonly { readonly action: string; readonly resource: object }[];
  };
  const before = events.length;
  recorded = () => events.slice(before).map(({ action, resource }) => ({ action, resource }));
});

const code = async (
  answer: Promise<{ readonly ok: boolean; readonly problem?: { readonly code: string } }>,
): Promise<string> => (await answer).problem?.code ?? 'ok';
const call = (name: string): unknown => world.clusterOperations.calls.find((one) => one.name === name)?.input;

describe('logs and commands of a service', () => {
  it('are of its own pods, the newest that runs unless one is named', async () => {
    world.pods.splice(
      0,
      1,
      podOf(APPLICATION, { name: 'old', createdAt: '2026-11-29T10:00:00Z' }),
      podOf(APPLICATION, { name: 'newest', createdAt: '2026-11-29T12:00:00Z', phase: 'Pending' }),
      podOf(APPLICATION, { name: 'newer', createdAt: '2026-11-29T11:00:00Z' }),
    );
    expect(must(await cluster.execTarget(LOCAL, WEB, INFO))).toEqual({ pod: 'newer', container: 'app' });
    expect(must(await cluster.execTarget(LOCAL, { ...WEB, pod: 'old' }, INFO)).pod).toBe('old');
    expect(world.listed[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: `hp-${APPLICATION}`,
      labelSelector: `app.kubernetes.io/managed-by=hakopod,hakopod.io/application-id=${APPLICATION},hakopod.io/service=web`,
    });
    expect(await code(cluster.execTarget(LOCAL, { ...WEB, pod: 'of-somebody-else' }, INFO))).toBe('pod_not_found');
    world.pods.length = 0;
    expect(await code(cluster.execTarget(LOCAL, WEB, INFO))).toBe('pod_not_found');
    world.pods.push(podOf(APPLICATION, { name: 'done', phase: 'Succeeded' }));
    expect(must(await cluster.logs(LOCAL, LOG, INFO)).pod).toBe('done');
  });

  it('are of the container that is named, the only one, or the one of the service', async () => {
    const target = async (containers: readonly string[], container?: string): Promise<string> => {
      world.pods.splice(0, 1, podOf(APPLICATION, { name: 'web-1', containers }));
      const found = await cluster.execTarget(LOCAL, { ...WEB, container }, INFO);
      return found.ok ? found.value.container : found.problem.code;
    };
    expect(await target(['other'])).toBe('other');
    expect(await target(['proxy', 'app'])).toBe('app');
    expect(await target(['proxy', 'helper'])).toBe('unknown_container');
    expect(await target(['proxy', 'helper'], 'helper')).toBe('helper');
    expect(await target(['proxy', 'helper'], 'app')).toBe('unknown_container');
  });

  it('need their permission on the application, and are on record', async () => {
    const ask = async (principal: Principal): Promise<readonly string[]> => [
      await code(cluster.logs(principal, LOG, INFO)),
      await code(cluster.exec(principal, { ...WEB, argv: ['sh'] }, INFO)),
    ];
    const place = { project: 'acme', environment: 'production' };
    const everything = ['admin', 'pods:exec'] as const;
    const reader = await world.person({ name: 'reader', holds: everything, key: ['logs:read'], scope: place });
    const runner = await world.person({ name: 'runner', holds: everything, key: ['pods:exec'], scope: place });
    const admin = await world.person({ name: 'boss', holds: everything, key: ['admin'] });
    const away = await world.person({ name: 'away', holds: everything, key: everything, scope: { project: 'empty' } });
    expect(recorded().filter(({ action }) => /logs|exec/.test(action))).toEqual([]);
    expect(await ask(reader)).toEqual(['ok', 'permission_denied']);
    expect(await ask(runner)).toEqual(['permission_denied', 'ok']);
    // admin on a key is no wildcard for what leaves the rails
    expect(await ask(admin)).toEqual(['ok', 'permission_denied']);
    expect(await ask(away)).toEqual(['permission_denied', 'permission_denied']);
    const resource = { kind: 'Pod', project: 'acme', environment: 'production', application: 'shop', name: 'web-1' };
    expect(recorded()).toEqual([
      { action: 'logs.read', resource },
      { action: 'pod.exec', resource },
      { action: 'logs.read', resource },
    ]);
    expect(cluster.mayGoOn(reader, { id: APPLICATION, permission: 'logs:read' }).ok).toBe(true);
    expect(cluster.mayGoOn(reader, { id: APPLICATION, permission: 'pods:exec' }).ok).toBe(false);
    expect(await code(cluster.logs(LOCAL, { ...LOG, id: 'f'.repeat(32) }, INFO))).toBe('not_found');
  });

  it('ask the cluster for exactly what was asked for', async () => {
    const input = { ...LOG, follow: true, previous: true, timestamps: true, tail: 5, since: '2026-11-29T12:00:00Z' };
    const stream = must(await cluster.logs(LOCAL, input, INFO));
    const lines: string[] = [];
    const sink = async (chunk: Uint8Array) => {
      lines.push(Buffer.from(chunk).toString());
      return ok(undefined);
    };
    must(await stream.read(sink, new AbortController().signal));
    expect(lines).toEqual(['one\n', 'two\n']);
    const pod = { namespace: `hp-${APPLICATION}`, name: 'web-1', container: 'app' };
    expect(call('logs')).toEqual({
      pod,
      follow: true,
      previous: true,
      timestamps: true,
      tail: 5,
      since: '2026-11-29T12:00:00Z',
    });
    must(await cluster.exec(LOCAL, { ...WEB, argv: ['sh', '-c', 'x'] }, INFO));
    const uid = '0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(call('openExec')).toEqual({ pod: { ...pod, uid }, argv: ['sh', '-c', 'x'] });
    world.clusterOperations.execute = async () => fail(problem('pod_security'));
    expect(await code(cluster.exec(LOCAL, { ...WEB, argv: ['sh'] }, INFO))).toBe('pod_security');
  });
});

describe('workloads of the cluster', () => {
  it('are an administrator’s alone', async () => {
    const person = await world.person({
      name: 'team',
      roles: [{ project: 'acme', role: 'project-admin' }],
      key: ['admin', 'pods:exec', 'kubernetes:patch'],
    });
    const apply = { ...WORKLOAD, configuration: TEMPLATE, create: false, timeout_seconds: 60 };
    const all = [
      cluster.facts(person, {}, INFO),
      cluster.workloads(person, {}, INFO),
      cluster.read(person, WORKLOAD, INFO),
      cluster.inspect(person, { namespace: 'shop', name: 'web', uid: '0f8fad5b-d9cb-469f-a165-70867728950e' }, INFO),
      cluster.apply(person, apply, INFO),
      cluster.deploy(person, deployment(), INFO),
      cluster.takeDown(person, removal(), INFO),
      cluster.run(person, { id: 'example-run' }, INFO),
      cluster.restart(person, WORKLOAD, INFO),
      cluster.scale(person, { ...WORKLOAD, replicas: 1 }, INFO),
      cluster.remove(person, { ...WORKLOAD, confirm_name: 'web' }, INFO),
      cluster.manifest(person, { name: 'x', namespaces: [] }, INFO),
    ];
    expect(new Set(await Promise.all(all.map(code)))).toEqual(new Set(['permission_denied']));
    expect(world.clusterOperations.calls).toEqual([]);
  });

  it('are operated on by reference, and that is on record', async () => {
    must(await cluster.restart(LOCAL, WORKLOAD, INFO));
    must(await cluster.scale(LOCAL, { ...WORKLOAD, replicas: 3 }, INFO));
    expect(await code(cluster.remove(LOCAL, { ...WORKLOAD, confirm_name: 'wbe' }, INFO))).toBe('invalid_request');
    must(await cluster.remove(LOCAL, { ...WORKLOAD, confirm_name: 'web' }, INFO));
    must(await cluster.remove(LOCAL, { ...WORKLOAD, kind: 'pod', confirm_name: 'web' }, INFO));
    const asked = world.clusterOperations.calls.map(({ input }) => {
      const { action, reference, expects } = input as Command;
      return [action, reference, expects?.replicas];
    });
    expect(asked).toEqual([
      ['workload.restart', 'shop/deployment/web', undefined],
      ['workload.scale', 'shop/deployment/web', 3],
      ['workload.delete', 'shop/deployment/web', undefined],
      ['pod.delete', 'shop/pod/web', undefined],
    ]);
    expect(recorded()).toEqual([
      { action: 'workload.restart', resource: { kind: 'Deployment', name: 'shop/web' } },
      { action: 'workload.scale', resource: { kind: 'Deployment', name: 'shop/web' } },
      { action: 'workload.delete', resource: { kind: 'Deployment', name: 'shop/web' } },
      { action: 'pod.delete', resource: { kind: 'Pod', name: 'shop/web' } },
    ]);
  });

  it('are changed with what was read, in the words of the wire', async () => {
    const read = must(await cluster.read(LOCAL, WORKLOAD, INFO));
    const input = { ...WORKLOAD, configuration: toSnake(read) as never, create: false, timeout_seconds: 60 };
    const { id } = must(await cluster.apply(LOCAL, input, INFO));
    await ended(world, id);
    const { observedAt: _, ...spec } = CONFIGURATION;
    expect(call('applyWorkload')).toEqual({
      request: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      endpoint: 'hakopod',
      issuedAt: '2026-11-29T12:00:00.000Z',
      deadline: '2026-11-29T12:01:00.000Z',
      target: WORKLOAD,
      resourceVersion: '7',
      spec,
      create: false,
    });
    const resource = { kind: 'Deployment', name: 'shop/web' };
    expect(recorded()).toEqual([
      { action: 'workload.apply', resource },
      { action: 'workload.apply.end', resource },
    ]);
    const other = { ...input, configuration: { ...(toSnake(read) as object), replicas: -1 } as never };
    expect(await cluster.apply(LOCAL, other, INFO)).toMatchObject({
      ok: false,
      problem: { code: 'invalid_request', at: 'configuration' },
    });
    expect(recorded()).toHaveLength(2);
  });

  it('of an application are refused where they are read, changed or deleted', async () => {
    world.clusterOperations.readWorkload = async () => ok({ ...CONFIGURATION, managed: true });
    world.clusterOperations.operate = async () => ({ outcome: 'denied', detail: 'application_managed' });
    const apply = { ...WORKLOAD, configuration: TEMPLATE, create: false, timeout_seconds: 60 };
    expect(await code(cluster.read(LOCAL, WORKLOAD, INFO))).toBe('application_managed');
    expect(await code(cluster.apply(LOCAL, apply, INFO))).toBe('application_managed');
    expect(await code(cluster.remove(LOCAL, { ...WORKLOAD, confirm_name: 'web' }, INFO))).toBe('application_managed');
    expect(call('applyWorkload')).toBe(undefined);
  });

  it('take one command at a time', async () => {
    const [going, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.clusterOperations.operate = async () => {
      going.resolve();
      await open.promise;
      return { outcome: 'succeeded', detail: '' };
    };
    const first = cluster.restart(LOCAL, WORKLOAD, INFO);
    await going.promise;
    expect(await code(cluster.scale(LOCAL, { ...WORKLOAD, replicas: 3 }, INFO))).toBe('cluster_busy');
    open.resolve();
    must(await first);
    must(await cluster.scale(LOCAL, { ...WORKLOAD, replicas: 3 }, INFO));
  });

  it('let a file be rendered for another cluster', async () => {
    const made = must(await cluster.manifest(LOCAL, { name: 'East 1', namespaces: ['b', 'a', 'b'] }, INFO));
    expect(made.file_name).toBe('hakopod-operations-east-1.yaml');
    expect(made.text).toContain('# It may deploy, operate and exec in: a, b.');
    const link = 'https://hakopod.example.com/enrol#token';
    expect(await code(cluster.manifest(LOCAL, { name: 'x', namespaces: [], link }, INFO))).toBe('invalid_request');
  });
});
