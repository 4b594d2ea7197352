import { LIMITS } from '../../kernel/index.ts';
import { LooseObjects } from './loose-objects.ts';
import { Lru } from './lru.ts';
import type { GitObject } from './objects.ts';

/** Bytes of commits, trees and specifications held in memory, for all repositories of a reader. */
const MEMORY_BYTES = 16 * 1024 * 1024;
/** What an entry costs besides its bytes. */
const ENTRY_BYTES = 256;

/**
 * Objects by repository and id, in memory and, when a folder is given, on disk. The repository is part of every key: an object that
 * one remote's credentials opened is never an answer for another remote. Blobs larger than a specification are not kept.
 */
export class ObjectCache {
  readonly #memory = new Lru<GitObject>(MEMORY_BYTES);
  readonly #disk: LooseObjects | undefined;
  readonly #maxObjectBytes: number;

  constructor(options: {
    readonly cacheDir: string | undefined;
    readonly cacheBytes: number;
    readonly maxObjectBytes: number;
  }) {
    this.#disk = options.cacheDir === undefined ? undefined : new LooseObjects(options.cacheDir, options.cacheBytes);
    this.#maxObjectBytes = options.maxObjectBytes;
  }

  async get(repository: string, oid: string): Promise<GitObject | undefined> {
    const held = this.#memory.get(`${repository}/${oid}`);
    if (held !== undefined) return held;
    const read = await this.#disk?.get(repository, oid, this.#maxObjectBytes);
    if (read !== undefined) this.#remember(repository, oid, read);
    return read;
  }

  /** Keeps an object whose hash was checked. `memoryOnly` is for what came along unasked. */
  put(repository: string, oid: string, object: GitObject, memoryOnly = false): void {
    if (object.type === 'blob' && object.data.length > LIMITS.specBytes) return;
    this.#remember(repository, oid, object);
    if (!memoryOnly) this.#disk?.put(repository, oid, object);
  }

  #remember(repository: string, oid: string, object: GitObject): void {
    this.#memory.set(`${repository}/${oid}`, object, object.data.length + ENTRY_BYTES);
  }

  async flush(): Promise<void> {
    await this.#disk?.flush();
  }
}
