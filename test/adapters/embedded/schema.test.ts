import { describe, expect, it } from 'vitest';
import { unknownBuiltIn } from '../../../src/adapters/embedded/known-fields.ts';
import { schemaCauses, shapeBySchema, unknownBySchema } from '../../../src/adapters/embedded/schema.ts';
import { readPath } from '../../../src/adapters/embedded/table.ts';
import { deployment } from './fixtures.ts';

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
        size: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
        at: { type: 'string', format: 'date-time' },
        port: { 'x-kubernetes-int-or-string': true },
        tags: { type: 'array', maxItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        note: { type: 'string', nullable: true },
      },
    },
  },
};

describe('openAPIV3 schemas', () => {
  it.each<[object, readonly string[]]>([
    [{ spec: { name: 'abc', port: 'x', tags: ['a'], labels: { x: 'y' }, free: { a: [1] }, note: null } }, []],
    [{}, ['spec']],
    [{ spec: {} }, ['spec.name']],
    [{ spec: { name: 'A' } }, ['spec.name']],
    [{ spec: { name: 'abcd' } }, ['spec.name']],
    [{ spec: { name: 'a', size: 0 } }, ['spec.size']],
    [{ spec: { name: 'a', size: 6 } }, ['spec.size']],
    [{ spec: { name: 'a', size: 1.5 } }, ['spec.size']],
    [{ spec: { name: 'a', at: 'yesterday' } }, ['spec.at']],
    [{ spec: { name: 'a', port: true } }, ['spec.port']],
    [{ spec: { name: 'a', tags: ['a', 'c'] } }, ['spec.tags', 'spec.tags[1]']],
    [{ spec: { name: 'a', labels: { x: 1 } } }, ['spec.labels.x']],
    [{ spec: [] }, ['spec']],
  ])('%j is refused at %j', (value, fields) => {
    expect(schemaCauses(schema, value).map(({ field }) => field)).toEqual(fields);
  });

  it('fill in defaults and drop what they do not know', () => {
    const value = { spec: { name: 'a', other: 1, free: { kept: true }, note: null, at: null }, more: {} };
    expect(shapeBySchema(schema, value)).toEqual({ spec: { name: 'a', size: 2, free: { kept: true }, note: null } });
    expect(unknownBySchema(schema, { kind: 'X', metadata: {}, ...value })).toEqual(['.spec.other', '.more']);
  });
});

describe('fields of built-in kinds', () => {
  it('are known', () => {
    expect(unknownBuiltIn(deployment('web'))).toEqual([]);
  });

  it('are named when misspelt, deep in a pod template too', () => {
    const spec = {
      replicass: 1,
      template: { spec: { containers: [{ name: 'a', readinessProb: {} }], hostNetwrk: true } },
    };
    expect(unknownBuiltIn({ ...deployment('web'), spec, extra: 1 })).toEqual([
      '.spec.replicass',
      '.spec.template.spec.containers[0].readinessProb',
      '.spec.template.spec.hostNetwrk',
      '.extra',
    ]);
  });
});

describe('printer columns', () => {
  const object = { status: { conditions: [{ type: 'Ready', status: 'True' }] }, spec: { a: { b: 1 } } };

  it.each([
    ['spec.a.b', 1],
    ['status.conditions[?(@.type=="Ready")].status', 'True'],
    ["status.conditions[?(@.type=='Gone')].status", undefined],
    ['spec.none.b', undefined],
  ])('%s', (path, expected) => {
    expect(readPath(object, path)).toBe(expected);
  });
});
