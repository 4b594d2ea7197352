import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { crdFiles, customResourceDefinitions } from '../../../src/adapters/store/index.ts';
import { structuralSchema } from '../../../src/adapters/store/structural.ts';

const folder = resolve(import.meta.dirname, '../../../charts/hakopod/crds');

describe('custom resource definitions', () => {
  it('stand in the chart as the schemas say; run `npm run crds` after changing one', () => {
    const files = crdFiles();
    expect(readdirSync(folder).sort()).toEqual(files.map((file) => file.name).sort());
    for (const { name, text } of files) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
  });

  it('are thirteen namespaced kinds with a status subresource', () => {
    const summary = customResourceDefinitions().map((crd) => {
      const spec = crd.spec as {
        scope: string;
        names: { kind: string; shortNames: string[]; categories: string[] };
        versions: { name: string; subresources: object }[];
      };
      return [
        spec.names.kind,
        spec.names.shortNames[0],
        spec.names.categories[0],
        spec.scope,
        spec.versions[0]?.subresources,
      ];
    });
    expect(summary).toEqual([
      ['GitRepository', 'grepo', 'hakopod', 'Namespaced', { status: {} }],
      ['GitSource', 'gsrc', 'hakopod', 'Namespaced', { status: {} }],
      ['Application', 'happ', 'hakopod', 'Namespaced', { status: {} }],
      ['Release', 'hrel', 'hakopod', 'Namespaced', { status: {} }],
      ['Plan', 'hplan', 'hakopod', 'Namespaced', { status: {} }],
      ['BuildRun', 'hbld', 'hakopod', 'Namespaced', { status: {} }],
      ['DomainClaim', 'hdom', 'hakopod', 'Namespaced', { status: {} }],
      ['ClusterRun', 'hrun', 'hakopod', 'Namespaced', { status: {} }],
      ['Project', 'hprj', 'hakopod', 'Namespaced', { status: {} }],
      ['Identity', 'hid', 'hakopod', 'Namespaced', { status: {} }],
      ['Role', 'hrole', 'hakopod', 'Namespaced', { status: {} }],
      ['Settings', 'hset', 'hakopod', 'Namespaced', { status: {} }],
      ['AuditRecord', 'haud', 'hakopod', 'Namespaced', { status: {} }],
    ]);
  });

  it('hold nothing a structural schema may not', () => {
    const text = JSON.stringify(customResourceDefinitions());
    for (const refused of [
      '"$schema"',
      '"additionalProperties":false',
      '"anyOf"',
      '"const"',
      '"propertyNames"',
      '9007199254740991',
    ])
      expect(text).not.toContain(refused);
  });
});

describe('structuralSchema', () => {
  it('converts what the ports use', () => {
    const schema = z.strictObject({
      text: z.string().regex(/^a$/).optional(),
      at: z.iso.datetime(),
      count: z.int(),
      bounded: z.int().min(1).max(5),
      map: z.record(z.string(), z.string()),
      list: z.array(z.enum(['a', 'b'])).describe('letters'),
    });
    expect(structuralSchema(schema)).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', pattern: '^a$' },
        at: { type: 'string', format: 'date-time' },
        count: { type: 'integer', format: 'int64' },
        bounded: { type: 'integer', format: 'int64', minimum: 1, maximum: 5 },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        list: { type: 'array', description: 'letters', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['at', 'count', 'bounded', 'map', 'list'],
    });
  });

  it('refuses what has no counterpart instead of dropping the check', () => {
    expect(() => structuralSchema(z.object({ a: z.union([z.string(), z.int()]) }))).toThrow('anyOf');
    expect(() => structuralSchema(z.object({ a: z.literal('x') }))).toThrow('const');
  });
});
