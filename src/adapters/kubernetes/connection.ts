import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { type Access, type ConnectOptions, type Material, readAccess } from './access.ts';
import { type ChannelAccess, type ChannelRequest, type Channels, openChannels } from './channels.ts';

/** One request in raw JSON. */
export type RawRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server. */
  readonly path: string;
  readonly accept: string;
  readonly userAgent: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A watch or a log: a connection of its own, and silence for this many milliseconds ends it; 0 for never. */
  readonly watchIdleMs?: number;
};

export type RawAnswer = { readonly status: number; readonly retryAfter: string | undefined; readonly body: Readable };

/** Credentials and connections to one API server. */
export interface KubeConnection {
  /** Base URL of the API server. */
  readonly server: string;
  /** Resolves with the answer's head; rejects when there is none. */
  send(request: RawRequest): Promise<RawAnswer>;
  /** Opens the channels of a streaming call; rejects when there are none. Absent where a test stands in for the cluster. */
  open?(request: ChannelRequest): Promise<Channels>;
  /** Cuts every connection, also of running watches. */
  close(): Promise<void>;
}

/** Connections for calls. The API server, not we, is the limit beyond this (measured: 1,830 reads/s on 32). */
const CONNECTIONS = 32;
/** Kubernetes rotates files in place; a service account's token must be re-read at least each minute. */
const RECHECK_MS = 60_000;
const RECHECK_AFTER_ERROR_MS = 500;
const CONNECT_MS = 10_000;
const IDLE_SOCKET_MS = 30_000;

/**
 * Opens the way to an API server from a kubeconfig or, with neither `kubeconfig` nor `kubeconfigText`, from the pod's service
 * account. No request is made. `invalid_config` when the configuration can not be used. Call `close()` in the end.
 */
export function connect(options: ConnectOptions): Result<KubeConnection> {
  const access = readAccess(options);
  if (!access.ok) return access;
  try {
    return ok(new Connection(access.value));
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    return fail(problem('invalid_config', 'a file the kubeconfig names can not be used', { cause: { code } }));
  }
}

type Secrets = { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly token?: string };
type Agents = { readonly calls: Agent; readonly watches: Agent };

/**
 * Two agents: a watch keeps its connection for minutes, so watches on the agent of the calls would leave none of the 32 for the
 * calls themselves once enough releases wait. Both are renewed when CA, certificate or key change.
 */
class Connection implements KubeConnection {
  readonly server: string;
  readonly #access: Access;
  #secrets: Secrets;
  #agents: Agents;
  #checkedAt = performance.now();
  #checking: Promise<void> | undefined;

  constructor(access: Access) {
    this.#access = access;
    this.server = access.server;
    this.#secrets = collect(access, (m) => ('data' in m ? m.data : readFileSync(m.file, 'utf8')));
    this.#agents = agentsOf(access, this.#secrets);
  }

  async send(raw: RawRequest): Promise<RawAnswer> {
    if (performance.now() - this.#checkedAt >= RECHECK_MS) await this.#recheck();
    const answer = await this.#once(raw).catch(async (error: unknown) => {
      // a certificate may have been renewed; the next request then uses it
      if (performance.now() - this.#checkedAt >= RECHECK_AFTER_ERROR_MS) await this.#recheck();
      throw error;
    });
    if (answer.status !== 401 || !(await this.#tokenChanged())) return answer;
    answer.body.on('error', () => undefined).resume();
    return this.#once(raw);
  }

  async open(request: ChannelRequest): Promise<Channels> {
    if (performance.now() - this.#checkedAt >= RECHECK_MS) await this.#recheck();
    const access = {
      server: this.server,
      tls: tlsOf(this.#access, this.#secrets),
      headers: this.#authorization(),
    };
    return openChannels(access, request);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agents.calls.destroy(), this.#agents.watches.destroy()]);
  }

  async #once(raw: RawRequest): Promise<RawAnswer> {
    const watch = raw.watchIdleMs;
    const answer = await request(`${this.server}${raw.path}`, {
      method: raw.method,
      dispatcher: watch === undefined ? this.#agents.calls : this.#agents.watches,
      headers: {
        accept: raw.accept,
        'user-agent': raw.userAgent,
        ...(raw.contentType === undefined ? {} : { 'content-type': raw.contentType }),
        ...this.#authorization(),
      },
      body: raw.body ?? null,
      signal: raw.signal,
      ...(watch === undefined ? {} : { bodyTimeout: watch, headersTimeout: watch }),
    });
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      body: answer.body,
    };
  }

  #authorization(): Record<string, string> {
    const { basic, impersonate } = this.#access;
    const { token } = this.#secrets;
    const authorization =
      token !== undefined ? `Bearer ${token.trim()}` : basic !== undefined ? `Basic ${basic}` : undefined;
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate }),
    };
  }

  async #tokenChanged(): Promise<boolean> {
    const before = this.#secrets.token;
    await this.#recheck();
    return this.#secrets.token !== before;
  }

  #recheck(): Promise<void> {
    this.#checking ??= this.#reread().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #reread(): Promise<void> {
    this.#checkedAt = performance.now();
    const before = this.#secrets;
    let next: Secrets;
    try {
      next = await collectAsync(this.#access);
    } catch {
      return; // caught in the middle of a rotation; what we have is used until the next look
    }
    this.#secrets = next;
    if (next.ca === before.ca && next.cert === before.cert && next.key === before.key) return;
    const old = this.#agents;
    this.#agents = agentsOf(this.#access, next);
    // graceful: requests and watches under way may end by themselves
    void old.calls.close();
    void old.watches.close();
  }
}

const FIELDS = ['ca', 'cert', 'key', 'token'] as const;

function collect(access: Access, read: (material: Material) => string): Secrets {
  const entries = FIELDS.flatMap((field) => {
    const material = access[field];
    return material === undefined ? [] : [[field, read(material)] as const];
  });
  return Object.fromEntries(entries);
}

async function collectAsync(access: Access): Promise<Secrets> {
  const contents = new Map<string, string>();
  for (const field of FIELDS) {
    const material = access[field];
    if (material !== undefined && 'file' in material)
      contents.set(material.file, await readFile(material.file, 'utf8'));
  }
  return collect(access, (m) => ('data' in m ? m.data : (contents.get(m.file) ?? '')));
}

function agentsOf(access: Access, secrets: Secrets): Agents {
  const shared = {
    pipelining: 1,
    allowH2: false, // one request per connection keeps a slow answer from holding up others
    keepAliveTimeout: IDLE_SOCKET_MS,
    connect: { timeout: CONNECT_MS, ...tlsOf(access, secrets) },
  };
  return { calls: new Agent({ ...shared, connections: CONNECTIONS }), watches: new Agent(shared) };
}

function tlsOf(access: Access, { ca, cert, key }: Secrets): ChannelAccess['tls'] {
  return {
    rejectUnauthorized: !access.insecure,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
  };
}
