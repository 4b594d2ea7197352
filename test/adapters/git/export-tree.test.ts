import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../src/kernel/index.ts';
import { cleanup, code, openReader, path, type Rig, run, sha, startRig, value } from './support.ts';

const undo = cleanup();

const SERVERS = [
  { name: 'tree:0', options: {} },
  { name: 'tree:0, SHA-256', options: { objectFormat: 'sha256' } },
  { name: 'no filter', options: { config: { 'uploadpack.allowFilter': 'false' } } },
] as const;

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-export-'));
  undo(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Everything in a folder: path, kind, permission bits, content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const { mode } = await lstat(full);
    const what = entry.isDirectory()
      ? 'folder'
      : entry.isSymbolicLink()
        ? `link to ${await readlink(full)}`
        : `${(mode & 0o777).toString(8)} ${await readFile(full, 'hex')}`;
    found[full.slice(folder.length + 1)] = what;
  }
  return found;
}

describe.each(SERVERS)('exportTree, $name', ({ options }) => {
  const reader = openReader(undo);
  let rig: Rig;
  let commit: CommitSha;

  beforeAll(async () => {
    rig = await startRig(undo, options);
    const { work } = rig;
    await mkdir(join(work, 'app/src/déjà vu'), { recursive: true });
    await mkdir(join(work, 'other'));
    await writeFile(join(work, 'app/Dockerfile'), 'FROM scratch\n');
    await writeFile(join(work, 'app/src/run.sh'), '#!/bin/sh\n');
    await chmod(join(work, 'app/src/run.sh'), 0o755);
    await writeFile(join(work, 'app/src/déjà vu/x y'), Buffer.from([0, 255, 10]));
    await writeFile(join(work, 'app/src/same'), 'FROM scratch\n');
    await writeFile(join(work, 'app/.gitattributes'), '* text eol=crlf ident export-ignore\n');
    await writeFile(join(work, 'app/ident'), '$Id$\n');
    await symlink('../Dockerfile', join(work, 'app/src/link'));
    await symlink('src', join(work, 'app/folder'));
    await symlink('nowhere', join(work, 'app/dangling'));
    await writeFile(join(work, 'other/big'), 'x'.repeat(100_000));
    commit = await rig.push('one');
  });

  const exportFrom = async (name: string, given: { readonly maxBytes?: number; readonly maxFiles?: number } = {}) => {
    const into = await emptyFolder();
    await writeFile(join(into, 'left over'), '');
    const result = await reader.exportTree({
      remote: { url: rig.url, local: true },
      commit,
      path: name === '.' ? '.' : path(name),
      into,
      maxBytes: given.maxBytes ?? 1_000_000,
      maxFiles: given.maxFiles ?? 100,
    });
    return { result, into };
  };

  it.each(['.', 'app'])('writes what Git has in %s: no filter, no attribute, modes and links kept', async (name) => {
    const { result, into } = await exportFrom(name);
    const written = value(result);
    const expected = await emptyFolder();
    // The oracle: Git's own check-out of the same tree, with everything that changes content switched off.
    const tree = name === '.' ? commit : `${commit}:${name}`;
    const index = join(expected, '..', `index-${process.pid}`);
    const env = {
      ...process.env,
      GIT_INDEX_FILE: index,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_SOURCE: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    };
    const git = (...args: string[]): void => {
      execFileSync('git', args, { cwd: rig.work, env });
    };
    git('read-tree', tree);
    git('checkout-index', '--all', `--prefix=${expected}/`);
    await rm(index, { force: true });
    const oracle = await contents(expected);
    const actual = await contents(into);
    // Attributes of the tree itself still reach check-out: of those files only that they are there is compared.
    expect(Object.keys(actual).sort()).toEqual(Object.keys(oracle).sort());
    for (const [key, what] of Object.entries(oracle)) {
      if (what.startsWith('link') || what === 'folder') expect(actual[key]).toBe(what);
      else expect(actual[key]?.slice(0, 3)).toBe(what.slice(0, 3));
    }
    const files = Object.values(actual).filter((what) => what !== 'folder');
    expect(written.files).toBe(files.length);
    const lines = (await rig.git('ls-tree', '-r', tree)).trim().split('\n');
    expect(files).toHaveLength(lines.length);
  });

  it('keeps content byte for byte', async () => {
    const { into } = await exportFrom('app');
    expect(await readFile(join(into, 'ident'), 'utf8')).toBe('$Id$\n');
    expect(await readFile(join(into, 'src/déjà vu/x y'))).toEqual(Buffer.from([0, 255, 10]));
    expect(await readFile(join(into, '.gitattributes'), 'utf8')).toBe('* text eol=crlf ident export-ignore\n');
  });

  it('stops at its caps', async () => {
    expect(code((await exportFrom('.', { maxBytes: 100_000 })).result)).toBe('context_too_large');
    expect(code((await exportFrom('other', { maxBytes: 99_999 })).result)).toBe('context_too_large');
    expect(code((await exportFrom('other', { maxBytes: 100_000 })).result)).toBe('ok');
    expect(code((await exportFrom('app', { maxFiles: 10 })).result)).toBe('context_too_large');
    expect(code((await exportFrom('app', { maxFiles: 11 })).result)).toBe('ok');
  });

  it('says what the path is instead of a folder', async () => {
    expect(code((await exportFrom('app/Dockerfile')).result)).toBe('file_not_found');
    expect(code((await exportFrom('nothing')).result)).toBe('file_not_found');
    expect(code((await exportFrom('app/folder')).result)).toBe('symlink_refused');
    // A link that stays inside `app` leads out of `app/src`.
    expect(code((await exportFrom('app/src')).result)).toBe('symlink_refused');
  });
});

