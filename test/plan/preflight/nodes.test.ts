import { describe, expect, it } from 'vitest';
import { node, observation } from '../../support/capacity.ts';
import { amounts, GIB, judge, OWN, placed, refusals, service, shown } from './support.ts';

const SMALL = { allocatable: amounts(1000, 1024) };
const WEB = service('web', 100, 64);
const GPU_TAINT = { key: 'nvidia.com/gpu', effect: 'NoSchedule' };
const PASSED = ['nodes passed', 'service_capacity passed', 'resources passed', 'disk passed'];

describe('eligible nodes (facts 11.3)', () => {
  it('are ready, not cordoned and not tainted', () => {
    expect(shown(judge(WEB, observation([node('a')])))).toEqual(PASSED);
    const soft = node('a', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] });
    expect(shown(judge(WEB, observation([soft])))).toEqual(PASSED);
  });

  it.each([
    ['not ready', { ready: false }],
    ['cordoned', { unschedulable: true }],
    ['tainted NoSchedule', { taints: [{ key: 'x', effect: 'NoSchedule' }] }],
    ['tainted NoExecute', { taints: [{ key: 'x', effect: 'NoExecute' }] }],
  ])('block when the only one is %s', (_what, given) => {
    const judged = judge(WEB, observation([node('a', given)]));
    expect(shown(judged)).toEqual(['nodes blocked']);
    expect(refusals(judged)).toEqual([
      'delivery_unavailable : nodes: none of 1 nodes takes pods: each is not ready, cordoned or tainted',
    ]);
  });

  it('are unknown, and nothing else is looked at, when none is shown', () => {
    for (const judged of [judge(WEB, observation([])), judge(WEB, undefined, { cluster: undefined })]) {
      expect(shown(judged)).toEqual(['nodes unknown']);
      expect(judged.problems).toEqual([]);
      expect(judged.warnings).toEqual(['nodes: the cluster shows no node, so nothing is known of its room']);
    }
  });

  it('leave a service that tolerates more on its own word', () => {
    const patched = service(
      'web',
      100,
      64,
      "kubernetes = { deployment = 'spec: { template: { spec: { tolerations: [] } } }' }",
    );
    const tainted = observation([node('a', { taints: [{ key: 'x', effect: 'NoSchedule' }] })]);
    const judged = judge(patched, tainted);
    expect(shown(judged)).toEqual(['nodes unknown']);
    expect(judged.warnings[0]).toContain('a Kubernetes patch sets tolerations');
    const small = observation([node('a', { allocatable: amounts(50, 32) })]);
    expect(shown(judge(patched + service('other', 60, 16), small))).toEqual([
      'nodes passed',
      'service_capacity blocked services.other',
      'service_capacity unknown services.web',
      'resources unknown',
      'disk passed',
    ]);
  });
});

describe('service_capacity', () => {
  it('fits one pod into what can be allocated, not into what is free', () => {
    const full = observation([node('a', SMALL), node('b')], { placed: [placed('a', 1000, 1024)] });
    expect(shown(judge(service('web', 1000, 1024, 'node_name = "a"'), full))).toContain('service_capacity passed');
  });

  it('has one blocked entry for each service, with the numbers', () => {
    const judged = judge(
      service('b', 1001, 16) + service('a', 10, 1025) + service('c', 10, 16),
      observation([node('n', SMALL)]),
    );
    expect(refusals(judged).slice(0, 2)).toEqual([
      'delivery_unavailable services.a: service_capacity: one pod fits on no node; requested 10m CPU, 1025Mi memory; available 1000m CPU, 1024Mi memory; shortage 0m CPU, 1Mi memory at most',
      'delivery_unavailable services.b: service_capacity: one pod fits on no node; requested 1001m CPU, 16Mi memory; available 1000m CPU, 1024Mi memory; shortage 1m CPU, 0Mi memory at most',
    ]);
    expect(shown(judged).filter((text) => text.startsWith('service_capacity'))).toHaveLength(2);
  });

  it.each([
    ['architecture', service('web', 10, 16, 'architecture = "arm64"'), [node('a')]],
    ['GPU', service('web', 10, 16, 'size = "gpu"\ngpu = { count = 1 }'), [node('a')]],
    ['no GPU on a node for GPUs', WEB, [node('g', { taints: [GPU_TAINT] })]],
  ])('honours %s', (_what, toml, nodes) => {
    expect(shown(judge(toml, observation(nodes)))).toContain('service_capacity blocked services.web');
  });

  it('places GPUs where there are enough, taint or not', () => {
    const toml = service('web', 10, 16, 'size = "gpu"\ngpu = { count = 2 }');
    const gpus = (count: number) => node('g', { allocatable: amounts(1000, 1024, count), taints: [GPU_TAINT] });
    expect(shown(judge(toml, observation([gpus(2)])))).toEqual(PASSED);
    expect(refusals(judge(toml, observation([gpus(1)])))).toEqual([
      'delivery_unavailable services.web: service_capacity: one pod fits on no node; requested 10m CPU, 16Mi memory, 2 GPU; available 1000m CPU, 1024Mi memory, 1 GPU; shortage 0m CPU, 0Mi memory, 1 GPU at most',
      'delivery_unavailable : resources: requested 10m CPU, 16Mi memory, 2 GPU; available 1000m CPU, 1024Mi memory, 1 GPU; shortage 0m CPU, 0Mi memory, 1 GPU',
    ]);
  });

  it('is met by an architecture that is there', () => {
    const arm = node('arm', { labels: { 'kubernetes.io/arch': 'arm64' } });
    expect(shown(judge(service('web', 10, 16, 'architecture = "arm64"'), observation([node('a'), arm])))).toEqual(
      PASSED,
    );
  });
});

