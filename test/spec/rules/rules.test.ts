import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { describe as sentence } from '../../../src/kernel/index.ts';
import { parseSpec } from '../../../src/spec/index.ts';
import { parsePath } from '../../../src/spec/path.ts';
import { SpecFile } from '../../../src/spec/schema.ts';
import { fieldAt, fieldsOf, schemaFields } from '../../support/schema-fields.ts';
import { PARTS } from './all.ts';

describe.each(PARTS)('%s', (_part, rules) => {
  test.each(rules.map((one) => [one.rule, one] as const))('%s', (_rule, { accept, refuse }) => {
    for (const file of accept) {
      const result = parseSpec(file);
      expect(result.ok ? [] : result.problems.map(sentence), file.slice(0, 600)).toEqual([]);
    }
    for (const [file, at, named = at] of refuse) {
      const result = parseSpec(file);
      const found = result.ok ? ['nothing'] : result.problems.map((p) => p.at ?? '');
      expect(found, `${at}: ${file.slice(0, 600)}`).not.toEqual([]);
      for (const one of found)
        expect(one.startsWith(at) && one !== 'nothing', `${one} for ${at}: ${file.slice(0, 600)}`).toBe(true);
      expect(
        found.some((one) => one.startsWith(named)),
        `${found} for ${named}: ${file.slice(0, 600)}`,
      ).toBe(true);
    }
    expect(accept.length).toBeGreaterThan(0);
    expect(refuse.length).toBeGreaterThan(0);
  });
});

describe('every field of the schema', () => {
  const rules = PARTS.flatMap(([, some]) => some);
  const fields = schemaFields(SpecFile);

  test('is one of many', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(fields).toContain('services.*.ports[].target_port');
    expect(fields).toContain('services.*.job.schedule.cron');
  });

  test('has an accepted case', () => {
    const seen = new Set(
      rules.flatMap(({ accept }) => accept.flatMap((file) => fieldsOf(SpecFile, parse(bare(file))))),
    );
    expect(fields.filter((field) => !seen.has(field))).toEqual([]);
  });

  test('has a refused case', () => {
    const seen = new Set<string>();
    for (const [file] of rules.flatMap(({ refuse }) => refuse)) {
      const result = parseSpec(file);
      for (const { at = '' } of result.ok ? [] : result.problems)
        seen.add(fieldAt(SpecFile, parsePath(at) ?? []).replace(/(?:\.\*|\[\])+$/, ''));
    }
    expect(fields.filter((field) => !seen.has(field))).toEqual([]);
  });
});

function bare(file: string): string {
  return file.replace(/^\ufeff/, '');
}
