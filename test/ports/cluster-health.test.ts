import { expect, it } from 'vitest';
import { clusterHealth, type Snapshot } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';

const NODE = {
  name: 'a',
  version: 'v1.35.4',
  os: 'linux',
  arch: 'amd64',
  ready: true,
  roles: [],
  unschedulable: false,
};
const DOWN = { ...NODE, name: 'b', ready: false };

function of(nodes: Snapshot['nodes'], truncated: Snapshot['truncated'] = []): string {
  return clusterHealth({ nodes, truncated });
}

it(`${shows('snapshot', 'health')} is the nodes' health, as far as all of them are known`, () => {
  expect(clusterHealth(undefined)).toBe('unknown');
  expect(of([])).toBe('unknown');
  expect(of([], ['nodes'])).toBe('unknown');
  expect(of([NODE, DOWN])).toBe('degraded');
  expect(of([DOWN], ['nodes'])).toBe('degraded');
  expect(of([NODE], ['nodes'])).toBe('unknown');
  expect(of([NODE, { ...NODE, unschedulable: true }], ['pods'])).toBe('healthy');
});
