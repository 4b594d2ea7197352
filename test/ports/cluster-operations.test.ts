import { describe, expect, it } from 'vitest';
import {
  parseDeploymentRequest,
  parseRemovalRequest,
  parseWorkloadApply,
  parseWorkloadRef,
  Quantity,
  ResourceVersion,
} from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import { newInstance, removalOf, requestOf, serviceOf } from '../support/deploy-stage.ts';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const DIGEST = `sha256:${'b'.repeat(64)}`;
const STAGE = { namespace: 'shop', image: `registry.example.com/app@${DIGEST}` };
const TIMES = { issuedAt: '2026-11-29T12:00:00.000Z', deadline: '2026-11-29T12:10:00.000Z' };
const SERVICE = serviceOf(STAGE, 'web');
const REQUEST = { ...requestOf(STAGE, newInstance(), [SERVICE]), ...TIMES };

function verdict(input: unknown): string {
  const result = parseDeploymentRequest(input, NOW);
  return result.ok ? 'ok' : result.problem.code;
}
const withService = (change: object): string => verdict({ ...REQUEST, services: [{ ...SERVICE, ...change }] });
const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

const CONTAINER = {
  ...{ name: 'main', image: STAGE.image, command: [], args: [], env: [] },
  resources: { requests: { cpu: '', memory: '' }, limits: { cpu: '', memory: '' } },
};
const TARGET = { namespace: 'shop', kind: 'deployment', name: 'web' };
const SPEC = {
  ...{ target: TARGET, resourceVersion: '7', replicas: 1, paused: false, strategy: '', containers: [CONTAINER] },
  ...{ initContainers: [], envFrom: [], managed: false, unsupported: [] },
};
const APPLY = {
  ...{ request: REQUEST.deployment, endpoint: 'e', target: TARGET, resourceVersion: '7', spec: SPEC, create: false },
  ...TIMES,
};
function applied(change: object, spec: object = {}): string {
  const result = parseWorkloadApply({ ...APPLY, ...change, spec: { ...SPEC, ...spec } }, NOW);
  return result.ok ? 'ok' : result.problem.code;
}
const withContainer = (change: object): string => applied({}, { containers: [{ ...CONTAINER, ...change }] });

