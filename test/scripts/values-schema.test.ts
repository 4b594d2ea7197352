import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART_SETTINGS, valuesSchema } from '../../scripts/values-schema.ts';
import { Config } from '../../src/config.ts';

const CHART = resolve(import.meta.dirname, '../../charts/hakopod');

type Table = { readonly properties: Readonly<Record<string, Table>>; readonly additionalProperties: boolean };

/** Paths of the values that have no place in the schema. */
function strangers(values: Readonly<Record<string, unknown>>, schema: Table, at = ''): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const known = schema.properties[key];
    if (known === undefined) return [`${at}${key}`];
    const isTable = known.properties !== undefined && typeof value === 'object' && value !== null;
    return isTable ? strangers(value as Record<string, unknown>, known, `${at}${key}.`) : [];
  });
}

describe('the schema of the chart’s values', () => {
  const stored = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Table;

  it('is what the settings of this version say', () => {
    expect(stored, 'npm run crds writes it').toEqual(JSON.parse(JSON.stringify(valuesSchema())));
  });

  it('takes every setting but those the chart decides', () => {
    const settings = Object.keys(Config.shape).filter((name) => !CHART_SETTINGS.includes(name));
    expect(Object.keys(stored.properties.config!.properties).sort()).toEqual(settings.sort());
    expect(stored.properties.config!.additionalProperties).toBe(false);
    for (const name of CHART_SETTINGS) expect(Object.keys(Config.shape)).toContain(name);
  });

  it('knows all of values.yaml', () => {
    expect(strangers(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')), stored)).toEqual([]);
  });
});
