import { describe, expect, it } from 'vitest';
import { type Managed, serverSideApply, trackUpdate, type Writer } from '../../../src/adapters/embedded/apply.ts';
import { difference, fieldsOf, intersection, union } from '../../../src/adapters/embedded/field-set.ts';
import { builtInStructure } from '../../../src/adapters/embedded/structure.ts';
import type { Manifest } from '../../../src/kernel/index.ts';

const structureAt = builtInStructure('Deployment');
const pod = (containers: readonly object[], more: object = {}): Record<string, unknown> => ({
  spec: { template: { spec: { containers, ...more } } },
});

function writer(manager: string): Writer {
  return { manager, apiVersion: 'apps/v1', time: '2026-01-01T00:00:00Z', subresource: undefined, structureAt };
}

/** Applies for one manager after another; answers the last object. */
function play(...applies: readonly [manager: string, applied: Record<string, unknown>][]): Manifest {
  let live: Manifest | undefined;
  for (const [manager, applied] of applies) {
    const result = serverSideApply({ live, applied, writer: writer(manager), force: true });
    if ('conflicts' in result) throw new Error('a forced apply has no conflicts');
    const { metadata, ...content } = result.object;
    live = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...(metadata as object), name: 'web', managedFields: result.managed },
      ...content,
    };
  }
  return live!;
}

function managers(object: Manifest): Record<string, unknown> {
  const entries = object.metadata.managedFields as readonly Managed[];
  return Object.fromEntries(entries.map((entry) => [entry.manager, entry.fieldsV1]));
}

describe('server-side apply', () => {
  it('merges lists by their keys and removes the items a manager drops', () => {
    const first = pod([
      { name: 'a', image: '1', ports: [{ containerPort: 80 }] },
      { name: 'b', image: '1' },
    ]);
    const second = pod([{ name: 'a', image: '2', ports: [{ containerPort: 80, protocol: 'TCP' }] }]);
    expect(play(['me', first], ['me', second]).spec).toEqual(second.spec);
  });

  it('keeps what others added, in containers, env and volumes', () => {
    const mine = pod([{ name: 'app', image: '1', env: [{ name: 'A', value: '1' }] }]);
    const foreign = pod(
      [
        { name: 'extra', image: 'x' },
        { name: 'app', env: [{ name: 'EVIL', value: '1' }] },
      ],
      { volumes: [{ name: 'host', hostPath: { path: '/' } }], hostNetwork: true },
    );
    const live = play(['me', mine], ['them', foreign], ['me', mine]);
    expect(live.spec).toEqual(
      pod(
        [
          { name: 'extra', image: 'x' },
          {
            name: 'app',
            image: '1',
            env: [
              { name: 'A', value: '1' },
              { name: 'EVIL', value: '1' },
            ],
          },
        ],
        { volumes: [{ name: 'host', hostPath: { path: '/' } }], hostNetwork: true },
      ).spec,
    );
  });

  it('removes a field only when nobody else owns it', () => {
    const both = { spec: { replicas: 1, paused: true } };
    const live = play(['me', both], ['them', { spec: { replicas: 1 } }], ['me', { spec: { minReadySeconds: 1 } }]);
    expect(live.spec).toEqual({ replicas: 1, minReadySeconds: 1 });
  });

  it('keeps an item another manager owns a field of, and drops its own fields of it', () => {
    const mine = pod([{ name: 'app', image: '1', tty: true }]);
    const theirs = pod([{ name: 'app', image: '1' }]);
    const live = play(['me', mine], ['them', theirs], ['me', { spec: { replicas: 1 } }]);
    expect(live.spec).toEqual({ replicas: 1, template: { spec: { containers: [{ name: 'app', image: '1' }] } } });
  });

  it('leaves of a dropped item what somebody edited in it', () => {
    const live = play(['me', pod([{ name: 'app', image: '1' }])]);
    const edited = { ...live, ...pod([{ name: 'app', image: '1', tty: true }]) };
    const managedFields = trackUpdate(live, edited, writer('editor'));
    const result = serverSideApply({
      live: { ...edited, metadata: { name: 'web', managedFields } },
      applied: { spec: { replicas: 1 } },
      writer: writer('me'),
      force: true,
    });
    expect(result).toHaveProperty('object.spec.template.spec.containers', [{ tty: true }]);
  });

  it('replaces atomic lists and maps whole', () => {
    const first = { spec: { selector: { matchLabels: { a: '1', b: '2' } } }, args: ['a', 'b'] };
    const second = { spec: { selector: { matchLabels: { a: '1' } } }, args: ['c'] };
    const live = play(['me', first], ['them', second]);
    expect(live.spec).toEqual(second.spec);
    expect(live.args).toEqual(['c']);
    expect(managers(live)).not.toHaveProperty('me');
  });

  it('names the conflicts and changes nothing without force', () => {
    const live = play(['them', { spec: { replicas: 1, paused: true } }]);
    const applied = { spec: { replicas: 2, paused: true } };
    const result = serverSideApply({ live, applied, writer: writer('me'), force: false });
    expect(result).toEqual({ conflicts: [{ manager: 'them', fields: ['.spec.replicas'] }] });
  });

  it('names the container in a conflict', () => {
    const live = play(['them', pod([{ name: 'app', image: '1' }])]);
    const result = serverSideApply({
      live,
      applied: pod([{ name: 'app', image: '2' }]),
      writer: writer('me'),
      force: false,
    });
    expect(result).toEqual({
      conflicts: [{ manager: 'them', fields: ['.spec.template.spec.containers[name="app"].image'] }],
    });
  });

  it('answers equal objects for equal input, whatever was applied before', () => {
    const mine = pod([{ name: 'a' }, { name: 'b' }]);
    const once = play(['me', mine]);
    expect(play(['me', mine], ['me', mine])).toEqual(once);
  });
});

describe('a write that is not an apply', () => {
  it('takes the changed fields from their owner and leaves the others', () => {
    const live = play(['me', { spec: { replicas: 1, paused: true } }]);
    const after = { ...live, spec: { replicas: 2, paused: true } };
    const entries = trackUpdate(live, after, writer('editor'));
    expect(managers({ ...live, metadata: { name: 'web', managedFields: entries } })).toEqual({
      me: { 'f:spec': { 'f:paused': {} } },
      editor: { 'f:spec': { 'f:replicas': {} } },
    });
  });

  it('drops ownership of what it removes', () => {
    const live = play(['me', { spec: { replicas: 1 } }]);
    expect(trackUpdate(live, { ...live, spec: {} }, writer('editor'))).toEqual([]);
  });
});

describe('field sets', () => {
  const a = fieldsOf(pod([{ name: 'x', image: '1' }]), structureAt);
  const b = fieldsOf(pod([{ name: 'x', tty: true }]), structureAt);

  it('are united, intersected and subtracted', () => {
    expect(difference(union(a, b), b)).toEqual(difference(a, b));
    expect(difference(a, a)).toBeUndefined();
    expect(intersection(a, b)).toEqual(fieldsOf(pod([{ name: 'x' }]), structureAt));
    expect(intersection(a, { 'f:other': {} })).toBeUndefined();
  });

  it('give list items the defaults of their keys, sorted', () => {
    const ports = fieldsOf(pod([{ name: 'x', ports: [{ containerPort: 80 }] }]), structureAt);
    expect(JSON.stringify(ports)).toContain(JSON.stringify('k:{"containerPort":80,"protocol":"TCP"}').slice(1, -1));
  });
});
