import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Screen } from '../../src/cli/index.ts';
import { type CliWorld, cliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let folder: string;
beforeEach(async () => {
  world = await cliWorld();
  folder = mkdtempSync(join(tmpdir(), 'hakopod-secrets-'));
  const secrets = 'secrets = { TOKEN = { ref = "token" }, KEY = { ref = "key" } }';
  writeFileSync(
    join(folder, 'hakopod.toml'),
    `name = "vault"\n[services.web]\nimage = "ghcr.io/acme/vault:1"\n${secrets}\n`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A person who types these chunks, one whenever a line is asked for. */
function typing(chunks: readonly (string | undefined)[], isTerminal = true): Screen {
  const left = [...chunks];
  return {
    isTerminal,
    size: () => undefined,
    onResize: () => () => undefined,
    onInput: (listener) => {
      const chunk = left.shift();
      queueMicrotask(() => listener(chunk === undefined ? undefined : Buffer.from(chunk)));
      return () => undefined;
    },
    write: async () => undefined,
  };
}

const SCOPE = ['--project', 'acme', '--environment', 'production'];
const deploy = (screen: Screen | undefined, isInteractive = true, args: readonly string[] = ['deploy']) =>
  world.run([...args, ...SCOPE], {
    folder,
    terminal: { isInteractive, ...(screen === undefined ? {} : { screen }) },
  });
/** What was stored under a name, as the world in memory keeps it. */
async function stored(): Promise<string> {
  return (await world.run(['secrets', 'list', '--app', 'acme/production/vault', '-o', 'json'])).out;
}

describe('secrets that are missing at deploy', () => {
  it('are asked for and made, without showing what is typed', async () => {
    const ran = await deploy(typing(['canary-valuX\u007fe\r', '\r', 'y\r']));
    expect(ran.code).toBe(0);
    expect(ran.all).toContain('these secrets do not exist yet: key, token');
    expect(ran.all).toContain('secret key created');
    expect(ran.all).toContain('secret token created');
    expect(ran.all).not.toContain('canary');
    const names = JSON.parse(await stored()).items.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['key', 'token']);
  });

  it('are asked for again until a value is typed or its generation is confirmed', async () => {
    const ran = await deploy(typing(['\r', 'n\r', 'a\r', '\r', '\r', 'b\r']));
    expect(ran.code).toBe(0);
    expect(ran.err.match(/^value of key/gm)).toHaveLength(2);
    expect(ran.err.match(/^value of token/gm)).toHaveLength(2);
  });

  it.each([
    ['Ctrl-C', 'ab\u0003'],
    ['Ctrl-D', '\u0004'],
    ['the end of the input', undefined],
    ['more than a secret may be', 'x'.repeat(65_537)],
  ])('release nothing at %s', async (_, chunk) => {
    const ran = await deploy(typing(['first\r', chunk]));
    expect(ran).toMatchObject({ code: 4, err: expect.stringContaining('missing: key, token') });
    expect(world.memory.releases.items.get('acme.production.vault.1')).toBeUndefined();
  });

  it.each([
    ['without a terminal', undefined, true],
    ['when output goes elsewhere', typing([], false), true],
    ['when nobody types', typing([]), false],
  ])('are only named %s', async (_, screen, isInteractive) => {
    const ran = await deploy(screen, isInteractive);
    expect(ran).toMatchObject({ code: 4, err: expect.stringContaining('missing: key, token') });
    expect(ran.err).toContain('hint: `hakopod secrets set key --app acme/production/vault`');
  });

  it('are asked for before the first application of a folder is released', async () => {
    const ran = await deploy(typing(['one\r', '\u0003']), true, [
      'deploy',
      '--dir',
      join(folder, '..'),
      '--only',
      folder.split('/').at(-1) ?? '',
    ]);
    expect(ran).toMatchObject({ code: 4, err: expect.stringContaining('nothing was released') });
  });
});

describe('secrets in use', () => {
  it('say who reads them when they are replaced and deleted', async () => {
    const app = ['--app', 'acme/production/vault'];
    await deploy(typing(['a\r', 'b\r']));
    expect((await world.run(['secrets', 'set', 'token', ...app], { input: 'next\n' })).out).toBe(
      'secret token replaced; releases from now on use it; read by web',
    );
    expect((await world.run(['secrets', 'delete', 'token', ...app])).out).toBe(
      'secret token deleted; the next release that needs it is refused; read by web',
    );
  });
});
