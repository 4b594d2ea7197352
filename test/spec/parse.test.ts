import { expect, describe as group, test } from 'vitest';
import { describe, type Position } from '../../src/kernel/index.ts';
import { parseSpec, parseSpecJson, withPosition } from '../../src/spec/index.ts';
import { UNSUPPORTED } from '../../src/spec/unsupported.ts';
import { application, faults, problems, withService } from './support.ts';

const lines = (text: string): readonly string[] => {
  const result = parseSpec(text);
  return result.ok ? [] : result.problems.map(describe);
};
const codes = (result: ReturnType<typeof parseSpec>): readonly string[] =>
  result.ok ? [] : result.problems.map((p) => p.code);

group('the text', () => {
  test('a leading byte order mark is ignored', () => {
    expect(application(`\ufeff${withService('')}`)).toEqual(application(withService('')));
    expect(lines(`\ufeff${withService('port = "x"')}`)).toEqual([
      'services.web.port: must be a whole number (line 4, column 1)',
    ]);
  });

  test('256 KiB are accepted, one byte more is refused', () => {
    const text = withService('');
    const padded = (bytes: number): string => `${text}#${'x'.repeat(bytes - text.length - 1)}`;
    expect(parseSpec(padded(262_144)).ok).toBe(true);
    expect(codes(parseSpec(padded(262_145)))).toEqual(['spec_too_large']);
    expect(codes(parseSpec(`${padded(262_143)}é`))).toEqual(['spec_too_large']);
  });

  test('canonical JSON over 256 KiB is refused although the text is smaller', () => {
    // JSON writes a control character as six bytes, a TOML text may hold it as two
    const value = '\\b'.repeat(2000);
    const env = (n: number): string =>
      Array.from({ length: n }, (_, i) => `A${i} = "${value}${'\u2028'.repeat(30)}"`).join('\n');
    const text = `${withService('', `[services.web.env]\n${env(60)}`)}`;
    expect(Buffer.byteLength(text)).toBeLessThan(262_144);
    const raw = { name: 'a', services: { web: { image: 'a', args: Array(65).fill('\u0001'.repeat(700)) } } };
    expect(codes(parseSpecJson(raw))).toEqual(['spec_too_large']);
    raw.services.web.args.length = 60;
    expect(parseSpecJson(raw).ok).toBe(true);
  });

  test('broken surrogates are refused', () => {
    expect(lines(`# \ud800\n${withService('')}`)).toEqual(['the file is not valid Unicode']);
  });

  test.each([
    ['name = ', { line: 1, column: 8 }],
    ['name = "a"\nservices = {', { line: 2, column: 12 }],
    ['a = 1\na = 2', { line: 2, column: 1 }],
    ['a = 99999999999999999999', { line: 1, column: 5 }],
  ] satisfies [string, Position][])('a syntax error has a position and nothing else: %j', (text, position) => {
    expect(parseSpec(text)).toEqual({
      ok: false,
      problems: [{ kind: 'rejected', code: 'invalid_spec', message: 'the file is not valid TOML', position }],
    });
  });

  test('deep nesting is a problem, not a crash', () => {
    expect(parseSpec(`a = ${'['.repeat(100_000)}`).ok).toBe(false);
    expect(parseSpec(`a = ${'{ a = '.repeat(30_000)}`).ok).toBe(false);
    expect(parseSpec(`${'a.'.repeat(100_000)}a = 1`).ok).toBe(false);
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i += 1) deep = { a: deep };
    expect(parseSpecJson({ name: 'a', services: deep }).ok).toBe(false);
  });
});

group('unknown keys', () => {
  test('are named with line and column', () => {
    expect(lines(withService('prot = 80\nenv.A = "a"', '[networks.default]\nvlan = 1'))).toEqual([
      'services.web.prot: unknown key (line 4, column 1)',
      'networks.default.vlan: unknown key (line 7, column 1)',
    ]);
  });

  test('16 are listed, the rest is counted', () => {
    const unknown = (n: number): string => withService(Array.from({ length: n }, (_, i) => `x${i} = 1`).join('\n'));
    expect(lines(unknown(16))).toHaveLength(16);
    expect(lines(unknown(17))).toHaveLength(17);
    expect(lines(unknown(18)).at(-1)).toBe('2 more unknown keys are not listed');
    expect(lines(unknown(18))[15]).toBe('services.web.x15: unknown key (line 19, column 1)');
  });

  test('a key can not forge text', () => {
    expect(problems('name = "a"\nservices = {}\n"a\\nb: \\u202e@all" = 1')).toEqual([
      '"a\\nb: \\u202e@all": unknown key',
    ]);
  });

  test.each([
    ['[services.web.env]\n"__proto__" = "x"', 'services.web.env.__proto__'],
    ['[services."__proto__"]\nimage = "a"', 'services.__proto__'],
    ['["__proto__"]\na = 1', '__proto__'],
  ])('__proto__ is refused: %j', (tail, at) => {
    expect(faults(withService('', tail))).toEqual([at]);
    expect(({} as Record<string, unknown>).image).toBeUndefined();
  });

  test('__proto__ in JSON is refused', () => {
    const raw: unknown = JSON.parse('{"name":"a","services":{"web":{"image":"a","env":{"__proto__":"x"}}}}');
    const result = parseSpecJson(raw);
    expect(result.ok ? [] : result.problems.map((p) => p.at)).toEqual(['services.web.env.__proto__']);
  });

  test('constructor is a name like any other', () => {
    const app = application(
      'name = "constructor"\n[services.constructor]\nimage = "a"\nenv.constructor = "b"\nenv.toString = "c"',
    );
    expect(Object.keys(app.services)).toEqual(['constructor']);
    expect(Object.entries(app.services)[0]?.[1].env).toEqual({ constructor: 'b', toString: 'c' });
  });
});

