import { expect, describe as group, test } from 'vitest';
import { describe, type Position } from '../../src/kernel/index.ts';
import { envFilePaths, parseSpec, parseSpecJson, withPosition } from '../../src/spec/index.ts';
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
      'volumes.a.size_gib (line 3, column 13)',
      'services.web.image (line 5, column 1)',
      'services.web.prot (line 6, column 1)',
      'services.api.public (line 9, column 1)',
      'services.api.mounts[0].volume (line 10, column 11)',
      'services.api.mounts[0].mount_path (line 10, column 11)',
    ]);
  });

  test('of one service are found beside a field the schema refuses, unless they read it', () => {
    const text = withService(
      'port = 70000\npublic = true\nhealthcheck = "/"\nenv.TOKEN = ""\nreplicas = 2\nstrange = 1',
      '[services.web.volume]\nmount_path = "/data"\nsize_gib = 1\n[services.web.job]\nretries = 4',
    );
    expect(faults(text)).toEqual([
      'services.web.port',
      'services.web.env.TOKEN',
      'services.web.strange',
      'services.web.job.retries',
    ]);
  });

  test('of an unknown key do not hide what the known ones say', () => {
    const unknown = Array.from({ length: 20 }, (_, i) => `x${i} = 1`).join('\n');
    expect(faults(withService(`public = true\n${unknown}`))).toContain('services.web.public');
    expect(faults(`strange = 1\n${withService('public = true')}`)).toEqual(['strange', 'services.web.public']);
    expect(faults(withService('public = true', '[services.web.gpu]\nstrange = 1'))).toEqual([
      'services.web.public',
      'services.web.gpu.strange',
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

test('database_client_profiles is accepted with a warning', () => {
  const result = parseSpec(withService('database_client_profiles = { A = "b" }'));
  expect(result).toMatchObject({
    ok: true,
    application: application(withService('')),
    warnings: ['services.web.database_client_profiles: is accepted but has no effect here'],
  });
  expect(faults(withService('database_client_profiles = { A = 1 }'))).toEqual([
    'services.web.database_client_profiles.A',
  ]);
});

group('env files', () => {
  const text = withService('', '[services.web.env]\nA = "1"').replace('name', 'env_file = "a.env"\nname');

  test('are named as written, once', () => {
    expect(envFilePaths(`\ufeff${text}`)).toEqual(['a.env']);
    expect(envFilePaths(withService('env_file = ["b", "a.env"]').replace('name', 'env_file = "a.env"\nname'))).toEqual([
      'a.env',
      'b',
    ]);
    expect(envFilePaths('name = ')).toEqual([]);
    expect(envFilePaths(withService(''))).toEqual([]);
  });

  test('become variables and references, and are not part of the application', () => {
    const result = parseSpec(text, {
      envFiles: { 'a.env': 'A=2\nB=3\nTOKEN=secret-value' },
      secretName: () => 'token',
    });
    expect(result).toMatchObject({
      ok: true,
      application: { env: { A: '2', B: '3' }, secrets: { TOKEN: { ref: 'token' } }, inject_env: true },
      imported: [{ ref: 'token', value: 'secret-value' }],
    });
    expect(JSON.stringify(result.ok && result.application)).not.toContain('env_file');
  });

  test('that are missing are problems of their own, beside the others', () => {
    const result = parseSpec(`${text}\nB = 1`);
    expect(result.ok ? [] : result.problems.map((p) => [p.code, p.at])).toEqual([
      ['env_file_missing', 'env_file'],
      ['invalid_spec', 'services.web.env.B'],
    ]);
  });

  test('have no place in JSON', () => {
    const result = parseSpecJson({ name: 'a', services: {}, env_file: 'a.env' });
    expect(result.ok ? [] : result.problems.map((p) => p.at)).toEqual(['env_file']);
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
