import { describe, expect, it } from 'vitest';
import { readWorkload } from '../../../../src/adapters/kubernetes/operations/read-workload.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import type { WorkloadRef } from '../../../../src/ports/cluster-operations/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';
import { ManualClock, podManifest, type Script, scriptedApi } from '../../../support/scripted-cluster.ts';

const REF: WorkloadRef = { namespace: 'shop', kind: 'deployment', name: 'web' };
const WEB = { name: 'web', image: 'nginx:1.27' };

function workload(
  pod: object = {},
  extra: { readonly kind?: string; readonly labels?: object; readonly spec?: object } = {},
): Manifest {
  const { kind = 'Deployment', labels = {}, spec } = extra;
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '42', labels },
    spec: { template: { spec: { containers: [WEB], ...pod } }, ...spec },
  } as Manifest;
}

async function read(object: Manifest | undefined, ref: WorkloadRef = REF, script: Script = {}) {
  const { api, calls } = scriptedApi({ objects: object === undefined ? [] : [object], ...script });
  return { result: await readWorkload({ api, clock: new ManualClock() }, ref), calls };
}
const readEnv = async (env: readonly object[]) =>
  must((await read(workload({ containers: [{ ...WEB, env }] }))).result);
const key = (from: string, name: string): object => ({ [from]: { name, key: 'token' } });

