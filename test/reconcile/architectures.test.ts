import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { schedulableArchitectures } from '../../src/reconcile/index.ts';

function node(arch: string | undefined, spec: object = {}, status: object = {}): Manifest {
  const labels = arch === undefined ? {} : { labels: { 'kubernetes.io/arch': arch } };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', ...labels }, spec, status } as Manifest;
}
const taint = (effect: string, key = 'dedicated') => ({ taints: [{ key, effect }] });

describe('schedulableArchitectures', () => {
  it.each([
    ['none', [], []],
    ['each once, sorted', [node('arm64'), node('amd64'), node('arm64')], ['amd64', 'arm64']],
    ['not of a cordoned node', [node('amd64'), node('arm64', { unschedulable: true })], ['amd64']],
    ['not of one that pods may not start on', [node('amd64'), node('arm64', taint('NoSchedule'))], ['amd64']],
    ['not of one that pods are driven from', [node('amd64'), node('arm64', taint('NoExecute'))], ['amd64']],
    ['of one that is only avoided', [node('arm64', taint('PreferNoSchedule'))], ['arm64']],
    ['of one with GPUs', [node('arm64', taint('NoSchedule', 'nvidia.com/gpu'))], ['arm64']],
    ['as the kubelet says without a label', [node(undefined, {}, { nodeInfo: { architecture: 'arm64' } })], ['arm64']],
    ['nothing of one that says nothing', [node(undefined)], []],
  ])('%s', (_, nodes, expected) => {
    expect(schedulableArchitectures(nodes)).toEqual(expected);
  });
});
