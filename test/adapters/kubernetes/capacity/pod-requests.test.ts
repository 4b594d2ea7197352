import { describe, expect, it } from 'vitest';
import { PlacedSum, podRequests } from '../../../../src/adapters/kubernetes/capacity/pod-requests.ts';

const MIB = 1024 ** 2;

function container(cpu: string, memory: string, more: object = {}): object {
  return { name: 'c', resources: { requests: { cpu, memory } }, ...more };
}
const sidecar = (cpu: string, memory: string) => container(cpu, memory, { restartPolicy: 'Always' });

describe('what a pod asks for (facts 11.3)', () => {
  it.each([
    ['nothing', {}, [0, 0, 0]],
    ['a container that asks for nothing', { containers: [{ name: 'c' }] }, [0, 0, 0]],
    ['containers together', { containers: [container('100m', '1Mi'), container('0.2', '2Mi')] }, [300, 3, 0]],
    ['a fraction of a thousandth, rounded up', { containers: [container('100u', '1Mi')] }, [1, 1, 0]],
    [
      'an init container that needs more than what runs later',
      { initContainers: [container('1', '1Mi'), container('500m', '9Mi')], containers: [container('100m', '2Mi')] },
      [1000, 9, 0],
    ],
    [
      'a sidecar beside what runs',
      { initContainers: [sidecar('50m', '4Mi')], containers: [container('100m', '2Mi')] },
      [150, 6, 0],
    ],
    [
      'a sidecar beside the init containers that start after it, not before',
      {
        initContainers: [container('200m', '1Mi'), sidecar('50m', '4Mi'), container('180m', '1Mi')],
        containers: [container('100m', '1Mi')],
      },
      [230, 5, 0],
    ],
    ['overhead', { overhead: { cpu: '10m', memory: '16Mi' }, containers: [container('100m', '1Mi')] }, [110, 17, 0]],
    [
      'what the pod says as a whole, and what it does not say from its containers',
      { resources: { requests: { cpu: '1' } }, overhead: { cpu: '5m' }, containers: [container('100m', '1Mi')] },
      [1005, 1, 0],
    ],
    [
      'GPUs',
      {
        containers: [
          { resources: { requests: { 'nvidia.com/gpu': '2' } } },
          { resources: { requests: { 'nvidia.com/gpu': 1 } } },
        ],
      },
      [0, 0, 3],
    ],
  ])('is %s', (_what, spec, [cpu, memory, gpus]) => {
    expect(podRequests(spec)).toEqual({ cpuMillis: cpu, memoryBytes: (memory ?? 0) * MIB, gpus });
  });

  it('is added up by node and namespace, for pods that have a node', () => {
    const sum = new PlacedSum();
    const pod = (namespace: string, nodeName?: string) => ({
      metadata: { namespace },
      spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: [container('100m', '1Mi')] },
    });
    for (const one of [pod('a', 'n'), pod('a', 'n'), pod('b', 'n'), pod('a', 'm'), pod('a')]) sum.add(one);
    expect(sum.all().map(({ node, namespace, amounts }) => [node, namespace, amounts.cpuMillis])).toEqual([
      ['n', 'a', 200],
      ['n', 'b', 100],
      ['m', 'a', 100],
    ]);
  });
});
