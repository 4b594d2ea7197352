import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, describe as group, test } from 'vitest';
import { type Runtime, runCli } from '../../src/cli/index.ts';
import { closest } from '../../src/cli/offline/hints.ts';
import { specJsonSchema } from '../../src/spec/index.ts';

const SHOP = 'name = "shop"\n[services.web]\nimage = "nginx"\n';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hakopod-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

async function run(command: string, colour = false): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    readInput: async () => '',
    folder,
    colour,
  };
  const code = await runCli({ version: '1' } as Runtime, terminal, command.split(' '));
  return { code, out: out.join('\n'), err: err.join('\n') };
}

group('validate', () => {
  test('two spellings of the file are refused, in a folder of applications too', async () => {
    write({ 'a/hakopod.toml': SHOP, 'a/Hakopod.toml': SHOP });
    // on a disk that does not tell them apart there is one file
    const expected = readdirSync(join(folder, 'a')).length === 2 ? 2 : 0;
    expect((await run('validate a')).code).toBe(expected);
    expect((await run('validate .')).code).toBe(expected);
  });

  test('colours only when they are wanted', async () => {
    write({ 'hakopod.toml': `${SHOP}port = "x"\naws_identity = "a"` });
    expect((await run('validate')).err).not.toContain('\u001b');
    expect((await run('validate', true)).err).toContain('\u001b[1;31merror[invalid_spec]\u001b[0m');
    expect((await run('validate --output json', true)).out).not.toContain('\u001b');
  });

  test('an env file behind a symbolic link is not there, as in a repository', async () => {
    write({ 'hakopod.toml': `${SHOP}env_file = ["sub/a.env", "b.env"]`, 'real/a.env': 'A=1', 'b.env': 'B=1' });
    symlinkSync(join(folder, 'real'), join(folder, 'sub'));
    const linked = await run('validate --output json');
    expect(linked.code).toBe(2);
    expect(JSON.parse(linked.out).problems).toMatchObject([
      { code: 'env_file_missing', at: 'services.web.env_file[0]', line: 4 },
    ]);
    write({ 'hakopod.toml': `${SHOP}env_file = ["real/a.env", "b.env"]` });
    expect((await run('validate')).code).toBe(0);
  });

  test.each([
    ['spec_too_large', '#'.repeat(262_145)],
    ['binary_file', Buffer.from([0xc3, 0x28])],
  ])('%s', async (code, content) => {
    write({ 'hakopod.toml': content });
    const { out } = await run('validate --output json');
    expect(JSON.parse(out).problems).toMatchObject([{ file: 'hakopod.toml', code }]);
  });

  test('a great many problems are counted, not all shown', async () => {
    const many = Array.from({ length: 15 }, (_, i) => {
      const lines = Array.from({ length: 15 }, (_, n) => `V${n} = 1`).join('\n');
      return `[services.s${i}]\nimage = "a"\n[services.s${i}.env]\n${lines}`;
    });
    write({ 'hakopod.toml': `name = "shop"\n${many.join('\n')}` });
    const { err } = await run('validate');
    expect(err.match(/error\[/g)).toHaveLength(200);
    expect(err).toContain('25 more like these');
    expect(JSON.parse((await run('validate --output json')).out).problems).toHaveLength(225);
  });

  test('a device is no file', async () => {
    expect((await run('validate /dev/zero')).err).toContain('error[not_a_file]');
  });

  test('a name on the disk can not steer the terminal', async () => {
    write({ 'a\u001b[31m.toml': '' });
    expect((await run('validate a\u001b[31m.toml')).err).not.toContain('\u001b');
  });
});

group('folders of applications', () => {
  test('files of a folder may agree on a network, a variable and the schema version', async () => {
    const shared = 'schema_version = 1\nenv = { A = "1" }\n[networks.back]\ninternal = true\n';
    write({
      'shop/a.toml': `${shared}[services.a]\nimage = "a"\nnetworks = ["back"]`,
      'shop/b.toml': `${shared}[services.b]\nimage = "b"\nnetworks = ["back"]`,
      'shop/worker.toml': 'image = "c"\nnetworks = ["back"]\nenv = { A = "2" }',
    });
    expect((await run('validate .')).out).toBe('shop: valid, application shop with 3 services');
  });

  test('of a folder with hakopod.toml no other file is read', async () => {
    write({ 'any Folder/hakopod.toml': SHOP, 'any Folder/broken.toml': '=' });
    expect((await run('validate .')).code).toBe(0);
  });

  test('a service of two files is refused', async () => {
    write({ 'shop/a.toml': '[services.web]\nimage = "a"', 'shop/web.toml': 'image = "a"' });
    expect((await run('validate .')).err).toContain('shop/web.toml: error[invalid_spec]: another file of this folder');
  });

  test.each(['recovery = {}', 'inject_env = true', 'domains = {}', 'volumes = {}'])(
    'one file alone sets %s',
    async (line) => {
      write({ 'shop/a.toml': `${line}\n[services]`, 'shop/b.toml': `${line}\n[services.web]\nimage = "a"` });
      const { err, code } = await run('validate .');
      expect(code).toBe(2);
      expect(err).toContain(`shop/b.toml:1:1: error[invalid_spec]: ${line.split(' ')[0]}: is set by another file`);
    },
  );

  test('what is not asked for need not be readable', async () => {
    write({ 'shop/hakopod.toml': SHOP, 'broken/x.toml': '=', 'empty/readme.md': '' });
    expect((await run('validate .')).code).toBe(2);
    expect((await run('validate . --only shop')).code).toBe(0);
    expect((await run('validate . --only broken')).code).toBe(2);
  });

  test('asking for nothing is refused', async () => {
    write({ 'shop/hakopod.toml': SHOP });
    expect((await run('validate . --only ,')).err).toBe('error: --only: names no application [invalid_request]');
  });

  test('folders behind links and hidden ones are no applications', async () => {
    write({ 'shop/hakopod.toml': SHOP, '.git/x.toml': '=' });
    symlinkSync(join(folder, '.git'), join(folder, 'link'));
    expect((await run('validate .')).code).toBe(0);
  });

  test('are planned one by one, each against its own', async () => {
    write({ 'now/a/web.toml': 'image = "a:1"', 'now/b/web.toml': 'image = "b:1"' });
    write({ 'next/a/web.toml': 'image = "a:2"', 'next/b/web.toml': 'image = "b:1"' });
    const { out, code } = await run('plan --offline next --against now');
    expect(code).toBe(0);
    expect(out).toContain('next/a\nPlan: 1 service to change');
    expect(out).toContain('next/b\nPlan: no changes');
  });
});

test('schema prints the JSON Schema', async () => {
  expect(JSON.parse((await run('schema')).out)).toEqual(JSON.parse(JSON.stringify(specJsonSchema())));
});

test.each([
  ['prot', 'port'],
  ['repilcas', 'replicas'],
  ['enviroment', undefined],
  ['x', undefined],
  ['y'.repeat(10_000), undefined],
])('%s probably means %s', (word, expected) => {
  expect(closest(word, ['port', 'ports', 'env', 'replicas'])).toBe(expected);
});