describe('node_capacity', () => {
  const two = (free: number) => observation([node('a', SMALL), node('b')], { placed: [placed('a', 1000 - free, 0)] });
  const pinned = (name: string, cpu: number, more = '') => service(name, cpu, 16, `node_name = "a"\n${more}`);

  it('is what is free on the one node for all that name it', () => {
    const toml = pinned('x', 100) + pinned('y', 200) + service('z', 900, 16);
    expect(shown(judge(toml, two(300)))).toContain('node_capacity passed services.x.node_name');
    expect(refusals(judge(toml, two(299)))).toEqual([
      'delivery_unavailable services.x.node_name: node_capacity: what names this node does not fit there; requested 300m CPU, 32Mi memory; available 299m CPU, 1024Mi memory; shortage 1m CPU, 0Mi memory',
    ]);
  });

  it('adds the largest job alone', () => {
    const toml = pinned('x', 100) + pinned('j', 200, 'job = {}') + pinned('k', 150, 'job = {}');
    expect(judge(toml, two(300)).problems).toEqual([]);
    expect(judge(toml, two(299)).problems).toHaveLength(1);
  });
});

describe('resources', () => {
  it('is all that is asked for against all that is free, without packing', () => {
    const cluster = observation([node('a', SMALL), node('b', SMALL)], {
      placed: [placed('a', 500, 0), placed('b', 500, 0)],
    });
    expect(judge(service('web', 250, 16, 'replicas = 4'), cluster).problems).toEqual([]);
    const judged = judge(service('web', 251, 16, 'replicas = 4'), cluster);
    expect(refusals(judged)).toEqual([
      'delivery_unavailable : resources: requested 1004m CPU, 64Mi memory; available 1000m CPU, 2048Mi memory; shortage 4m CPU, 0Mi memory',
    ]);
  });

  it('gives the numbers also when there is enough', () => {
    const check = judge(WEB, observation([node('a', SMALL)])).report.checks.find(({ code }) => code === 'resources');
    expect(check).toEqual({
      code: 'resources',
      status: 'passed',
      message: 'requested 100m CPU, 64Mi memory; available 1000m CPU, 1024Mi memory; shortage 0m CPU, 0Mi memory',
    });
  });

  it('does not count the application itself twice, and every other namespace once', () => {
    const here = observation([node('a', SMALL)], { placed: [placed('a', 900, 900, OWN)] });
    expect(judge(service('web', 900, 900), here).problems).toEqual([]);
    expect(judge(service('web', 900, 900), here, { namespace: undefined }).problems).not.toEqual([]);
  });

  it('takes nothing from one node for what another is short of', () => {
    const cluster = observation([node('a', SMALL), node('b', SMALL)], { placed: [placed('a', 3000, 0)] });
    expect(judge(service('web', 1000, 16), cluster).problems).toEqual([]);
  });

  it('counts nodes for GPUs, and no node that takes nothing', () => {
    const gpu = node('g', { ...SMALL, taints: [GPU_TAINT] });
    const cordoned = node('c', { unschedulable: true });
    const judged = judge(service('web', 500, 16, 'replicas = 4'), observation([node('a', SMALL), gpu, cordoned]));
    expect(judged.problems).toEqual([]);
    expect(
      judge(service('web', 500, 16, 'replicas = 5'), observation([node('a', SMALL), gpu, cordoned])).problems,
    ).toHaveLength(1);
  });
});

describe('disk', () => {
  const disk = (...free: (number | undefined)[]) =>
    observation(
      free.map((bytes, i) => {
        const { freeDiskBytes: _, ...rest } = node(`n${i}`);
        return bytes === undefined ? rest : { ...rest, freeDiskBytes: bytes };
      }),
    );

  it.each([
    ['exactly enough', [2 * GIB], 'disk passed'],
    ['one of two', [0, 2 * GIB], 'disk passed'],
    ['one known and enough', [undefined, 2 * GIB], 'disk passed'],
    ['one known and not enough', [undefined, GIB], 'disk unknown'],
    ['nothing known', [undefined], 'disk unknown'],
    ['all known and none enough', [GIB, 2 * GIB - 1], 'disk blocked'],
  ])('is %s', (_what, free, want) => {
    expect(shown(judge(WEB, disk(...free)))).toContain(want);
  });

  it('warns when unknown and says how much is missing when blocked', () => {
    expect(judge(WEB, disk(undefined)).warnings).toEqual(['disk: the free disk space of the nodes is not known']);
    expect(refusals(judge(WEB, disk(GIB)))).toEqual([
      'delivery_unavailable : disk: no node has disk space for images; requested 2.0Gi; available 1.0Gi at most; shortage 1.0Gi',
    ]);
  });
});
