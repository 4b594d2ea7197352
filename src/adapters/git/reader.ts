import {
  type CommitSha,
  fail,
  isTagPattern,
  ok,
  type Problem,
  problem,
  type RefName,
  type Result,
  tagMatch,
} from '../../kernel/index.ts';
import type { GitReader, Log, Remote } from '../../ports/index.ts';
import { changedPathsBetween } from './changed-paths.ts';
import { commitMessageAt } from './commit-message.ts';
import { EXPORT_DEADLINE_MS, exportTreeAt } from './export-tree.ts';
import { DEADLINE_MS, SharedFlights, withDeadline } from './flight.ts';
import { createHttp, type Http } from './http.ts';
import { Lru } from './lru.ts';
import { ObjectCache } from './object-cache.ts';
import { readFileAt } from './read-file.ts';
import { Repository, type RepositoryOptions } from './repository.ts';
import { ShallowFetch } from './shallow-fetch.ts';
import { discover, type Target, targetOf } from './transport.ts';

const MIB = 1024 * 1024;
/** How long a discovery is good for. It is also the proof that these credentials open the repository, which cached objects need. */
const SESSION_MS = 10 * 60_000;
const SESSIONS = 1000;

export type GitReaderOptions = {
  /** Folder for objects on disk; without it the cache is memory only. */
  readonly cacheDir?: string;
  /** Bytes the folder may take. */
  readonly cacheBytes: number;
  /** Bytes of one answer; 32 MiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of one commit or tree; 16 MiB, a folder of about 300,000 entries. */
  readonly maxObjectBytes?: number;
  /** Bytes of a whole shallow fetch, for servers without partial clone. */
  readonly shallowLimitBytes: number;
  /** PEM bundle trusted besides the system's. */
  readonly ca?: string;
  /** URL of an HTTP proxy for remotes that are not local. */
  readonly proxy?: string;
  readonly userAgent?: string;
  readonly log?: Log;
  /** Milliseconds one call may take; 30 s. */
  readonly deadlineMs?: number;
};

type Session = { readonly repository: Repository; readonly until: number };

/** Makes a `GitReader` over smart HTTP with its own connections and cache. `close` ends both; later calls are `git_unavailable`. */
export function createGitReader(options: GitReaderOptions): GitReader & { close(): Promise<void> } {
  return new Reader(options);
}

class Reader implements GitReader {
  readonly #http: Http;
  readonly #repositories: RepositoryOptions;
  readonly #sessions = new Lru<Session>(SESSIONS);
  readonly #discoveries = new SharedFlights<Session>();
  readonly #closing = new AbortController();
  readonly #deadlineMs: number;
  readonly #log: Log | undefined;

