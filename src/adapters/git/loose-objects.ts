import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { Lru } from './lru.ts';
import { type GitObject, hashObject, type ObjectFormat, type ObjectType } from './objects.ts';

const deflateAsync = promisify(deflate);
const inflateAsync = promisify(inflate);

/** What a file takes on disk at least; the bound counts whole blocks. */
const BLOCK = 4096;
/** Objects waiting to be written; more are simply not cached. */
const MAX_QUEUE = 4096;

/**
 * Objects on disk in Git's loose layout, `<root>/<repository>/objects/<2 hex>/<rest>`, so that any Git can read a repository's
 * folder. Bounded in bytes, oldest out first. It is only a cache: every failure of the disk and every damaged file reads as
 * "not there", and nothing is served whose hash is not its name.
 */
export class LooseObjects {
  readonly #root: string;
  readonly #files: Lru<string>;
  #ready: Promise<void> | undefined;
  #writes: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(root: string, maxBytes: number) {
    this.#root = root;
    this.#files = new Lru(maxBytes);
  }

  /** Bytes held, in whole blocks. */
  get bytes(): number {
    return this.#files.total;
  }

  async get(repository: string, oid: string, maxBytes: number): Promise<GitObject | undefined> {
    await this.#open();
    const path = this.#path(repository, oid);
    if (this.#files.get(path) === undefined) return undefined;
    try {
      const raw = await inflateAsync(await readFile(path), { maxOutputLength: maxBytes + 32 });
      const object = parseLoose(raw);
      const format: ObjectFormat = oid.length === 64 ? 'sha256' : 'sha1';
      if (object !== undefined && hashObject(object, format) === oid) return object;
    } catch {
      // Damaged, gone or unreadable: fetched again by the caller.
    }
    this.#files.delete(path);
    await rm(path, { force: true }).catch(() => undefined);
    return undefined;
  }

  /** Writes in the background, one after another. */
  put(repository: string, oid: string, object: GitObject): void {
    if (this.#queued >= MAX_QUEUE) return;
    this.#queued += 1;
    this.#writes = this.#writes.then(async () => {
      await this.#write(this.#path(repository, oid), object).catch(() => undefined);
      this.#queued -= 1;
    });
  }

  /** Resolves when everything put so far is written. */
  async flush(): Promise<void> {
    await this.#writes;
  }

  #path(repository: string, oid: string): string {
    return join(this.#root, repository, 'objects', oid.slice(0, 2), oid.slice(2));
  }

  async #write(path: string, object: GitObject): Promise<void> {
    await this.#open();
    if (this.#files.get(path) !== undefined) return;
    const head = Buffer.from(`${object.type} ${object.data.length}\0`);
    const bytes = await deflateAsync(Buffer.concat([head, object.data]), { level: 1 });
    const temporary = join(this.#root, `.tmp-${randomBytes(12).toString('hex')}`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, path);
    await this.#evict(this.#files.set(path, path, blocks(bytes.length)));
  }

  async #evict(paths: readonly string[]): Promise<void> {
    for (const path of paths) await rm(path, { force: true }).catch(() => undefined);
  }

  #open(): Promise<void> {
    this.#ready ??= this.#scan().catch(() => undefined);
    return this.#ready;
  }

  /** Takes over what an earlier process left, oldest first, and removes its unfinished files. */
  async #scan(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const found: { path: string; size: number; at: number }[] = [];
    for (const entry of await readdir(this.#root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) continue;
      if (entry.name.startsWith('.tmp-')) await this.#evict([path]);
      else if (/\/[0-9a-f]{64}\/objects\/[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(path)) {
        const { size, mtimeMs } = await stat(path);
        found.push({ path, size, at: mtimeMs });
      }
    }
    found.sort((a, b) => a.at - b.at);
    for (const { path, size } of found) await this.#evict(this.#files.set(path, path, blocks(size)));
  }
}

function blocks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
}

function parseLoose(raw: Buffer): GitObject | undefined {
  const nul = raw.indexOf(0);
  const match = /^(commit|tree|blob|tag) (\d+)$/.exec(raw.toString('latin1', 0, Math.min(Math.max(nul, 0), 32)));
  if (match === null || Number(match[2]) !== raw.length - nul - 1) return undefined;
  return { type: match[1] as ObjectType, data: raw.subarray(nul + 1) };
}
