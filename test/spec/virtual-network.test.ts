import { expect, test } from 'vitest';
import { parseVirtualNetwork } from '../../src/spec/index.ts';

const network = (lines: string, segments = '[segments.a]\napplications = []'): string =>
  `name = "corp"\n${lines}\n${segments}\n`;
const names = (n: number): string => Array.from({ length: n }, (_, i) => `"a${i}"`).join(', ');
const segments = (n: number): string =>
  Array.from({ length: n }, (_, i) => `[segments.s${i}]\napplications = ["a"]`).join('\n');

test.each([
  ['schema version', network('schema_version = 1')],
  ['500 characters', network(`description = "${'é'.repeat(500)}"`)],
  ['64 applications', network('', `[segments.a]\napplications = [${names(64)}]`)],
  ['16 segments', network('', segments(16))],
])('accepts %s', (_name, text) => {
  expect(parseVirtualNetwork(text)).toMatchObject({ ok: true, network: { name: 'corp' } });
});

test.each([
  ['another version', network('schema_version = 2'), 'schema_version'],
  ['501 characters', network(`description = "${'é'.repeat(501)}"`), 'description'],
  ['the reserved name', network('').replace('corp', 'new'), 'name'],
  ['no name', '[segments.a]\napplications = []', 'name'],
  ['a name that is none', network('').replace('corp', 'Corp'), 'name'],
  ['no segments', 'name = "corp"', 'segments'],
  ['an empty table of segments', network('', '[segments]'), 'segments'],
  ['17 segments', network('', segments(17)), 'segments'],
  ['a segment without applications', network('', '[segments.a]'), 'segments.a.applications'],
  ['65 applications', network('', `[segments.a]\napplications = [${names(65)}]`), 'segments.a.applications'],
  ['an application twice', network('', '[segments.a]\napplications = ["a", "a"]'), 'segments.a.applications'],
  ['an application that is no name', network('', '[segments.a]\napplications = ["A"]'), 'segments.a.applications[0]'],
  ['a segment that is no name', network('', '[segments.A]\napplications = []'), 'segments.A'],
  ['an unknown key', network('colour = 1'), 'colour'],
])('refuses %s', (_name, text, at) => {
  const parsed = parseVirtualNetwork(text);
  expect(parsed.ok ? [] : parsed.problems.map((found) => [found.code, found.at])).toEqual([['invalid_spec', at]]);
});

test('a description of the right type is no value in a message, and a syntax error has its place', () => {
  expect(parseVirtualNetwork('name = "canary')).toMatchObject({
    ok: false,
    problems: [{ code: 'invalid_spec', position: { line: 1 } }],
  });
  expect(JSON.stringify(parseVirtualNetwork('name = "canary"\nsegments = "canary"'))).not.toContain('canary');
});
