import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareRepository, gitEnvironment } from '../../src/demo/git-server.ts';

export type Shape = { readonly files: number; readonly bytes: number };
export type BenchRepository = {
  readonly root: string;
  readonly name: string;
  readonly first: string;
  readonly second: string;
};

/** The file that is read, and changed by the second commit. */
export const FILE = 'apps/app-7/hakopod.toml';

/**
 * A repository of that many files and bytes with two commits, the same on every run; made once and kept in the temporary folder of
 * the machine. File contents are random letters, about as hard to compress as source code packed once.
 */
export async function benchRepository(shape: Shape): Promise<BenchRepository> {
  const root = join(tmpdir(), `hakopod-bench-git-1-${shape.files}-${shape.bytes}`);
  const name = 'repo.git';
  const made = await access(join(root, name)).then(
    () => true,
    () => false,
  );
  if (!made) {
    const building = await mkdtemp(`${root}-`);
    await createBareRepository(building, name);
    await fill(join(building, name), shape);
    await rename(building, root).catch(() => rm(building, { recursive: true, force: true }));
  }
  const bare = join(root, name);
  return {
    root,
    name,
    first: await git(bare, ['rev-parse', 'first']),
    second: await git(bare, ['rev-parse', 'second']),
  };
}

/** Runs git to its end and returns what it printed, trimmed. */
export async function git(cwd: string, args: readonly string[]): Promise<string> {
  const child = spawn('git', args, { cwd, env: gitEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
  return out.trim();
}

async function fill(bare: string, shape: Shape): Promise<void> {
  const env = gitEnvironment();
  const child = spawn('git', ['fast-import', '--quiet', '--force'], {
    cwd: bare,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const done = once(child, 'close');
  const random = generator(20_261_101);
  const size = Math.floor(shape.bytes / shape.files);
  await say(child, commit('first', undefined));
  for (let i = 0; i < shape.files; i++) {
    const path =
      i % 20 === 0
        ? `apps/app-${i / 20}/hakopod.toml`
        : `src/part-${Math.floor(i / 20) % 40}/module-${Math.floor(i / 20)}/file-${i}.ts`;
    const head = Buffer.from(`# file ${i}\n`);
    await say(child, file(path, Buffer.concat([head, letters(random, i % 20 === 0 ? 2000 : size)])));
  }
  await say(child, Buffer.concat([commit('second', 'first'), file(FILE, Buffer.from('# changed\n'))]));
  child.stdin.end();
  const [code] = (await done) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await git(bare, ['update-ref', 'refs/heads/main', 'first']);
  // What a server keeps: one pack with a bitmap.
  await git(bare, ['repack', '-q', '-a', '-d', '-b', '--window=0']);
}

function commit(tag: string, from: string | undefined): Buffer {
  const lines = [
    `commit refs/tags/${tag}`,
    'committer Bench <bench@example.com> 1790000000 +0000',
    `data ${tag.length}`,
    tag,
  ];
  return Buffer.from(`${lines.join('\n')}\n${from === undefined ? '' : `from refs/tags/${from}\n`}`);
}

function file(path: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`M 100644 inline ${path}\ndata ${data.length}\n`), data, Buffer.from('\n')]);
}

async function say(child: ChildProcessWithoutNullStreams | ReturnType<typeof spawn>, bytes: Buffer): Promise<void> {
  if (child.stdin !== null && !child.stdin.write(bytes)) await once(child.stdin, 'drain');
}

/** xorshift32: fast, and the same everywhere. */
function generator(seed: number): () => number {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

function letters(random: () => number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) bytes[i] = 0x20 + (random() % 0x5f);
  return bytes;
}
