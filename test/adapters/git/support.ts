import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createGitReader, type GitReaderOptions } from '../../../src/adapters/git/index.ts';
import {
  createBareRepository,
  type GitServer,
  type GitServerOptions,
  gitEnvironment,
  startGitServer,
} from '../../../src/demo/git-server.ts';
import type { CommitSha, RefName, RepoPath, Result } from '../../../src/kernel/index.ts';
import type { GitReader } from '../../../src/ports/index.ts';

export const MIB = 1024 * 1024;
export const AUTHOR = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** Ids without the ceremony of parsing. */
export const sha = (text: string): CommitSha => text as CommitSha;
export const ref = (text: string): RefName => text as RefName;
export const path = (text: string): RepoPath => text as RepoPath;
export const MAIN = ref('refs/heads/main');

/** The value of a success; fails the test otherwise. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`unexpected ${result.problem.code}: ${String(result.problem.cause)}`);
  return result.value;
}

/** The code of a failure, or `ok`. */
export function code(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}

/** Everything a test file opens; closed in reverse order after its tests. */
export function cleanup(): (undo: () => Promise<unknown>) => void {
  const undos: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return (undo) => undos.push(undo);
}

export type Rig = {
  readonly root: string;
  readonly work: string;
  readonly server: GitServer;
  readonly url: string;
  git(...args: string[]): Promise<string>;
  /** Commits everything in the work folder, pushes it to main and returns the commit. */
  push(message: string): Promise<CommitSha>;
};

/** A bare repository behind the real server and a work folder that pushes into it (over the file system). */
export async function startRig(
  undo: (undo: () => Promise<unknown>) => void,
  options: Partial<GitServerOptions> & { readonly objectFormat?: 'sha1' | 'sha256' } = {},
): Promise<Rig> {
  const root = await mkdtemp(join(tmpdir(), 'hakopod-test-git-'));
  undo(() => rm(root, { recursive: true, force: true }));
  const objectFormat = options.objectFormat ?? 'sha1';
  const bare = await createBareRepository(root, 'repo.git', { objectFormat });
  const work = join(root, 'work');
  await run(root, ['init', '-q', '-b', 'main', `--object-format=${objectFormat}`, work]);
  const server = await startGitServer({ root, ...options });
  undo(() => server.stop());
  const git = (...args: string[]) => run(work, args);
  return {
    root,
    work,
    server,
    url: `${server.url}/repo.git`,
    git,
    async push(message) {
      await git('add', '-A');
      await git('commit', '-q', '--allow-empty', '-m', message);
      await git('push', '-q', '--force', bare, 'HEAD:refs/heads/main');
      return sha((await git('rev-parse', 'HEAD')).trim());
    },
  };
}

/** Runs git without any configuration of the machine and returns what it prints. */
export async function run(cwd: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...gitEnvironment(), ...AUTHOR };
    const child = execFile('git', [...args], { cwd, env, maxBuffer: 64 * MIB }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    // A git that reads no input may be gone before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

export type TestReader = GitReader & { close(): Promise<void> };

/** A reader that is closed after the tests of the file. */
export function openReader(
  undo: (undo: () => Promise<unknown>) => void,
  options: Partial<GitReaderOptions> = {},
): TestReader {
  const reader = createGitReader({ cacheBytes: 64 * MIB, shallowLimitBytes: 16 * MIB, ...options });
  undo(() => reader.close());
  return reader;
}

/** A server on a free loopback port that answers as the test says. */
export async function startFake(
  undo: (undo: () => Promise<unknown>) => void,
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