describe('exportTree of a tree that Git would not check out', () => {
  const reader = openReader(undo);
  let rig: Rig;
  let blob: string;
  beforeAll(async () => {
    rig = await startRig(undo);
    await writeFile(join(rig.work, 'file'), 'x');
    await rig.push('one');
    blob = (await rig.git('rev-parse', 'HEAD:file')).trim();
  });

  type Entry = readonly [mode: string, name: string | Buffer, oid: string];

  /** Writes a tree as bytes, whatever git thinks of it. */
  async function rawTree(entries: readonly Entry[]): Promise<string> {
    const bytes = Buffer.concat(
      entries.flatMap(([mode, name, oid]) => [
        Buffer.from(`${mode} `),
        typeof name === 'string' ? Buffer.from(name) : name,
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ]),
    );
    const bare = join(rig.root, 'repo.git');
    return execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
      cwd: bare,
      input: bytes,
    })
      .toString('utf8')
      .trim();
  }
  async function rawBlob(text: string): Promise<string> {
    return (await run(join(rig.root, 'repo.git'), ['hash-object', '-w', '--stdin'], text)).trim();
  }
  async function exported(tree: string, maxFiles = 1000) {
    const bare = join(rig.root, 'repo.git');
    const commit = (await run(bare, ['commit-tree', '-m', 'raw', tree])).trim();
    await run(bare, ['update-ref', 'refs/heads/raw', commit]);
    const into = await emptyFolder();
    const result = await reader.exportTree({
      remote: { url: rig.url, local: true },
      commit: sha(commit),
      path: '.',
      into,
      maxBytes: 100_000,
      maxFiles,
    });
    return { result, into };
  }

  it.each(['..', '.', '.git', '.GIT', 'a/b', 'x'.repeat(256)])(
    'refuses the name %j, and writes nothing',
    async (name) => {
      const { result, into } = await exported(await rawTree([['100644', name, blob]]));
      expect(code(result)).toBe('invalid_path');
      expect(await readdir(into)).toEqual([]);
      const below = await rawTree([['40000', 'folder', await rawTree([['100644', name, blob]])]]);
      expect(code((await exported(below)).result)).toBe('invalid_path');
    },
  );

  it('refuses links out of the folder, submodules and LFS pointers', async () => {
    const passwd = await rawTree([['120000', 'a', await rawBlob('/etc/passwd')]]);
    expect(code((await exported(passwd)).result)).toBe('symlink_refused');
    const up = await rawTree([['120000', 'a', await rawBlob('../../x')]]);
    expect(code((await exported(up)).result)).toBe('symlink_refused');
    const long = await rawTree([['120000', 'a', await rawBlob('x/'.repeat(4000))]]);
    expect(code((await exported(long)).result)).toBe('symlink_refused');
    expect(code((await exported(await rawTree([['160000', 'sub', blob]]))).result)).toBe('submodule_refused');
    const pointer = await rawBlob(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
    );
    expect(code((await exported(await rawTree([['100644', 'asset', pointer]]))).result)).toBe('lfs_pointer');
  });

  it('never writes through a link that a file of the same name hides behind', async () => {
    const folder = await rawTree([['100644', 'file', blob]]);
    const both = await rawTree([
      ['120000', 'a', await rawBlob('/tmp')],
      ['40000', 'a', folder],
    ]);
    const { result } = await exported(both);
    expect(result.ok && result.value.files > 1).toBe(false);
  });

  it('stops while a tree that contains itself many times unfolds', async () => {
    let tree = await rawTree([['100644', 'f', blob]]);
    for (let level = 0; level < 9; level++)
      tree = await rawTree(Array.from({ length: 10 }, (_, i): Entry => ['40000', `d${i}`, tree]));
    const before = performance.now();
    expect(code((await exported(tree, 5000)).result)).toBe('context_too_large');
    expect(performance.now() - before).toBeLessThan(5000);
    let deep = await rawTree([['100644', 'f', blob]]);
    for (let level = 0; level < 66; level++) deep = await rawTree([['40000', 'd', deep]]);
    expect(code((await exported(deep)).result)).toBe('context_too_large');
  });

  it('is cancelled by its signal', async () => {
    const into = await emptyFolder();
    const result = await reader.exportTree({
      remote: { url: rig.url, local: true },
      commit: sha((await rig.git('rev-parse', 'HEAD')).trim()),
      path: '.',
      into,
      maxBytes: 1000,
      maxFiles: 10,
      signal: AbortSignal.abort(),
    });
    expect(code(result)).toBe('git_unavailable');
  });
});