describe('requests', () => {
  it('are taken when all is well', () => {
    expect([verdict(REQUEST), applied({})]).toEqual(['ok', 'ok']);
    expect(parseRemovalRequest({ ...removalOf(STAGE, newInstance(), ['web']), ...TIMES }, NOW).ok).toBe(true);
  });

  it(`${shows('requests', 'invalid_request')} say nothing this side does not know`, () => {
    for (const change of [
      ...[{ registries: [] }, { volumes: [] }, { deployment: 'X' }, { requestId: '' }, { requestId: 'a'.repeat(65) }],
      ...[{ endpoint: 'a b' }, { endpoint: 'a'.repeat(129) }, { project: '-a' }, { project: 'a'.repeat(65) }],
      ...[{ revision: 0 }, { revision: 101 }, { issuedAt: undefined }],
    ])
      expect(verdict({ ...REQUEST, ...change }), JSON.stringify(change)).toBe('invalid_request');
    for (const change of [
      { container: 'x' },
      { imageId: 'x' },
      { volumes: [] },
      { restart: 'on-failure' },
      { name: 'Web' },
    ])
      expect(withService(change), JSON.stringify(change)).toBe('invalid_request');
    for (const change of [
      { restart: '' },
      { restart: 'always' },
      { restart: 'unless-stopped' },
      { name: 'a'.repeat(63) },
    ])
      expect(withService(change), JSON.stringify(change)).toBe('ok');
    for (const target of [{ namespace: 'A' }, { instanceId: 'x' }, { specDigest: 'sha256:1' }, { more: 1 }])
      expect(verdict({ ...REQUEST, target: { ...REQUEST.target, ...target } })).toBe('invalid_request');
    expect(withService({ name: 'a'.repeat(64) })).toBe('invalid_request');
  });

  it(`${shows('requests', 'lifetime')} end within fifteen minutes of their issue and of now`, () => {
    for (const [issuedAt, deadline, expected] of [
      ['2026-11-29T12:00:00Z', '2026-11-29T12:15:00Z', 'ok'],
      ['2026-11-29T12:00:00Z', '2026-11-29T12:15:00.001Z', 'invalid_request'],
      ['2026-11-29T11:56:00Z', '2026-11-29T12:11:00.001Z', 'invalid_request'],
      ['2026-11-29T12:04:00Z', '2026-11-29T12:15:00.001Z', 'invalid_request'],
      ['2026-11-29T11:56:00Z', '2026-11-29T12:00:00Z', 'invalid_request'],
      ['2026-11-29T12:02:00Z', '2026-11-29T12:01:00Z', 'invalid_request'],
      ['2026-11-29T11:50:00Z', '2026-11-29T11:50:00Z', 'clock_skew'],
    ])
      expect(verdict({ ...REQUEST, issuedAt, deadline }), `${issuedAt} ${deadline}`).toBe(expected);
  });

  it(`${shows('requests', 'clock_skew')} are judged by their times before their content`, () => {
    const skewed = { issuedAt: '2026-11-29T10:00:00Z' };
    expect(verdict({ ...REQUEST, ...skewed, services: [] })).toBe('clock_skew');
    expect(verdict({ ...REQUEST, ...skewed, requestId: '' })).toBe('invalid_request');
    expect(applied(skewed, { containers: [] })).toBe('clock_skew');
  });

  it(`${shows('requests', 'services', 'ports')} have at most 100 services and 64 ports`, () => {
    const services = (count: number) => many(count, (i) => serviceOf(STAGE, `s${i}`));
    expect(verdict({ ...REQUEST, services: services(100) })).toBe('ok');
    expect(verdict({ ...REQUEST, services: services(101) })).toBe('invalid_request');
    expect(verdict({ ...REQUEST, services: [SERVICE, SERVICE] })).toBe('invalid_request');
    const ports = (count: number) => many(count, (i) => ({ protocol: 'tcp', published: i + 1, target: 80 }));
    expect(withService({ ports: ports(64) })).toBe('ok');
    expect(withService({ ports: ports(65) })).toBe('invalid_request');
    const port = { protocol: 'tcp', published: 80, target: 80 };
    expect(withService({ ports: [port, { ...port, protocol: 'udp' }] })).toBe('ok');
    for (const change of [
      { published: 0 },
      { published: 65536 },
      { target: 0 },
      { protocol: 'sctp' },
      { hostIp: '::' },
    ])
      expect(withService({ ports: [{ ...port, ...change }] }), JSON.stringify(change)).toBe('invalid_request');
    expect(withService({ ports: [port, { ...port, target: 81 }] })).toBe('invalid_request');
    const removal = {
      ...removalOf(
        STAGE,
        newInstance(),
        many(101, (i) => `s${i}`),
      ),
      ...TIMES,
    };
    expect(parseRemovalRequest(removal, NOW).ok).toBe(false);
  });

  const claim = (name: string, change: object = {}) => ({ name, size: '1Gi', accessMode: 'ReadWriteOnce', ...change });
  const withClaims = (claims: readonly object[], mounts: readonly object[][]): string =>
    verdict({
      ...REQUEST,
      services: mounts.map((one, i) => ({ ...serviceOf(STAGE, `s${i}`), mounts: one })),
      target: { ...REQUEST.target, claims },
    });
  const mount = (name: string, path = `/${name}`) => ({ claim: name, path });

  it(`${shows('requests', 'claims')} have at most 16 claims, each mounted by exactly one service`, () => {
    const names = many(17, (i) => `c${i}`);
    const mounts = [names.slice(0, 8), names.slice(8, 16), names.slice(16)].map((some) =>
      some.map((one) => mount(one)),
    );
    expect(
      withClaims(
        names.slice(0, 16).map((one) => claim(one)),
        mounts.slice(0, 2),
      ),
    ).toBe('ok');
    expect(
      withClaims(
        names.map((one) => claim(one)),
        mounts,
      ),
    ).toBe('invalid_request');
    expect(withClaims([claim('a')], [[mount('a'), mount('a', '/b')]])).toBe('ok');
    expect(withClaims([claim('a')], [[]])).toBe('invalid_request');
    expect(withClaims([claim('a')], [[mount('a')], [mount('a')]])).toBe('invalid_request');
    expect(withClaims([], [[mount('a')]])).toBe('invalid_request');
    expect(withClaims([claim('a'), claim('a')], [[mount('a')]])).toBe('invalid_request');
    for (const change of [{ accessMode: 'ReadWriteMany' }, { class: 'A' }, { name: 'a.b' }])
      expect(withClaims([claim('a', change)], [[mount('a')]])).toBe('invalid_request');
    expect(withClaims([claim('a', { class: 'fast.disk' })], [[mount('a')]])).toBe('ok');
  });

  it(`${shows('requests', 'claim_size')} ask for 1Mi to 16Ti in whole numbers`, () => {
    for (const size of ['1Mi', '999999Mi', '16Ti', '16384Gi'])
      expect(withClaims([claim('a', { size })], [[mount('a')]]), size).toBe('ok');
    for (const size of ['0Mi', '01Mi', '1.5Gi', '1G', '1Ki', '17Ti', '16385Gi', '1000000Mi', '-1Gi', '1 Gi', ''])
      expect(withClaims([claim('a', { size })], [[mount('a')]]), size).toBe('invalid_request');
  });

  it(`${shows('requests', 'mounts', 'mount_path')} mount at most 8 times, at clean paths`, () => {
    const mounts = (count: number) => many(count, (i) => mount('a', `/p${i}`));
    expect(withClaims([claim('a')], [mounts(8)])).toBe('ok');
    expect(withClaims([claim('a')], [mounts(9)])).toBe('invalid_request');
    expect(withClaims([claim('a')], [[mount('a', '/x'), mount('a', '/x')]])).toBe('invalid_request');
    for (const path of [
      '/',
      'data',
      '',
      '/a/',
      '/a//b',
      '/a/./b',
      '/a/../b',
      '/a\nb',
      '/a\u200bb',
      '/a\u2028',
      `/${'a'.repeat(4096)}`,
    ])
      expect(withClaims([claim('a')], [[mount('a', path)]]), JSON.stringify(path.slice(0, 20))).toBe('invalid_request');
    expect(withClaims([claim('a')], [[mount('a', `/${'a'.repeat(4095)}`)]])).toBe('ok');
  });

  it(`${shows('requests', 'env', 'secret_keys')} bound variables and sort secret keys`, () => {
    const env = (count: number) => Object.fromEntries(many(count, (i) => [`N${i}`, '']));
    expect([withService({ env: env(128) }), withService({ env: env(129) })]).toEqual(['ok', 'invalid_request']);
    expect(withService({ env: { A: 'x'.repeat(16 * 1024) } })).toBe('ok');
    expect(withService({ env: { A: 'x'.repeat(16 * 1024 + 1) } })).toBe('invalid_request');
    const whole = (rest: number) => ({
      A: 'x'.repeat(16383),
      B: 'x'.repeat(16383),
      C: 'x'.repeat(16383),
      D: 'x'.repeat(rest),
    });
    expect(withService({ env: whole(16383) })).toBe('ok');
    expect(withService({ env: whole(16384) })).toBe('invalid_request');
    for (const name of ['', '1A', 'A-B', 'a'.repeat(129)])
      expect(withService({ env: { [name]: '' } }), name).toBe('invalid_request');
    for (const value of ['a\0b', '\ud800']) expect(withService({ env: { A: value } })).toBe('invalid_request');
    const keys = { A: '', B: '', C: '' };
    expect(withService({ env: keys, secretKeys: ['A', 'C'] })).toBe('ok');
    for (const secretKeys of [['C', 'A'], ['A', 'A'], ['D']])
      expect(withService({ env: keys, secretKeys }), secretKeys.join()).toBe('invalid_request');
  });

  it(`${shows('requests', 'cluster_ip')} ask for an address of one host, in its shortest form, beside ports`, () => {
    const ports = [{ protocol: 'tcp', published: 80, target: 80 }];
    for (const clusterIP of ['10.0.0.9', 'fd00::1']) expect(withService({ ports, clusterIP }), clusterIP).toBe('ok');
    for (const clusterIP of [
      'None',
      '',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '10.0.0.09',
      '::',
      'ff02::1',
      'fd00:0::1',
      'FD00::1',
      'fe80::1%e',
    ])
      expect(withService({ ports, clusterIP }), clusterIP).toBe('invalid_request');
    expect(withService({ clusterIP: '10.0.0.9' })).toBe('invalid_request');
    const both = ['a', 'b'].map((name) => ({ ...serviceOf(STAGE, name), ports, clusterIP: '10.0.0.9' }));
    expect(verdict({ ...REQUEST, services: both })).toBe('invalid_request');
  });

  it(`${shows('requests', 'image')} pull by digest from a named host`, () => {
    const pull = (reference: string, digest = DIGEST): string => withService({ image: { reference, digest } });
    for (const good of [`r.example/a@${DIGEST}`, `localhost/a/b@${DIGEST}`, `r:5000/a@${DIGEST}`])
      expect(pull(good), good).toBe('ok');
    for (const bad of [
      `app@${DIGEST}`,
      `library/app@${DIGEST}`,
      'r.example/a:1',
      `r.example/a:1@${DIGEST}`,
      `r.example/A@${DIGEST}`,
    ])
      expect(pull(bad), bad).toBe('invalid_request');
    expect(pull(`r.example/a@${DIGEST}`, `sha256:${'c'.repeat(64)}`)).toBe('invalid_request');
  });
});

