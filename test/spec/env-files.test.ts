import { parse } from 'smol-toml';
import { describe, expect, it, test } from 'vitest';
import { NAME } from '../../src/kernel/index.ts';
import {
  defaultSecretName,
  envFileUses,
  expandEnvFiles,
  type ImportedEntry,
  refuseEnvFiles,
} from '../../src/spec/env-files.ts';
import { formatPath } from '../../src/spec/path.ts';

const secretName = ({ scope, key }: ImportedEntry): string =>
  `s-${scope || 'app'}-${key.toLowerCase().replaceAll('_', '-')}`;

function expand(toml: string, envFiles: Readonly<Record<string, string>> = {}) {
  const { value, findings, imported } = expandEnvFiles(parse(toml), { envFiles, secretName });
  return {
    value: value as {
      env?: object;
      secrets?: object;
      inject_env?: boolean;
      services: Record<string, { env: object; secrets: object }>;
    },
    findings: findings.map(({ path, message }) => `${formatPath(path)}: ${message}`),
    imported,
  };
}

describe('expanding env files', () => {
  it('merges into a service', () => {
    const { value, findings, imported } = expand(
      '[services.web]\nenv_file = "web.env"\nenv = { A = "own" }\nsecrets = { B = { ref = "own" } }\n',
      { 'web.env': 'A=file\nB=file\nC=file\nAPI_TOKEN=canary\nURL=postgres://a:b@c/d' },
    );
    expect(findings).toEqual([]);
    expect(value.services.web).toMatchObject({
      env: { A: 'own', C: 'file' },
      secrets: { B: { ref: 'own' }, API_TOKEN: { ref: 's-web-api-token' }, URL: { ref: 's-web-url' } },
    });
    expect(Object.keys(value.services.web!.env)).toHaveLength(2);
    expect(imported).toEqual([
      { ref: 's-web-api-token', value: 'canary' },
      { ref: 's-web-url', value: 'postgres://a:b@c/d' },
    ]);
    expect(value.inject_env).toBeUndefined();
  });

  it('makes an env file of the application inject', () => {
    const { value, findings } = expand('env_file = ["a.env"]\n[services.web]\n', { 'a.env': 'A=b\nPASSWORD=c' });
    expect(findings).toEqual([]);
    expect(value).toMatchObject({
      inject_env: true,
      env: { A: 'b' },
      secrets: { PASSWORD: { ref: 's-app-password' } },
    });
    expect(expand('env_file = "a.env"\ninject_env = true', { 'a.env': '' }).findings).toEqual([]);
    expect(expand('env_file = "a.env"\ninject_env = false', { 'a.env': '' }).findings).toEqual([
      'inject_env: can not be false together with an env_file of the application',
    ]);
  });

  it('lets the later of two files win', () => {
    const files = { 'a.env': 'A=1\nB=1\nTOKEN=1', 'b.env': 'B=2\nTOKEN=2' };
    const { value, imported } = expand('[services.web]\nenv_file = ["a.env", "b.env"]', files);
    expect(value.services.web!.env).toEqual({ A: '1', B: '2' });
    expect(imported).toEqual([{ ref: 's-web-token', value: '2' }]);
  });

  it('refuses a secret without a value, unless the table says what it is', () => {
    const files = { 'a.env': 'A=1\nTOKEN=\n' };
    expect(expand('[services.web]\nenv_file = ["a.env"]', files).findings).toEqual([
      'services.web.env_file[0]: line 2 of the env file has no value for what looks like a secret by its name',
    ]);
    expect(expand('[services.web]\nenv_file = "a.env"\nsecrets = { TOKEN = { ref = "a" } }', files).findings).toEqual(
      [],
    );
  });

  it('tells the line of a mistake once, and not its text', () => {
    const { findings, imported } = expand('env_file = "a.env"\n[services.web]\nenv_file = ["a.env", "b.env"]', {
      'a.env': 'A=1\ncanary canary',
      'b.env': 'A="canary',
    });
    expect(findings).toEqual([
      'env_file: line 2 of the env file has no equals sign after the name',
      'services.web.env_file[1]: line 1 of the env file opens a quote that is never closed',
    ]);
    expect(imported).toEqual([]);
  });

  it('names what is missing', () => {
    const { findings } = expand('env_file = "a.env"\n[services.web]\nenv_file = ["b.env", "toString"]', {
      'a.env': '',
    });
    expect(findings).toEqual([
      'services.web.env_file[0]: the file does not exist',
      'services.web.env_file[1]: the file does not exist',
    ]);
  });

  it('takes 1 to 8 files, each once', () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.env`, '']));
    const list = (count: number): string => JSON.stringify(Object.keys(files).slice(0, count));
    expect(expand(`env_file = ${list(8)}`, files).findings).toEqual([]);
    expect(expand(`env_file = ${list(9)}`, files).findings).toEqual(['env_file: must name 1 to 8 files']);
    expect(expand('env_file = ["1.env", "1.env"]', files).findings).toEqual(['env_file[1]: is listed twice']);
    expect(expand('env_file = ["1.env", "../1.env"]', files).findings).toEqual([
      'env_file[1]: must be a clean relative path of at most 200 characters without ..',
    ]);
    expect(expand('env_file = ""', files).findings).toEqual([]);
    expect(expand('env_file = []').findings).toEqual(['env_file: must name 1 to 8 files']);
    expect(expand(`env_file = ${list(8)}\n[services.web]\nenv_file = "8.env"`, files).findings).toEqual([
      'services.web.env_file: is one file more than the 8 of an application',
    ]);
    expect(expand(`env_file = ${list(8)}\n[services.web]\nenv_file = "7.env"`, files).findings).toEqual([]);
  });

  it('takes 128 KiB together', () => {
    const comment = (bytes: number): string => `#${'x'.repeat(bytes - 1)}`;
    const toml = 'env_file = ["a", "b"]\n[services.web]\nenv_file = "a"';
    expect(expand(toml, { a: comment(100_000), b: comment(131_072 - 100_000) }).findings).toEqual([]);
    expect(expand(toml, { a: comment(100_000), b: comment(131_073 - 100_000) }).findings).toEqual([
      'env_file[1]: the env files are over 128 KiB together',
    ]);
  });

  it('leaves its input, what names no file and what has the wrong shape', () => {
    const raw = parse('[services.web]\nenv_file = "a.env"\nenv = { A = "b" }');
    const before = JSON.stringify(raw);
    expandEnvFiles(raw, { envFiles: { 'a.env': 'C=d' }, secretName });
    expect(JSON.stringify(raw)).toBe(before);
    for (const strange of [
      undefined,
      1,
      [],
      { services: [] },
      { env_file: 3 },
      { env_file: [3] },
      { env_file: 'a', env: 3 },
    ])
      expect(expandEnvFiles(strange, { envFiles: { a: 'A=b' }, secretName }).findings).toEqual([]);
  });
});

