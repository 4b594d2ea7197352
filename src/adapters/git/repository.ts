import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { RefLine } from './advertisement.ts';
import { lsRefsRequest, parseLsRefs } from './commands.ts';
import type { Http } from './http.ts';
import { type FetchBatch, type Kind, type Loaded, Loader } from './loader.ts';
import type { ObjectCache } from './object-cache.ts';
import { type GitObject, type ObjectFormat, oidLength } from './objects.ts';
import { createPartialFetch } from './partial-fetch.ts';
import type { ShallowFetch } from './shallow-fetch.ts';
import { type Endpoint, type Target, uploadPack } from './transport.ts';

export type RepositoryOptions = {
  readonly http: Http;
  readonly cache: ObjectCache;
  readonly shallow: ShallowFetch;
  readonly agent: string;
  readonly maxResponseBytes: number;
  readonly maxObjectBytes: number;
};

/** Objects wanted by one call: `commits` are those they belong to, for servers that can only give a whole commit. */
export type Wanted = {
  readonly kind: Kind;
  readonly oids: readonly string[];
  readonly commits: readonly string[];
  /** Bytes of one blob; commits and trees have the reader's own limit. */
  readonly blobBytes?: number;
};

/** One repository as one set of credentials opens it: where it answers, what it speaks, and the requests under way. */
export class Repository {
  readonly format: ObjectFormat;
  readonly #options: RepositoryOptions;
  readonly #target: Target;
  readonly #endpoint: Endpoint;
  readonly #loader: Loader;

  constructor(target: Target, endpoint: Endpoint, options: RepositoryOptions) {
    this.#target = target;
    this.#endpoint = endpoint;
    this.#options = options;
    this.format = endpoint.advertisement.format;
    this.#loader = new Loader(this.#partialFetch());
  }

  /** True when refs come with the discovery only (protocol version 0), so that it has to be repeated for each look at them. */
  get refsAreOld(): boolean {
    return this.#endpoint.advertisement.version === 0;
  }

  /** The refs that start with one of `prefixes`, or all of them. */
  async refs(prefixes: readonly string[], signal: AbortSignal): Promise<Result<readonly RefLine[]>> {
    const advertisement = this.#endpoint.advertisement;
    if (advertisement.version === 0) return ok(advertisement.refs);
    const body = await uploadPack(this.#options.http, this.#place(), {
      body: lsRefsRequest(this.format, this.#options.agent, prefixes),
      maxBytes: this.#options.maxResponseBytes,
      tooLarge: problem('repository_too_large', 'the repository lists more refs than the limit allows'),
      signal,
    });
    return body.ok ? parseLsRefs(body.value, this.format) : body;
  }

  /** Objects from the cache, else from the server. Each id has an answer; see `createPartialFetch` for the codes. */
  async load(wanted: Wanted, signal: AbortSignal): Promise<Loaded> {
    const limit = wanted.kind === 'blob' ? (wanted.blobBytes ?? 0) : this.#options.maxObjectBytes;
    const found = new Map<string, Result<GitObject>>();
    const absent: string[] = [];
    for (const oid of new Set(wanted.oids)) {
      if (oid.length !== oidLength(this.format)) found.set(oid, fail(problem('commit_not_found')));
      else {
        const held = await this.#options.cache.get(this.#target.repository, oid);
        if (held === undefined) absent.push(oid);
        else found.set(oid, held.data.length > limit ? fail(problem('object_too_large')) : ok(held));
      }
    }
    if (absent.length === 0) return found;
    const fetched = this.#isPartial()
      ? await this.#loader.load({ kind: wanted.kind, oids: absent, limit }, signal)
      : await this.#loadWhole({ ...wanted, oids: absent }, limit, signal);
    return new Map([...found, ...fetched]);
  }

  #isPartial(): boolean {
    const { advertisement } = this.#endpoint;
    return advertisement.version === 2 && advertisement.filter;
  }

  #place(): { readonly target: Target; readonly base: URL } {
    return { target: this.#target, base: this.#endpoint.base };
  }

  #partialFetch(): FetchBatch {
    return createPartialFetch({
      ...this.#options,
      ...this.#place(),
      format: this.format,
      keep: (oid, object, wanted) => this.#options.cache.put(this.#target.repository, oid, object, !wanted),
    });
  }

  async #loadWhole(wanted: Wanted, limit: number, signal: AbortSignal): Promise<Loaded> {
    const loaded = new Map<string, Result<GitObject>>();
    if (this.format !== 'sha1') {
      const refusal = problem('unsupported_feature', 'a SHA-256 repository needs a Git server with partial clone');
      for (const oid of wanted.oids) loaded.set(oid, fail(refusal));
      return loaded;
    }
    const commits = wanted.kind === 'commit' ? wanted.oids : wanted.commits;
    let missing: Result<never> = fail(problem('commit_not_found'));
    for (const commit of commits) {
      const left = wanted.oids.filter((oid) => !loaded.has(oid));
      if (left.length === 0) break;
      const objects = await this.#options.shallow.read({ ...this.#place(), commit }, left, signal);
      if (!objects.ok) missing = objects;
      else for (const [oid, object] of objects.value) loaded.set(oid, this.#checked(oid, object, limit));
    }
    for (const oid of wanted.oids) if (!loaded.has(oid)) loaded.set(oid, missing);
    return loaded;
  }

  #checked(oid: string, object: GitObject, limit: number): Result<GitObject> {
    this.#options.cache.put(this.#target.repository, oid, object);
    return object.data.length > limit ? fail(problem('object_too_large')) : ok(object);
  }
}
