import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommitSha, sha256 } from '../../../src/kernel/index.ts';
import { cleanup, code, MAIN, openReader, path, type Rig, sha, startRig, value } from './support.ts';

const undo = cleanup();
const KIB = 1024;

/** The same answers are due whatever the server can do. */
const SERVERS = [
  { name: 'tree:0', options: {} },
  { name: 'tree:0, SHA-256', options: { objectFormat: 'sha256' } },
  {
    name: 'blob:none',
    options: { config: { 'uploadpackfilter.allow': 'false', 'uploadpackfilter.blob:none.allow': 'true' } },
  },
  { name: 'no filter', options: { config: { 'uploadpack.allowFilter': 'false' } } },
  { name: 'protocol version 0', options: { protocolV2: false } },
] as const;

describe.each(SERVERS)('readFile, $name', ({ options }) => {
  const reader = openReader(undo);
  let rig: Rig;
  let commit: CommitSha;
  const read = (name: string, at = commit, maxBytes = 256 * KIB) =>
    reader.readFile({ remote: { url: rig.url, local: true }, commit: at, path: path(name), maxBytes });

  beforeAll(async () => {
    rig = await startRig(undo, options);
    const { work } = rig;
    expect(code(await read('a', sha('a'.repeat('objectFormat' in options ? 64 : 40))))).toBe('repository_empty');
    expect(value(await reader.listRefs({ url: rig.url, local: true }, [MAIN])).size).toBe(0);
    await mkdir(join(work, 'apps/shop/déjà vu'), { recursive: true });
    await writeFile(join(work, 'apps/shop/app.toml'), 'name = "shop"\n# ünïcode 🚀\n');
    await writeFile(join(work, 'apps/shop/déjà vu/x y.toml'), '\ufeffwith a mark\r\n');
    await writeFile(join(work, 'apps/shop/run.sh'), '#!/bin/sh\n');
    await chmod(join(work, 'apps/shop/run.sh'), 0o755);
    await writeFile(join(work, 'empty.toml'), '');
    await writeFile(join(work, 'edge.toml'), 'x'.repeat(256 * KIB));
    await writeFile(join(work, 'large.toml'), 'x'.repeat(256 * KIB + 1));
    await writeFile(
      join(work, 'huge.bin'),
      Buffer.alloc(5 * KIB * KIB, 7).map((_, i) => (i * 2654435761) >>> 24),
    );
    await writeFile(join(work, 'latin1.toml'), Buffer.from([0x61, 0xe9, 0x62]));
    await writeFile(join(work, 'nul.toml'), 'a\0b');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    await writeFile(join(work, 'lfs.toml'), pointer);
    await symlink('apps', join(work, 'link'));
    await symlink('empty.toml', join(work, 'file-link.toml'));
    await symlink('/etc/passwd', join(work, 'passwd.toml'));
    await rig.git('add', '-A');
    const id = (await rig.git('hash-object', '-w', 'empty.toml')).trim().replace(/^../, 'ab');
    await rig.git('update-index', '--add', '--cacheinfo', `160000,${id},vendor`);
    await rig.git('commit', '-qm', 'one');
    await rig.git('push', '-q', join(rig.root, 'repo.git'), 'HEAD:refs/heads/main');
    commit = sha((await rig.git('rev-parse', 'HEAD')).trim());
  });

  it.each(['apps/shop/app.toml', 'apps/shop/déjà vu/x y.toml', 'apps/shop/run.sh', 'empty.toml', 'edge.toml'])(
    'reads %s as git show does',
    async (name) => {
      const file = value(await read(name));
      expect(file.text).toBe(await rig.git('show', `${commit}:${name}`));
      expect(file.oid).toBe((await rig.git('rev-parse', `${commit}:${name}`)).trim());
      expect(file).toMatchObject({ commit, path: name });
    },
  );

  it.each([
    ['missing.toml', 'file_not_found'],
    ['apps/missing/app.toml', 'file_not_found'],
    ['empty.toml/app.toml', 'file_not_found'],
    ['apps/shop', 'not_a_file'],
    ['file-link.toml', 'symlink_refused'],
    ['passwd.toml', 'symlink_refused'],
    ['link/shop/app.toml', 'symlink_refused'],
    ['vendor', 'submodule_refused'],
    ['vendor/app.toml', 'submodule_refused'],
    ['lfs.toml', 'lfs_pointer'],
    ['latin1.toml', 'binary_file'],
    ['nul.toml', 'binary_file'],
    ['large.toml', 'spec_too_large'],
    ['huge.bin', 'spec_too_large'],
  ])('answers %s with %s', async (name, expected) => expect(code(await read(name))).toBe(expected));

  it('answers commit_not_found for an unknown commit, another hash and a blob', async () => {
    const blob = (await rig.git('rev-parse', `${commit}:apps/shop/app.toml`)).trim();
    for (const at of [
      commit.replace(/^./, (c) => (c === '0' ? '1' : '0')),
      'a'.repeat(commit.length === 40 ? 64 : 40),
      blob,
    ]) {
      expect(code(await read('empty.toml', sha(at)))).toBe('commit_not_found');
    }
  });

  it('reads a commit that a force push took off the branch only while the server has it', async () => {
    await writeFile(join(rig.work, 'gone.toml'), 'gone');
    const gone = await rig.push('gone');
    await rig.git('reset', '-q', '--hard', 'HEAD~1');
    await writeFile(join(rig.work, 'new.toml'), 'new');
    const next = await rig.push('new');
    const bare = join(rig.root, 'repo.git');
    await rig.git('-C', bare, 'reflog', 'expire', '--expire=now', '--all');
    await rig.git('-C', bare, 'gc', '-q', '--prune=now');
    expect(code(await read('gone.toml', gone))).toBe('commit_not_found');
    expect(value(await read('new.toml', next)).text).toBe('new');
  });
});

