import fs from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { LooseObjects } from '../../../src/adapters/git/loose-objects.ts';
import { Lru } from '../../../src/adapters/git/lru.ts';
import { ObjectCache } from '../../../src/adapters/git/object-cache.ts';
import { type GitObject, hashObject } from '../../../src/adapters/git/objects.ts';
import { LIMITS, sha256 } from '../../../src/kernel/index.ts';
import { cleanup, MIB, openReader, path, startRig, value } from './support.ts';

const undo = cleanup();
const ONE = sha256('one');
const TWO = sha256('two');
const blob = (text: string): { readonly object: GitObject; readonly oid: string } => {
  const object: GitObject = { type: 'blob', data: Buffer.from(text) };
  return { object, oid: hashObject(object, 'sha1') };
};

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'hakopod-test-cache-'));
  undo(() => rm(root, { recursive: true, force: true }));
  return root;
}

async function files(root: string): Promise<readonly string[]> {
  const all = await readdir(root, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('Lru', () => {
  it('never holds more than its bound and forgets what was used longest ago', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(60))), (puts) => {
        const lru = new Lru<string>(100);
        for (const [key, size] of puts) lru.set(key, key, size);
        const held = ['a', 'b', 'c', 'd', 'e'].filter((key) => lru.get(key) !== undefined);
        expect(lru.total).toBeLessThanOrEqual(100);
        expect(lru.size).toBe(held.length);
      }),
    );
    const lru = new Lru<string>(2);
    lru.set('a', 'a', 1);
    lru.set('b', 'b', 1);
    lru.get('a');
    expect(lru.set('c', 'c', 1)).toEqual(['b']);
    expect(lru.set('big', 'big', 3)).toEqual(['big']);
  });
});

describe('LooseObjects', () => {
  it('writes what Git reads, and nothing is left half written', async () => {
    const root = await folder();
    const disk = new LooseObjects(root, MIB);
    const { object, oid } = blob('hello\n');
    disk.put(ONE, oid, object);
    await disk.flush();
    const read = await git.readObject({ fs, gitdir: join(root, ONE), oid, format: 'content' });
    expect(Buffer.from(read.object as Uint8Array).toString()).toBe('hello\n');
    expect((await files(root)).map((file) => file.slice(root.length + 1))).toEqual([
      `${ONE}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`,
    ]);
    expect((await stat(join(root, ONE))).mode & 0o077).toBe(0);
  });

  it('keeps its bound, also over what it finds at start, and removes unfinished files', async () => {
    const root = await folder();
    const first = new LooseObjects(root, 40 * 4096);
    for (let i = 0; i < 100; i++) first.put(ONE, blob(`text ${i}`).oid, blob(`text ${i}`).object);
    await first.flush();
    expect((await files(root)).length).toBe(40);
    expect(first.bytes).toBe(40 * 4096);
    await writeFile(join(root, '.tmp-abc'), 'half');
    const second = new LooseObjects(root, 10 * 4096);
    second.put(ONE, blob('new').oid, blob('new').object);
    await second.flush();
    expect((await files(root)).length).toBe(10);
    expect((await second.get(ONE, blob('new').oid, MIB))?.data.toString()).toBe('new');
  });

  it('ignores and removes every kind of damage', async () => {
    const { object, oid } = blob('hello '.repeat(100));
    const damages: readonly ((file: string) => Promise<unknown>)[] = [
      (file) => truncate(file, 10),
      (file) => truncate(file, 0),
      (file) => writeFile(file, 'not zlib'),
      (file) => rm(file),
      async (file) =>
        writeFile(
          file,
          fs.readFileSync(file).map((byte, i) => (i === 12 ? byte ^ 1 : byte)),
        ),
    ];
    for (const damage of damages) {
      const root = await folder();
      const disk = new LooseObjects(root, MIB);
      disk.put(ONE, oid, object);
      await disk.flush();
      const [file] = await files(root);
      await damage(file!);
      expect(await disk.get(ONE, oid, MIB)).toBeUndefined();
      expect(await files(root)).toEqual([]);
    }
  });

  it('serves no object under the name of another', async () => {
    const root = await folder();
    const disk = new LooseObjects(root, MIB);
    disk.put(ONE, blob('a').oid, blob('b').object);
    await disk.flush();
    expect(await disk.get(ONE, blob('a').oid, MIB)).toBeUndefined();
  });

  it('survives a folder it can not use', async () => {
    const root = join(await folder(), 'file');
    await writeFile(root, 'in the way');
    const disk = new LooseObjects(root, MIB);
    disk.put(ONE, blob('a').oid, blob('a').object);
    await disk.flush();
    expect(await disk.get(ONE, blob('a').oid, MIB)).toBeUndefined();
  });
});

describe('ObjectCache', () => {
  it('keeps repositories apart and large blobs out', async () => {
    const cacheDir = await folder();
    const cache = new ObjectCache({ cacheDir, cacheBytes: 10 * MIB, maxObjectBytes: MIB });
    const { object, oid } = blob('private');
    cache.put(ONE, oid, object);
    await cache.flush();
    expect(await cache.get(TWO, oid)).toBeUndefined();
    expect((await cache.get(ONE, oid))?.data.toString()).toBe('private');
    const large = blob('x'.repeat(LIMITS.specBytes + 1));
    cache.put(ONE, large.oid, large.object);
    await cache.flush();
    expect(await cache.get(ONE, large.oid)).toBeUndefined();
    expect((await files(cacheDir)).length).toBe(1);
  });
});

describe('a reader with a folder', () => {
  it('reads after a restart without transferring objects again, and again after damage', async () => {
    const cacheDir = await folder();
    const rig = await startRig(undo);
    await writeFile(join(rig.work, 'a'), 'a');
    const commit = await rig.push('one');
    const request = { remote: { url: rig.url, local: true }, commit, path: path('a'), maxBytes: 1000 };
    const requests = async (): Promise<number> => {
      const reader = openReader(undo, { cacheDir });
      rig.server.resetStats();
      expect(value(await reader.readFile(request)).text).toBe('a');
      await reader.close();
      return rig.server.stats().requests;
    };
    expect(await requests()).toBe(4);
    // The discovery is repeated: it shows that the repository may still be read.
    expect(await requests()).toBe(1);
    for (const file of await files(cacheDir)) await writeFile(file, (await readFile(file)).subarray(0, 5));
    expect(await requests()).toBe(4);
    expect(await requests()).toBe(1);
  });
});
