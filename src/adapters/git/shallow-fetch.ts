import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { SharedFlights } from './flight.ts';
import type { Http } from './http.ts';
import { type GitObject, hashObject, type ObjectType } from './objects.ts';
import { headersFor, statusProblem, type Target } from './transport.ts';

/** Repositories fetched whole that are kept for the next read of the same commit. */
const KEPT = 2;

type Fetched = { readonly key: string; readonly gitdir: string; users: number; dropped: boolean };

/**
 * The fallback for servers without partial clone: isomorphic-git fetches one commit with depth 1 into a temporary folder, through
 * our HTTP client and behind a cap on the bytes of an answer (`repository_too_large`). Nothing is checked out.
 */
export class ShallowFetch {
  readonly #http: Http;
  readonly #limitBytes: number;
  readonly #flights = new SharedFlights<Fetched>();
  readonly #kept: Fetched[] = [];

  constructor(options: { readonly http: Http; readonly limitBytes: number }) {
    this.#http = options.http;
    this.#limitBytes = options.limitBytes;
  }

  /** Reads objects out of a commit's shallow fetch, which is made when it is not at hand. An object that is not in it is absent. */
  async read(
    from: { readonly target: Target; readonly base: URL; readonly commit: string },
    oids: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, GitObject>>> {
    const key = `${from.target.session}/${from.commit}`;
    const kept = this.#kept.find((one) => one.key === key);
    const fetched: Result<Fetched> =
      kept !== undefined ? ok(kept) : await this.#flights.run(key, signal, (inner) => this.#fetch(key, from, inner));
    if (!fetched.ok) return fetched;
    fetched.value.users += 1;
    try {
      return ok(await readObjects(fetched.value.gitdir, oids));
    } finally {
      fetched.value.users -= 1;
      await this.#removeIfUnused(fetched.value);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#kept.splice(0).map((one) => this.#drop(one)));
  }

  async #fetch(
    key: string,
    from: { readonly target: Target; readonly base: URL; readonly commit: string },
    signal: AbortSignal,
  ): Promise<Result<Fetched>> {
    const gitdir = await mkdtemp(join(tmpdir(), 'hakopod-shallow-'));
    const failure = await this.#fetchInto(gitdir, from, signal);
    if (failure !== undefined) {
      await rm(gitdir, { recursive: true, force: true });
      return fail(failure);
    }
    const fetched = { key, gitdir, users: 0, dropped: false };
    this.#kept.push(fetched);
    await Promise.all(this.#kept.splice(0, this.#kept.length - KEPT).map((one) => this.#drop(one)));
    return ok(fetched);
  }

  async #fetchInto(
    gitdir: string,
    from: { readonly target: Target; readonly base: URL; readonly commit: string },
    signal: AbortSignal,
  ): Promise<Problem | undefined> {
    const git = await loadGit();
    const client = createClient({ http: this.#http, target: from.target, limitBytes: this.#limitBytes, signal });
    try {
      await git.init({ fs, gitdir, bare: true });
      await git.addRemote({ fs, gitdir, remote: 'origin', url: from.base.href });
      await git.fetch({
        fs,
        gitdir,
        http: client,
        url: from.base.href,
        ref: from.commit,
        depth: 1,
        singleBranch: true,
        tags: false,
      });
    } catch (error) {
      if (client.problem !== undefined) return client.problem;
      return problem('git_protocol', undefined, { cause: error instanceof Error ? error.name : 'unknown' });
    }
    const objects = await readObjects(gitdir, [from.commit]);
    return objects.has(from.commit) ? undefined : problem('commit_not_found');
  }

  async #drop(fetched: Fetched): Promise<void> {
    fetched.dropped = true;
    await this.#removeIfUnused(fetched);
  }

  async #removeIfUnused(fetched: Fetched): Promise<void> {
    if (fetched.dropped && fetched.users === 0) await rm(fetched.gitdir, { recursive: true, force: true });
  }
}

/** Loaded only when a server needs it: it costs 20 MB of memory. */
async function loadGit(): Promise<typeof import('isomorphic-git')> {
  return import('isomorphic-git');
}

async function readObjects(gitdir: string, oids: readonly string[]): Promise<ReadonlyMap<string, GitObject>> {
  const git = await loadGit();
  const cache = {};
  const objects = new Map<string, GitObject>();
  for (const oid of oids) {
    try {
      const read = await git.readObject({ fs, gitdir, oid, format: 'content', cache });
      const object = { type: read.type as ObjectType, data: Buffer.from(read.object as Uint8Array) };
      if (hashObject(object, 'sha1') === oid) objects.set(oid, object);
    } catch {
      // Not in this fetch: the caller sees that it is absent.
    }
  }
  return objects;
}

/** isomorphic-git's HTTP plug on top of ours. It throws to stop the library; `problem` then says why. */
function createClient(options: {
  readonly http: Http;
  readonly target: Target;
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}) {
  const client = {
    problem: undefined as Problem | undefined,
    async request(request: GitHttpRequest): Promise<GitHttpResponse> {
      const response = await options.http.send({
        url: new URL(request.url),
        method: request.method === 'POST' ? 'POST' : 'GET',
        headers: { ...request.headers, ...headersFor(options.target, 0) },
        ...(request.body === undefined ? {} : { body: await collect(request.body) }),
        maxBytes: options.limitBytes,
        tooLarge: problem('repository_too_large'),
        local: options.target.local,
        signal: options.signal,
      });
      if (!response.ok) client.problem = response.problem;
      else if (response.value.status !== 200) client.problem = statusProblem(response.value.status);
      if (!response.ok || client.problem !== undefined) throw new Error('stopped');
      return {
        url: request.url,
        method: request.method ?? 'GET',
        headers: { 'content-type': response.value.contentType },
        body: iterate(response.value.body),
        statusCode: response.value.status,
        statusMessage: '',
      };
    },
  };
  return client;
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* iterate(bytes: Buffer): AsyncGenerator<Uint8Array, void, unknown> {
  yield bytes;
}