group('all problems', () => {
  test('come in the order of the file, whatever found them', () => {
    const text = [
      'schema_version = 3',
      'name = "Shop"',
      'volumes = { a = {} }',
      '[services.web]',
      'image = "a b"',
      'prot = 1',
      '[services.api]',
      'image = "a"',
      'public = true',
      'mounts = [{}]',
    ].join('\n');
    expect(lines(text).map((line) => line.replace(/: .*\(/, ' ('))).toEqual([
      'schema_version (line 1, column 1)',
      'name (line 2, column 1)',
      'volumes (line 3, column 1)',
      'services.web.image (line 5, column 1)',
      'services.web.prot (line 6, column 1)',
      'services.api.public (line 9, column 1)',
      'services.api.mounts (line 10, column 1)',
    ]);
  });

  test('a missing field is placed at its table', () => {
    expect(lines('name = "a"\n\n[services.web]\nport = 1')).toEqual([
      'services.web.image: is required, or a build table (line 3, column 11)',
    ]);
  });

  test('what is no table at all is refused', () => {
    for (const raw of [null, undefined, 1, 'a', [], true, new Date(0)]) expect(parseSpecJson(raw).ok).toBe(false);
  });
});

group('known fields that are not supported', () => {
  const fieldsOf = (level: typeof UNSUPPORTED, path: readonly string[]): readonly (readonly [string, string])[] => [
    ...Object.entries(level.fields ?? {}).map(([field, unset]) => [[...path, field].join('.'), unset] as const),
    ...Object.entries(level.below ?? {}).flatMap(([key, below]) =>
      fieldsOf(below, [
        ...path,
        key === '*' ? (path.at(-1) === 'networks' ? 'default' : path.at(-1) === 'secrets' ? 'A' : 'web') : key,
      ]),
    ),
  ];
  const all = fieldsOf(UNSUPPORTED, []);
  const nest = (path: string, value: unknown): unknown =>
    path.split('.').reduceRight((below, key) => ({ [key]: below }), value);
  const merge = (a: Record<string, unknown>, b: Record<string, unknown>): unknown =>
    Object.fromEntries(
      [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [
        key,
        typeof a[key] === 'object' && key in b ? merge(a[key] as never, b[key] as never) : (b[key] ?? a[key]),
      ]),
    );
  const withField = (path: string, value: unknown): unknown =>
    merge(
      {
        name: 'a',
        services: { web: path.includes('.build.') ? { build: {} } : { image: 'a', secrets: { A: { ref: 'a' } } } },
        networks: { default: {} },
      },
      nest(path, value) as never,
    );

  test.each(all.filter(([, unset]) => unset !== 'ignored'))('%s is refused by name', (path) => {
    const result = parseSpecJson(withField(path, path.endsWith('s') ? ['x'] : 'x'));
    const found = result.ok ? [] : result.problems.map((p) => [p.code, p.at]);
    expect(found).toEqual([['unsupported_feature', path]]);
  });

  const EMPTY: Readonly<Record<string, unknown>> = { text: '', number: 0, flag: false, list: [], table: {} };
  test.each(all.filter(([, unset]) => unset in EMPTY))('%s says nothing when it is an empty %s', (path, unset) => {
    expect(parseSpecJson(withField(path, EMPTY[unset])).ok).toBe(true);
  });

  test.each(all.filter(([, unset]) => unset === 'always'))('%s has a meaning even when empty', (path) => {
    expect(codes(parseSpecJson(withField(path, {})))).toEqual(['unsupported_feature']);
  });

  test('database_client_profiles is accepted with a warning', () => {
    const result = parseSpec(withService('database_client_profiles = { A = "b" }'));
    expect(result).toMatchObject({
      ok: true,
      warnings: ['services.web.database_client_profiles: is accepted but has no effect here'],
    });
  });
});

group('withPosition', () => {
  const text = withService('', '[[services.web.ports]]\nname = "a"\nport = 1\n[domains]\n"a.example.com" = "web"');
  test.each([
    ['services.web.ports[0].port', { line: 7, column: 1 }],
    ['domains."a.example.com"', { line: 9, column: 1 }],
    ['services.web.kubernetes', { line: 2, column: 11 }],
  ])('finds %s', (at, position) => {
    expect(withPosition({ kind: 'rejected', code: 'grant_refused', message: 'no', at }, text).position).toEqual(
      position,
    );
  });

  test('leaves a problem alone that has no place in the file', () => {
    const p = { kind: 'rejected', code: 'grant_refused', message: 'no', at: 'grant.refs' } as const;
    expect(withPosition(p, text)).toBe(p);
    expect(withPosition({ ...p, at: '].[' }, text).position).toBeUndefined();
    expect(withPosition({ ...p, at: 'services' }, 'a = ').position).toBeUndefined();
  });
});
