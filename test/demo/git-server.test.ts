import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBareRepository, type GitServer, gitEnvironment, startGitServer } from '../../src/demo/git-server.ts';

let root: string;
let server: GitServer;
const credentials = { username: 'demo', password: 'token' };
const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };

function git(cwd: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd, env: { ...gitEnvironment(), ...person } }, (error, stdout) =>
      error === null ? resolve(stdout.trim()) : reject(error),
    );
  });
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hakopod-test-server-'));
  await createBareRepository(root, 'shop.git');
  server = await startGitServer({ root, credentials });
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

describe('startGitServer', () => {
  const url = (): string => `${server.url.replace('//', '//demo:token@')}/shop.git`;

  it('takes pushes of every size and serves clones of every kind', async () => {
    await git(root, 'clone', '-q', url(), 'one');
    const one = join(root, 'one');
    // Over 1 MiB git sends the pack in chunks, without a length.
    await writeFile(
      join(one, 'large'),
      Buffer.alloc(3 << 20).map((_, i) => (Math.imul(i ^ (i >>> 5), 2654435761) >>> 24) ^ (i & 255)),
    );
    await git(one, 'add', '-A');
    await git(one, 'commit', '-qm', 'one');
    await git(one, 'push', '-q', 'origin', 'HEAD:refs/heads/main');
    for (const args of [[], ['--depth=1'], ['--filter=blob:none'], ['-c', 'protocol.version=0']]) {
      await git(root, 'clone', '-q', ...args, url(), 'two');
      expect((await readFile(join(root, 'two/large'))).equals(await readFile(join(one, 'large')))).toBe(true);
      await rm(join(root, 'two'), { recursive: true });
    }
  });

  it('understands a compressed request', async () => {
    const body = gzipSync('0014command=ls-refs\n00010009peel\n0000');
    const response = await fetch(`${server.url}/shop.git/git-upload-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('demo:token').toString('base64')}`,
        'content-type': 'application/x-git-upload-pack-request',
        'content-encoding': 'gzip',
        'git-protocol': 'version=2',
      },
      body: new Uint8Array(body),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('refs/heads/main');
  });

  it('refuses wrong credentials, unknown repositories and paths out of its folder', async () => {
    const authorization = `Basic ${Buffer.from('demo:token').toString('base64')}`;
    const status = async (path: string, headers: Record<string, string>): Promise<number> => {
      const response = await fetch(`${server.url}${path}?service=git-upload-pack`, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await status('/shop.git/info/refs', {})).toBe(401);
    expect(await status('/shop.git/info/refs', { authorization: 'Basic eDp5' })).toBe(401);
    expect(await status('/shop.git/info/refs', { authorization })).toBe(200);
    expect(await status('/other.git/info/refs', { authorization })).toBe(404);
    expect(await status('/..%2f..%2fetc/info/refs', { authorization })).not.toBe(200);
    expect(await status('/%zz/info/refs', { authorization })).toBe(404);
  });

  it('counts what it does', async () => {
    server.resetStats();
    await git(root, 'ls-remote', url());
    expect(server.stats().requests).toBeGreaterThanOrEqual(2);
    expect(server.stats().bytesSent).toBeGreaterThan(100);
  });
});
