import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { benchRepository, FILE, git } from './git-repository.ts';
import { median } from './process.ts';

/** The size of the goal in DESIGN 10, and a small one for CI. */
const FULL = { files: 20_000, bytes: 142_000_000 };
const SMOKE = { files: 400, bytes: 2_000_000 };

type Child = {
  readonly process: ChildProcess;
  next(): Promise<Record<string, unknown>>;
  say(): void;
  end(): Promise<void>;
};

/**
 * Reads one file of a big repository over loopback: our reader, each run in a fresh process with an empty cache, against native
 * git's shallow clone, its blobless clone, and isomorphic-git's shallow fetch. Figures are medians in milliseconds and MB of peak
 * memory of the reading process; `*_ratio` says how many times longer the peer takes than our first read.
 */
export async function runGitBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const smoke = options.smoke === true;
  console.log('making or finding the repository');
  const repository = await benchRepository(smoke ? SMOKE : FULL);
  const bare = join(repository.root, repository.name);
  const pointTo = (commit: string) => git(bare, ['update-ref', 'refs/heads/main', commit]);
  await pointTo(repository.first);
  const server = start('serve', repository.root);
  const figures: Record<string, number> = {};
  try {
    const url = `${String((await server.next()).url)}/${repository.name}`;
    await runOurs(url, server, { ...repository, pointTo }); // Warms the compile cache.
    const runs: Run[] = [];
    for (let i = 0; i < (smoke ? 2 : 7); i++) runs.push(await runOurs(url, server, { ...repository, pointTo }));
    for (const key of ['first_read_ms', 'first_read_mb', 'first_read_kb', 'second_commit_ms', 'poll_ms'] as const) {
      figures[key] = median(runs.map((run) => run[key]));
    }
    console.log('ours', figures);
    await pointTo(repository.first);
    const expected = await git(bare, ['rev-parse', `${repository.first}:${FILE}`]);
    const times = smoke ? 1 : 3;
    figures.git_clone_ms = median(await repeat(times, () => clone(url, [], expected)));
    figures.git_blobless_ms = median(await repeat(times, () => clone(url, ['--filter=blob:none'], expected)));
    const peer = start('isomorphic', url, FILE);
    const fetched = await peer.next();
    await peer.end();
    if (fetched.oid !== expected) throw new Error('isomorphic-git read another file');
    figures.isomorphic_ms = Number(fetched.ms);
    figures.isomorphic_mb = Number(fetched.mb);
  } finally {
    await server.end();
    await pointTo(repository.first);
  }
  for (const peer of ['git_clone', 'git_blobless', 'isomorphic']) {
    figures[`${peer}_ratio`] = Number(figures[`${peer}_ms`]) / Number(figures.first_read_ms);
  }
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Math.round(value * 10) / 10]));
}

type Run = Record<'first_read_ms' | 'first_read_mb' | 'first_read_kb' | 'second_commit_ms' | 'poll_ms', number>;

async function runOurs(
  url: string,
  server: Child,
  repository: { readonly first: string; readonly second: string; pointTo(commit: string): Promise<string> },
): Promise<Run> {
  await repository.pointTo(repository.first);
  server.say();
  await server.next();
  const child = start('ours', url, FILE);
  const first = await child.next();
  server.say();
  const sent = await server.next();
  await repository.pointTo(repository.second);
  child.say();
  const second = await child.next();
  const poll = await child.next();
  await child.end();
  if (first.oid === second.oid) throw new Error('the second read did not see the new commit');
  return {
    first_read_ms: Number(first.ms),
    first_read_mb: Number(first.mb),
    first_read_kb: Number(sent.bytesSent) / 1000,
    second_commit_ms: Number(second.ms),
    poll_ms: Number(poll.ms),
  };
}

/** Clones without a checkout, which favours git, and reads the file. */
async function clone(url: string, args: readonly string[], expected: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-bench-clone-'));
  const started = performance.now();
  await git(folder, ['clone', '-q', '--depth', '1', '--no-checkout', ...args, url, 'clone']);
  await git(join(folder, 'clone'), ['cat-file', 'blob', `HEAD:${FILE}`]);
  const ms = performance.now() - started;
  const oid = await git(join(folder, 'clone'), ['rev-parse', `HEAD:${FILE}`]);
  await rm(folder, { recursive: true, force: true });
  if (oid !== expected) throw new Error('git read another file');
  return ms;
}

function start(...args: readonly string[]): Child {
  const script = fileURLToPath(new URL('./git-child.ts', import.meta.url));
  // With the compile cache warm there is no type stripping in the process, as in the published package, which is built.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'hakopod-bench-compile-cache') };
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    process: child,
    async next() {
      const line = await lines.next();
      if (line.done === true) throw new Error(`the process for ${args[0]} ended early`);
      return JSON.parse(line.value) as Record<string, unknown>;
    },
    say: () => void child.stdin.write('go\n'),
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

async function repeat(times: number, work: () => Promise<number>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push(await work());
  return all;
}