test('finds every mention', () => {
  const uses = envFileUses(parse('env_file = "a"\n[services.web]\nenv_file = ["b", "c"]\n[services.x]\n'));
  expect(uses.map(({ file, path }) => `${formatPath(path)} ${file}`)).toEqual([
    'env_file a',
    'services.web.env_file[0] b',
    'services.web.env_file[1] c',
  ]);
});

test('refuses env files where none can be read', () => {
  const paths = refuseEnvFiles({ env_file: 'a', services: { web: { env_file: [] }, api: {} } }).map(({ path }) => path);
  expect(paths).toEqual([['env_file'], ['services', 'web', 'env_file']]);
});

test.each(['a', '.env', 'a/b.env', '..a', 'a b', 'x'.repeat(200), 'é.env'])('%j is a path', (file) => {
  expect(envFileUses({ env_file: file })).toEqual([{ file, path: ['env_file'] }]);
});

test.each([
  '',
  '/a',
  '../a',
  'a/../b',
  './a',
  'a//b',
  'a/',
  '.',
  'a\\b',
  'a:b',
  'a\nb',
  'a\rb',
  'a\0b',
  'x'.repeat(201),
])('%j is no path', (file) => {
  expect(envFileUses({ env_file: file })).toEqual([]);
  expect(envFileUses({ env_file: ['a', file] })).toEqual([]);
});

test('a name without a key tells nothing of the value, and keeps scopes apart', () => {
  const name = defaultSecretName({ scope: 'web', key: 'A', value: 'x' });
  expect(name).toMatch(NAME);
  expect(defaultSecretName({ scope: 'web', key: 'A', value: 'y' })).toBe(name);
  expect(defaultSecretName({ scope: '', key: 'A', value: 'x' })).not.toBe(name);
});