describe('readFile, sizes and sharing', () => {
  it('transfers only what lies on the path, and nothing the second time', async () => {
    const rig = await startRig(undo);
    for (let i = 0; i < 60; i++) {
      await mkdir(join(rig.work, `apps/a${i}`), { recursive: true });
      await writeFile(join(rig.work, `apps/a${i}/app.toml`), `name = "a${i}"\n${'filler '.repeat(5000)}${i}`);
    }
    // A history that would be seen in the bytes if it came along.
    for (let i = 0; i < 12; i++) {
      const noise = Array.from({ length: 20 }, (_, n) => sha256(`${i} ${n}`)).join('\n');
      await rig.git('commit', '-q', '--allow-empty', '-m', noise);
    }
    const commit = await rig.push('many');
    const reader = openReader(undo);
    const remote = { url: rig.url, local: true };
    rig.server.resetStats();
    await reader.readFile({ remote, commit, path: path('apps/a7/app.toml'), maxBytes: 256 * KIB });
    // Discovery, commit, three trees, blob.
    expect(rig.server.stats()).toMatchObject({ requests: 6 });
    expect(rig.server.stats().bytesSent).toBeLessThan(6000);
    rig.server.resetStats();
    await reader.readFile({ remote, commit, path: path('apps/a7/app.toml'), maxBytes: 256 * KIB });
    expect(rig.server.stats().requests).toBe(0);

    const read = (i: number) =>
      reader.readFile({ remote, commit, path: path(`apps/a${i % 60}/app.toml`), maxBytes: 256 * KIB });
    const files = await Promise.all(Array.from({ length: 600 }, (_, i) => read(i)));
    for (const [i, file] of files.entries()) {
      expect(value(file).text).toBe(await readFile(join(rig.work, `apps/a${i % 60}/app.toml`), 'utf8'));
    }
    expect(rig.server.stats().requests).toBeLessThanOrEqual(6);
    expect(rig.server.stats().mostConnections).toBeLessThanOrEqual(8);
    await rm(join(rig.work, 'apps'), { recursive: true });
  });

  it('joins good, missing and too large files of concurrent reads without mixing their answers up', async () => {
    const rig = await startRig(undo);
    for (let i = 0; i < 20; i++) {
      await writeFile(
        join(rig.work, `f${i}`),
        i % 5 === 0 ? Buffer.alloc(400 * KIB, i).fill(Math.random().toString()) : `text ${i}`,
      );
    }
    const commit = await rig.push('mixed');
    const reader = openReader(undo);
    const read = (name: string) =>
      reader.readFile({ remote: { url: rig.url, local: true }, commit, path: path(name), maxBytes: 256 * KIB });
    const results = await Promise.all(Array.from({ length: 21 }, (_, i) => read(`f${i}`)));
    for (const [i, result] of results.entries()) {
      const expected = i === 20 ? 'file_not_found' : i % 5 === 0 ? 'spec_too_large' : `text ${i}`;
      expect(result.ok ? result.value.text : result.problem.code).toBe(expected);
    }
  });
});