describe('changes of workloads', () => {
  it(`${shows('requests', 'replicas', 'containers')} bound replicas and containers`, () => {
    expect([applied({}, { replicas: 0 }), applied({}, { replicas: 1000 })]).toEqual(['ok', 'ok']);
    for (const replicas of [-1, 1001, 1.5, undefined]) expect(applied({}, { replicas })).toBe('invalid_request');
    const containers = (count: number) => many(count, (i) => ({ ...CONTAINER, name: `c${i}` }));
    expect(applied({}, { containers: containers(16) })).toBe('ok');
    for (const bad of [[], containers(17), [CONTAINER, CONTAINER]])
      expect(applied({}, { containers: bad })).toBe('invalid_request');
    expect(applied({}, { initContainers: [CONTAINER] })).toBe('invalid_request');
  });

  it(`${shows('requests', 'argv', 'env')} bound arguments and variables of a container`, () => {
    expect(withContainer({ command: many(64, () => 'x'), args: ['x'.repeat(4096)] })).toBe('ok');
    for (const change of [{ command: many(65, () => 'x') }, { args: ['x'.repeat(4097)] }, { args: ['\0'] }])
      expect(withContainer(change)).toBe('invalid_request');
    const env = (count: number) => many(count, (i) => ({ name: `N${i}`, value: '' }));
    expect([withContainer({ env: env(128) }), withContainer({ env: env(129) })]).toEqual(['ok', 'invalid_request']);
    const large = (rest: number) => [
      ...many(3, (i) => ({ name: `N${i}`, value: 'x'.repeat(16 * 1024) })),
      { name: 'R', value: 'x'.repeat(rest) },
    ];
    expect(withContainer({ env: large(16 * 1024 - 7) })).toBe('ok');
    expect(withContainer({ env: large(16 * 1024 - 6) })).toBe('invalid_request');
  });

  it(`${shows('requests', 'references')} name a value, a Secret's key or a ConfigMap's, and never two`, () => {
    for (const entry of [{ secret: 'a/b' }, { configMap: 'a.b/c.d' }, { value: '' }])
      expect(withContainer({ env: [{ name: 'A', ...entry }] })).toBe('ok');
    for (const entry of [{}, { value: '', secret: 'a/b' }, { secret: 'a' }, { secret: 'a/b/c' }, { configMap: 'A/b' }])
      expect(withContainer({ env: [{ name: 'A', ...entry }] }), JSON.stringify(entry)).toBe('invalid_request');
    expect(
      withContainer({
        env: [
          { name: 'A', value: '' },
          { name: 'A', value: '' },
        ],
      }),
    ).toBe('invalid_request');
  });

  it(`${shows('requests', 'quantity')} give quantities Kubernetes parses`, () => {
    for (const good of ['', '1', '.5', '1.5Gi', '100m', '1e3', '2E', '0'])
      expect(Quantity.safeParse(good).success, good).toBe(true);
    for (const bad of ['-1', '+1', 'x', '1 Gi', '1gi', '.', '1'.repeat(33)])
      expect(Quantity.safeParse(bad).success, bad).toBe(false);
  });

  it(`${shows('requests', 'resource_version')} name the version of the read`, () => {
    expect(ResourceVersion.safeParse('a'.repeat(64)).success).toBe(true);
    for (const bad of ['', 'a'.repeat(65), 'a b', 'a/b']) expect(ResourceVersion.safeParse(bad).success).toBe(false);
    expect(applied({ resourceVersion: '8' })).toBe('invalid_request');
    expect(applied({ resourceVersion: '' }, { resourceVersion: '' })).toBe('invalid_request');
  });

  it(`${shows('requests', 'apply_bytes')} are no larger than 128 KiB`, () => {
    const args = (count: number) => ({ containers: [{ ...CONTAINER, args: many(count, () => 'x'.repeat(4000)) }] });
    expect([applied({}, args(30)), applied({}, args(33))]).toEqual(['ok', 'invalid_request']);
  });

  it(`${shows('requests', 'create_shape')} say only what their kind has, and a create less`, () => {
    for (const spec of [
      { observedAt: TIMES.issuedAt },
      { managed: true },
      { unsupported: ['env_truncated'] },
      { runManifest: '{}' },
      { strategy: 'OnDelete' },
    ])
      expect(applied({}, spec), JSON.stringify(spec)).toBe('invalid_request');
    const target = (kind: string) => ({ ...TARGET, kind });
    expect(
      applied({ target: target('daemonset') }, { target: target('daemonset'), replicas: undefined, paused: undefined }),
    ).toBe('ok');
    expect(applied({ target: target('daemonset') }, { target: target('daemonset'), paused: undefined })).toBe(
      'invalid_request',
    );
    expect(applied({ target: target('statefulset') }, { target: target('statefulset') })).toBe('invalid_request');
    expect(applied({ target: target('pod') }, { target: target('pod') })).toBe('invalid_request');
    expect(applied({ target: { ...TARGET, name: 'other' } })).toBe('invalid_request');
    const create = (spec: object = {}, change: object = {}): string =>
      applied({ create: true, resourceVersion: '', ...change }, { resourceVersion: '', ...spec });
    expect(create()).toBe('ok');
    const init = { ...CONTAINER, name: 'init' };
    for (const spec of [
      { paused: true },
      { initContainers: [init] },
      { envFrom: ['secret/a'] },
      { resourceVersion: '7' },
    ])
      expect(create(spec), JSON.stringify(spec)).toBe('invalid_request');
  });

  it('name a workload by three parts', () => {
    const good = parseWorkloadRef('shop/deployment/web');
    expect(good.ok && good.value).toEqual(TARGET);
    for (const bad of [
      '',
      'shop/web',
      'shop/Deployment/web',
      'shop/job/web',
      'shop/pod/web.1',
      'shop/pod/web/x',
      `shop/pod/${'a'.repeat(64)}`,
    ])
      expect(parseWorkloadRef(bad).ok, bad).toBe(false);
  });
});
