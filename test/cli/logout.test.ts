import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Runtime } from '../../src/cli/index.ts';
import { fail, problem } from '../../src/kernel/index.ts';
import { keyWith, startApi, type World } from '../server/api/harness.ts';
import { runWith } from '../support/cli-world.ts';

let folder: string;
let loginFile: string;
let server: World;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hakopod-logout-'));
  loginFile = join(folder, 'login.json');
  server = await startApi();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const logout = () =>
  runWith({ version: '1', clientEnvironment: () => ({ apiUrl: undefined, apiKey: undefined, loginFile }) } as Runtime, [
    'logout',
  ]);
async function remember(login: { readonly url: string; readonly key: string }, mode = 0o600): Promise<void> {
  await writeFile(loginFile, JSON.stringify(login), { mode });
}
const forgotten = async (): Promise<boolean> => (await readFile(loginFile).catch(() => undefined)) === undefined;

it('revokes the key with itself and forgets it', async () => {
  const key = server.login(keyWith(['deployments:read'], { project: 'acme', environment: 'production' }));
  await remember({ url: server.origin, key });
  const ran = await logout();
  expect(ran).toMatchObject({ code: 0, out: 'logged out', err: '' });
  expect(server.calls).toMatchObject([{ name: 'keys.revoke', input: { id: key.split('_')[1] } }]);
  expect(await forgotten()).toBe(true);
  expect(await logout()).toMatchObject({ code: 0, out: 'there was no login', err: '' });
  expect(server.calls).toHaveLength(1);
});

it('is content when the key was dead already', async () => {
  await remember({ url: server.origin, key: `hp_${'1'.repeat(32)}_${'2'.repeat(64)}` });
  expect(await logout()).toMatchObject({ code: 0, out: 'logged out', err: '' });
  expect(await forgotten()).toBe(true);
});

it.each<readonly [string, () => Promise<{ readonly url: string; readonly key: string }>]>([
  [
    'the server refuses',
    async () => {
      server.answers.set('keys.revoke', fail(problem('permission_denied')));
      return { url: server.origin, key: server.login(keyWith(['deployments:read'])) };
    },
  ],
  ['nobody answers', async () => ({ url: 'http://127.0.0.1:1', key: `hp_${'1'.repeat(32)}_${'2'.repeat(64)}` })],
  ['the login has no key', async () => ({ url: server.origin, key: 'canary' })],
  ['the address is none to send a key to', async () => ({ url: 'http://example.com', key: server.login(keyWith([])) })],
])('forgets the login also when %s, and says that the key still works', async (_, prepare) => {
  const login = await prepare();
  await remember(login);
  const ran = await logout();
  expect(ran).toMatchObject({ code: 0, out: 'logged out', err: expect.stringContaining('its key was not revoked') });
  expect(ran.all).not.toContain(login.key);
  expect(await forgotten()).toBe(true);
});

it('sends no key of a file that others can read', async () => {
  await remember({ url: server.origin, key: server.login(keyWith(['deployments:read'])) }, 0o644);
  expect(await logout()).toMatchObject({ code: 0, out: 'logged out', err: expect.stringContaining('others can read') });
  expect(server.calls).toEqual([]);
  expect(await forgotten()).toBe(true);
});