describe('readWorkload', () => {
  it(`${shows('readWorkload', 'whole', 'no_secret_value')} reads the editable template and no other object`, async () => {
    const env = [
      { name: 'MODE', value: 'live' },
      { name: 'EMPTY' },
      { name: 'TOKEN', valueFrom: key('secretKeyRef', 'web-secret') },
      { name: 'FLAG', valueFrom: key('configMapKeyRef', 'web-env') },
    ];
    const resources = {
      requests: { cpu: '100m', memory: '64Mi', 'example.com/gpu': '1' },
      limits: { memory: '128Mi' },
    };
    const envFrom = [{ secretRef: { name: 'all' } }, { prefix: 'X_', configMapRef: { name: 'more' } }];
    const web = { ...WEB, command: ['/bin/web'], args: ['--port', '80'], env, envFrom, resources };
    const init = { name: 'setup', image: 'busybox:1', envFrom: [{ secretRef: { name: 'all' } }, {}] };
    const spec = { replicas: 3, paused: true, strategy: { type: 'Recreate' } };
    const object = workload(
      {},
      { spec: { ...spec, template: { spec: { containers: [web], initContainers: [init] } } } },
    );
    const { result, calls } = await read(object);
    const none = { cpu: '', memory: '' };
    expect(must(result)).toEqual({
      target: REF,
      observedAt: '2026-11-29T12:00:00.000Z',
      resourceVersion: '42',
      replicas: 3,
      paused: true,
      strategy: 'Recreate',
      containers: [
        {
          ...{ name: 'web', image: 'nginx:1.27', imageId: '', command: ['/bin/web'], args: ['--port', '80'] },
          env: [
            { name: 'MODE', value: 'live' },
            { name: 'EMPTY', value: '' },
            { name: 'TOKEN', secret: 'web-secret/token' },
            { name: 'FLAG', configMap: 'web-env/token' },
          ],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '', memory: '128Mi' } },
        },
      ],
      initContainers: [
        {
          name: 'setup',
          image: 'busybox:1',
          imageId: '',
          command: [],
          args: [],
          env: [],
          resources: { requests: none, limits: none },
        },
      ],
      envFrom: ['secret/all', 'configmap/more'],
      managed: false,
      unsupported: [],
    });
    expect(calls.map((call) => call.key)).toEqual(['get Deployment/shop/web']);
  });

  it(`${shows('readWorkload', 'kinds', 'managed')} reads the three kinds with what each of them has, and no pod`, async () => {
    const updateStrategy = { type: 'OnDelete' };
    const labels = { 'app.kubernetes.io/managed-by': 'hakopod' };
    const stateful = await read(workload({}, { kind: 'StatefulSet', spec: { updateStrategy }, labels }), {
      ...REF,
      kind: 'statefulset',
    });
    const state = must(stateful.result);
    expect(state).toMatchObject({ strategy: 'OnDelete', replicas: 1, managed: true });
    expect(state.paused).toBeUndefined();
    const daemon = must((await read(workload({}, { kind: 'DaemonSet' }), { ...REF, kind: 'daemonset' })).result);
    expect([daemon.replicas, daemon.strategy, daemon.managed]).toEqual([undefined, '', false]);
    const pod = await read(podManifest(), { ...REF, kind: 'pod', name: 'web-1' });
    expect(pod.result).toMatchObject({ problem: { code: 'invalid_request' } });
    expect(pod.calls).toEqual([]);
  });

  it(`${shows('readWorkload', 'env_field_ref')} leaves out what comes from anywhere else, and says so`, async () => {
    const read = await readEnv([
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'A', value: 'a' },
    ]);
    expect(read.containers[0]?.env).toEqual([{ name: 'A', value: 'a' }]);
    expect(read.unsupported).toEqual(['env_field_ref']);
  });

  it(`${shows('readWorkload', 'env_truncated')} keeps to 128 entries, 16 KiB a value and 64 KiB in all`, async () => {
    const many = (count: number, value = '') =>
      Array.from({ length: count }, (_, index) => ({ name: `N${index}`, value }));
    expect((await readEnv(many(128))).unsupported).toEqual([]);
    const cases: readonly (readonly object[])[] = [
      many(129),
      [{ name: 'A', value: 'x'.repeat(16 * 1024 + 1) }],
      many(5, 'x'.repeat(16 * 1024 - 2)),
      [{ name: '1BAD', value: 'a' }],
      [{ name: 'A', value: 'a\0' }],
      [
        { name: 'A', value: 'a' },
        { name: 'A', value: 'b' },
      ],
    ];
    for (const env of cases) expect((await readEnv(env)).unsupported).toEqual(['env_truncated']);
    expect((await readEnv(many(4, 'x'.repeat(16 * 1024 - 2)))).unsupported).toEqual([]);
    expect((await readEnv(cases[0]!)).containers[0]?.env).toHaveLength(128);
    expect((await readEnv(cases[5]!)).containers[0]?.env).toEqual([{ name: 'A', value: 'a' }]);
  });

  it(`${shows('readWorkload', 'argv_truncated')} stops at the first argument that is too many, too long or no text`, async () => {
    const readArgs = async (args: readonly string[]) =>
      must((await read(workload({ containers: [{ ...WEB, args }] }))).result);
    expect((await readArgs(Array(64).fill('é'.repeat(2048)))).unsupported).toEqual([]);
    for (const [args, kept] of [
      [Array(65).fill('a'), 64],
      [['a', 'é'.repeat(2049), 'b'], 1],
      [['a', 'b', 'c\0'], 2],
    ] as const) {
      const seen = await readArgs(args);
      expect(seen.unsupported).toEqual(['argv_truncated']);
      expect(seen.containers[0]?.args).toHaveLength(kept);
    }
  });

  it(`${shows('readWorkload', 'containers_limit', 'env_from_limit')} shows 16 containers, 16 init containers and 32 envFrom, which an apply does not touch`, async () => {
    const list = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => ({ ...WEB, name: `${prefix}${index}` }));
    const envFrom = Array.from({ length: 33 }, (_, index) => ({ secretRef: { name: `s${index}` } }));
    const [first, ...rest] = list(17, 'c');
    const pod = { containers: [{ ...first, envFrom }, ...rest], initContainers: list(17, 'i') };
    const seen = must((await read(workload(pod))).result);
    expect([seen.containers.length, seen.initContainers.length, seen.envFrom.length]).toEqual([16, 16, 32]);
    expect(seen.unsupported).toEqual([]);
  });

  it.each([
    ['nginx', 'nginx:latest'],
    ['registry.example.com:5000/team/web', 'registry.example.com:5000/team/web:latest'],
    ['registry.example.com:5000/team/web:2', 'registry.example.com:5000/team/web:2'],
    [`nginx@sha256:${'a'.repeat(64)}`, `nginx@sha256:${'a'.repeat(64)}`],
  ])(`${shows('readWorkload', 'image_without_tag')} says of %s the tag that Kubernetes takes`, async (image, said) => {
    const seen = must((await read(workload({ containers: [{ ...WEB, image }] }))).result);
    expect(seen.containers[0]?.image).toBe(said);
    expect(seen.unsupported).toEqual([]);
  });

  it('passes on that nothing could be read, and shows nothing that is out of bounds', async () => {
    const code = async (object: Manifest | undefined, script: Script = {}) => {
      const { result } = await read(object, REF, script);
      return result.ok ? 'ok' : result.problem.code;
    };
    expect(await code(undefined)).toBe('not_found');
    expect(await code(workload(), { failures: { get: { status: 403 } } })).toBe('forbidden');
    expect(await code(workload(), { failures: { get: {} } })).toBe('cluster_unavailable');
    expect(await code(workload({ containers: [] }))).toBe('invalid_object');
    expect(await code(workload({ containers: [{ name: 'web', image: '' }] }))).toBe('invalid_object');
  });
});
