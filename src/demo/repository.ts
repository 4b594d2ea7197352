import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A work tree that pushes to a bare repository over HTTP with the real git. */
export type WorkTree = {
  /** Writes the file, commits and pushes; answers the commit. */
  push(path: string, text: string, message: string): Promise<string>;
  /** Commits and pushes whatever changed in the folder; answers the commit. */
  pushAll(message: string): Promise<string>;
  /**
   * Commits one file on top of a commit and pushes the result to these refs alone, by force; main stays where it is. `text` undefined
   * removes the file. A fork's head, as a forge shows it, is a push to the request's own ref only.
   */
  propose(change: {
    readonly onto: string;
    readonly refs: readonly string[];
    readonly path: string;
    readonly text: string | undefined;
    readonly message: string;
  }): Promise<string>;
};

/** Clones the (empty) repository into `folder`. */
export async function openWorkTree(input: {
  readonly url: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}): Promise<WorkTree> {
  const env = {
    ...input.environment,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  };
  const git = (...args: string[]): Promise<string> => run(args, { cwd: input.folder, env });
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', input.url);
  const send = async (message: string): Promise<string> => {
    await git('commit', '--quiet', '--message', message);
    await git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
    return (await git('rev-parse', 'HEAD')).trim();
  };
  return {
    async push(path, text, message) {
      await writeFile(join(input.folder, path), text);
      await git('add', '--', path);
      return send(message);
    },
    async propose({ onto, refs, path, text, message }) {
      await git('checkout', '--quiet', '--detach', onto);
      if (text === undefined) await git('rm', '--quiet', '--', path);
      else await writeFile(join(input.folder, path), text);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      const commit = (await git('rev-parse', 'HEAD')).trim();
      await git('push', '--quiet', 'origin', ...refs.map((ref) => `+HEAD:${ref}`));
      await git('checkout', '--quiet', 'main');
      return commit;
    },
    async pushAll(message) {
      await git('add', '--all');
      return send(message);
    },
  };
}

function run(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString('utf8'));
      else reject(new Error(`git ${args[0]} ended with ${code}: ${Buffer.concat(err).toString('utf8').trim()}`));
    });
  });
}