  constructor(options: GitReaderOptions) {
    // Both a header and a line of the protocol, so it has neither spaces nor line ends.
    const agent = (options.userAgent ?? 'hakopod').replaceAll(/[^\x21-\x7e]/g, '-');
    const maxObjectBytes = options.maxObjectBytes ?? 16 * MIB;
    this.#http = createHttp({
      userAgent: agent,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
    });
    this.#repositories = {
      http: this.#http,
      cache: new ObjectCache({ cacheDir: options.cacheDir, cacheBytes: options.cacheBytes, maxObjectBytes }),
      shallow: new ShallowFetch({ http: this.#http, limitBytes: options.shallowLimitBytes }),
      agent,
      maxResponseBytes: options.maxResponseBytes ?? 32 * MIB,
      maxObjectBytes,
    };
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#log = options.log;
  }

  async listRefs(
    remote: Remote,
    refs: readonly RefName[],
    signal?: AbortSignal,
  ): Promise<Result<ReadonlyMap<RefName, CommitSha>>> {
    return this.#with('listing refs', remote, signal, async (repository, inner) => {
      const prefixes = refs.map((ref) => ref.split('*')[0] ?? ref);
      const listed = await repository.refs(prefixes, inner);
      if (!listed.ok) return listed;
      const wanted = new Set<string>(refs);
      const patterns = refs.filter(isTagPattern);
      const isWanted = (name: string): boolean =>
        wanted.has(name) || patterns.some((pattern) => tagMatch(pattern, name) !== undefined);
      const found = listed.value.filter(({ name }) => isWanted(name));
      return ok(new Map(found.map(({ name, oid, peeled }) => [name as RefName, (peeled ?? oid) as CommitSha])));
    });
  }

  async readFile(request: Parameters<GitReader['readFile']>[0]): ReturnType<GitReader['readFile']> {
    return this.#with('reading a file', request.remote, request.signal, async (repository, signal) => {
      const file = await readFileAt(repository, request, signal);
      if (file.ok || file.problem.code !== 'commit_not_found') return file;
      return (await isEmpty(repository, signal)) ? fail(problem('repository_empty')) : file;
    });
  }

  async commitMessage(request: Parameters<GitReader['commitMessage']>[0]): ReturnType<GitReader['commitMessage']> {
    return this.#with('reading a commit', request.remote, request.signal, (repository, signal) =>
      commitMessageAt(repository, request.commit, signal),
    );
  }

  async changedPaths(request: Parameters<GitReader['changedPaths']>[0]): ReturnType<GitReader['changedPaths']> {
    return this.#with('comparing commits', request.remote, request.signal, (repository, signal) =>
      changedPathsBetween(repository, request, signal),
    );
  }

  async exportTree(request: Parameters<GitReader['exportTree']>[0]): ReturnType<GitReader['exportTree']> {
    const act = { name: 'exporting a folder', ms: EXPORT_DEADLINE_MS };
    return this.#with(act, request.remote, request.signal, (repository, signal) =>
      exportTreeAt(repository, request, signal),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#http.destroy();
    await this.#repositories.shallow.close();
    await this.#repositories.cache.flush();
  }

  async #with<T>(
    act: string | { readonly name: string; readonly ms: number },
    remote: Remote,
    signal: AbortSignal | undefined,
    work: (repository: Repository, signal: AbortSignal) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const target = targetOf(remote);
    if (!target.ok) return target;
    const ms = typeof act === 'string' ? this.#deadlineMs : act.ms;
    const result = await withDeadline(ms, [signal, this.#closing.signal], async (inner) => {
      const kept = this.#kept(target.value);
      if (kept !== undefined) {
        const first = await work(kept.repository, inner);
        if (first.ok || !mayBeStale(first.problem)) return first;
        this.#sessions.delete(target.value.session);
        if (first.problem.code === 'git_unavailable') return first;
      }
      const session = await this.#discover(target.value, inner);
      return session.ok ? work(session.value.repository, inner) : session;
    });
    if (!result.ok) this.#report(typeof act === 'string' ? act : act.name, target.value, result.problem);
    return result;
  }

  #kept(target: Target): Session | undefined {
    const session = this.#sessions.get(target.session);
    return session === undefined || session.until < Date.now() || session.repository.refsAreOld ? undefined : session;
  }

  async #discover(target: Target, signal: AbortSignal): Promise<Result<Session>> {
    return this.#discoveries.run(target.session, signal, async (inner) => {
      const { maxResponseBytes } = this.#repositories;
      const endpoint = await discover(this.#http, target, { maxBytes: maxResponseBytes, signal: inner });
      if (!endpoint.ok) return endpoint;
      const repository = new Repository(target, endpoint.value, this.#repositories);
      const session = { repository, until: Date.now() + SESSION_MS };
      this.#sessions.set(target.session, session, 1);
      return ok(session);
    });
  }

  #report(act: string, target: Target, what: Problem): void {
    this.#log?.debug('a Git request was not answered with success', {
      act,
      host: target.url.host,
      code: what.code,
      cause: what.cause,
    });
  }
}

/** The repository may have moved, changed its server or its credentials since it was discovered. */
function mayBeStale(what: Problem): boolean {
  return ['git_protocol', 'git_unauthorized', 'repository_not_found', 'git_unavailable'].includes(what.code);
}

async function isEmpty(repository: Repository, signal: AbortSignal): Promise<boolean> {
  const refs = await repository.refs([], signal);
  return refs.ok && refs.value.length === 0;
}
