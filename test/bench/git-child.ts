/** The processes of the Git bench: `serve ROOT`, `ours URL FILE`, `isomorphic URL FILE`. They talk in lines of JSON. */
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [mode, target = '', file = ''] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const tell = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
/**
 * The most memory this process has had resident, in MB. Not `resourceUsage().maxRSS`, which on Linux starts with what the parent
 * had when it forked.
 */
function peak(): number {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kib !== undefined) return (Number(kib) * 1024) / 1e6;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage().rss / 1e6;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

async function serve(): Promise<void> {
  const { startGitServer } = await import('../../src/demo/git-server.ts');
  const server = await startGitServer({ root: target });
  tell({ url: server.url });
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    tell(server.stats());
    server.resetStats();
  }
  await server.stop();
}

async function ours(): Promise<void> {
  const { createGitReader } = await import('../../src/adapters/git/index.ts');
  const { refName, repoPath } = await import('../../src/kernel/index.ts');
  const cacheDir = await mkdtemp(join(tmpdir(), 'hakopod-bench-cache-'));
  const reader = createGitReader({ cacheDir, cacheBytes: 64 << 20, shallowLimitBytes: 64 << 20 });
  const ref = refName('refs/heads/main');
  const path = repoPath(file);
  if (!ref.ok || !path.ok) throw new Error('the bench has a bad name');
  const remote = { url: target, local: true };
  const head = async () => {
    const refs = await reader.listRefs(remote, [ref.value]);
    const commit = refs.ok ? refs.value.get(ref.value) : undefined;
    if (commit === undefined) throw new Error('the branch is not there');
    return commit;
  };
  const read = async () => {
    const answer = await reader.readFile({ remote, commit: await head(), path: path.value, maxBytes: 262_144 });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.value.oid;
  };
  const first = await timed(read);
  tell({ ms: first.ms, mb: peak(), oid: first.value });
  await lines.next();
  const second = await timed(read);
  tell({ ms: second.ms, oid: second.value });
  const polls: number[] = [];
  for (let i = 0; i < 5; i++) polls.push((await timed(head)).ms);
  tell({ ms: polls.sort((a, b) => a - b)[2] });
  await reader.close();
  await rm(cacheDir, { recursive: true, force: true });
}

async function isomorphic(): Promise<void> {
  const { default: git } = await import('isomorphic-git');
  const { default: http } = await import('isomorphic-git/http/node');
  const gitdir = await mkdtemp(join(tmpdir(), 'hakopod-bench-isomorphic-'));
  const run = await timed(async () => {
    await git.init({ fs, gitdir, bare: true });
    await git.addRemote({ fs, gitdir, remote: 'origin', url: target });
    const fetched = await git.fetch({
      fs,
      http,
      gitdir,
      url: target,
      ref: 'main',
      depth: 1,
      singleBranch: true,
      tags: false,
    });
    return git.readBlob({ fs, gitdir, oid: fetched.fetchHead ?? '', filepath: file });
  });
  tell({ ms: run.ms, mb: peak(), oid: run.value.oid });
  await rm(gitdir, { recursive: true, force: true });
}

const modes: Readonly<Record<string, () => Promise<void>>> = { serve, ours, isomorphic };
await modes[mode ?? '']?.();
process.exit(0);
