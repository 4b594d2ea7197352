import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObservedClaim } from '../../../src/kernel/index.ts';
import { node, observation } from '../../support/capacity.ts';
import { amounts, GIB, judge, OWN, placed, refusals, service, shown } from './support.ts';

const MOUNT = (volume: string) => `mounts = [{ volume = "${volume}", mount_path = "/${volume}" }]\n`;
const VOLUME = (name: string) => `[volumes.${name}]\nsize_gib = 1\n`;
const small = (name: string) => node(name, { allocatable: amounts(1000, 1024) });

function pair(cpu: number, more = ''): string {
  return service('x', cpu, 16, MOUNT('v') + more) + service('y', cpu, 16, MOUNT('v') + more) + VOLUME('v');
}

function on(...hosts: string[]): ObservedClaim {
  const term = { expressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: hosts }], fields: [] };
  return {
    ...{ name: 'c', storageClass: 'standard', sizeBytes: GIB, accessModes: ['ReadWriteOnce'] },
    nodeTerms: [term],
  };
}

describe('services that share a ReadWriteOnce volume', () => {
  it('must fit together on one node', () => {
    const two = observation([small('a'), small('b')]);
    expect(shown(judge(pair(500), two))).toContain('shared_volume_capacity passed volumes.v');
    const judged = judge(pair(501), two);
    expect(refusals(judged)).toEqual([
      'delivery_unavailable volumes.v: shared_volume_capacity: the 2 services that share it do not fit together on one node; where most is free: requested 1002m CPU, 32Mi memory; available 1000m CPU, 1024Mi memory; shortage 2m CPU, 0Mi memory',
    ]);
  });

  it('are placed where they fit when that is not everywhere', () => {
    const one = observation([small('a'), small('b'), small('c')], { placed: [placed('b', 1, 0)] });
    expect(judge(pair(500), one).placement).toEqual({ v: ['a', 'c'] });
    expect(judge(pair(400), one).placement).toEqual({});
  });

  it('count as free what they have there now', () => {
    const own = observation([small('a')], { placed: [placed('a', 1000, 32, OWN)] });
    expect(judge(pair(500), own).problems).toEqual([]);
  });

  it('leave what is pinned by others, with the largest of their jobs', () => {
    const pinned = service('p', 100, 16, 'node_name = "a"') + service('j', 50, 16, 'node_name = "a"\njob = {}');
    const one = observation([small('a'), node('huge', { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] })]);
    expect(judge(pair(425) + pinned, one).problems).toEqual([]);
    expect(shown(judge(pair(426) + pinned, one))).toContain('shared_volume_capacity blocked volumes.v');
    expect(judge(pair(425) + pinned, observation([small('a'), small('b')])).placement).toEqual({});
    expect(judge(pair(426) + pinned, observation([small('a'), small('b')])).placement).toEqual({ v: ['b'] });
  });

  it('do not stand in their own way when they name the node themselves', () => {
    const judged = judge(pair(500, 'node_name = "a"\n'), observation([small('a'), small('b')]));
    expect(judged.problems).toEqual([]);
    expect(judged.placement).toEqual({});
  });

  it('stay where the volumes they have can be used, those of their own too', () => {
    const two = observation([small('a'), small('b')]);
    const claims = { volumes: { v: on('b') }, own: {} };
    expect(judge(pair(100), two, { claims }).placement).toEqual({ v: ['b'] });
    const elsewhere = judge(pair(100), two, { claims: { volumes: { v: on('z') }, own: {} } });
    expect(refusals(elsewhere)).toEqual([
      'delivery_unavailable volumes.v: shared_volume_capacity: no node takes the 2 services that share it together with the volumes they have',
    ]);
    const mixed = `${pair(100)}[services.x.volume]\nmount_path = "/own"\nsize_gib = 1\n`;
    const apart = judge(mixed, two, { claims: { volumes: { v: on('a') }, own: { x: on('b') } } });
    expect(shown(apart)).toContain('shared_volume_capacity blocked volumes.v');
  });

  it('hang together over several volumes, and each group is judged for itself', () => {
    const toml = [
      service('a', 400, 16, MOUNT('v')),
      service('b', 400, 16, 'mounts = [{ volume = "v", mount_path = "/v" }, { volume = "w", mount_path = "/w" }]'),
      service('c', 400, 16, MOUNT('w')),
      service('d', 10, 16, MOUNT('q')) + service('e', 10, 16, MOUNT('q')),
    ].join('');
    const judged = judge(toml + VOLUME('v') + VOLUME('w') + VOLUME('q'), observation([small('n'), small('m')]));
    expect(shown(judged).filter((text) => text.startsWith('shared'))).toEqual([
      'shared_volume_capacity blocked volumes.v',
      'shared_volume_capacity passed volumes.q',
    ]);
  });

  it('say nothing of a volume that one service has, or that many nodes can use', () => {
    const alone = service('x', 900, 16, MOUNT('v')) + VOLUME('v');
    const many = pair(900).replace(
      'size_gib = 1',
      'size_gib = 1\nstorage_class = "nfs"\naccess_mode = "ReadWriteMany"',
    );
    for (const toml of [alone, many])
      expect(shown(judge(toml, observation([small('a'), small('b')])))).not.toContain('shared');
  });

  it('keep their place while they fit there, and a group without one keeps running where it is', () => {
    const busy = observation([small('a'), small('b'), small('c')], { placed: [placed('c', 900, 0)] });
    const lastly = (placement: Readonly<Record<string, readonly string[]>>) => ({ groups: ['v'], placement });
    expect(judge(pair(100), busy, { before: lastly({ v: ['b'] }) }).placement).toEqual({ v: ['b'] });
    expect(judge(pair(100), busy, { before: lastly({ v: ['c'] }) }).placement).toEqual({ v: ['a', 'b'] });
    expect(judge(pair(100), busy, { before: lastly({}) }).placement).toEqual({});
    expect(judge(pair(100), busy, { before: { groups: ['other'], placement: {} } }).placement).toEqual({
      v: ['a', 'b'],
    });
  });

  it('fit on every node they are placed on, whatever is free', () => {
    const cpu = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(
        cpu,
        cpu,
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 6 }),
        (x, y, used) => {
          const toml = service('x', x, 16, MOUNT('v')) + service('y', y, 16, MOUNT('v')) + VOLUME('v');
          const nodes = used.map((_, i) => small(`n${i}`));
          const judged = judge(toml, observation(nodes, { placed: used.map((n, i) => placed(`n${i}`, n, 0)) }));
          const fitting = used.flatMap((n, i) => (x + y <= 1000 - n ? [`n${i}`] : []));
          expect(shown(judged).some((text) => text.startsWith('shared_volume_capacity blocked'))).toBe(
            fitting.length === 0,
          );
          expect(judged.placement.v ?? []).toEqual(fitting.length === used.length ? [] : fitting);
        },
      ),
      { numRuns: 60 },
    );
  });
});
