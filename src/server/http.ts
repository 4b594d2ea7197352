import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fail, ok, problem, type Result } from '../kernel/index.ts';
import type { Log } from '../ports/index.ts';
import { errorAnswer, jsonAnswer, send, textAnswer } from './answer.ts';
import { refuse } from './body.ts';

/** Answers one request; what it throws is answered 500. */
export type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void;

/** Something that must work before traffic may come, named for people. */
export type ReadinessCheck = { readonly name: string; readonly ready: () => boolean | Promise<boolean> };

type Address = { readonly host: string; readonly port: number };

export type HttpOptions = {
  /**
   * The public listener: hooks, health and, when given, the rest through `fallback`. Port 0 takes a free one. A process without any of
   * these (a worker) has no public side: its one address is an admin address and shows metrics.
   */
  readonly listen: Address;
  /** The admin listener: metrics and health. Metrics are never on a public one. */
  readonly admin?: Address;
  readonly receiver?: (req: IncomingMessage, res: ServerResponse, hookId: string) => Promise<void>;
  readonly metrics?: { page(): Promise<{ readonly type: string; readonly text: string }> };
  readonly readiness: readonly ReadinessCheck[];
  /** Takes every other path of the public listener, such as the API's. */
  readonly fallback?: Handle;
  /** Takes connections of the public listener that ask for a WebSocket; without it they are requests like any other. */
  readonly upgrade?: (req: IncomingMessage, connection: Duplex, head: Buffer) => void;
  readonly log: Log;
  readonly limits?: Partial<HttpLimits>;
};

/** Limits of a listener. */
export type HttpLimits = {
  readonly headersMs: number;
  /** A whole request must have arrived by then; forges themselves give up after 10 s (field lessons 3.3). */
  readonly requestMs: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** How long `stop` waits for requests in flight. */
  readonly drainMs: number;
};

const DEFAULT_LIMITS: HttpLimits = {
  headersMs: 5_000,
  requestMs: 15_000,
  headerBytes: 16 * 1024,
  connections: 2_000,
  drainMs: 10_000,
};

export type HttpServer = {
  /** Resolves with the ports in use; `invalid_config` when an address can not be listened on. */
  start(): Promise<Result<{ readonly port: number; readonly adminPort?: number }>>;
  /** Accepts nothing more, lets requests in flight finish until the deadline, then closes what is left. */
  stop(): Promise<void>;
};

const NOT_FOUND = errorAnswer(404, 'not_found', 'there is nothing here');
const FAILED = errorAnswer(500, 'internal', 'something went wrong');
/** What a request that is no HTTP gets, by the parser's code. */
const PARSE_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
const CHECK_MS = 1_000;
/** A hook's id is random hex; anything longer than this is no id, and no path of several parts is. */
const HOOK = /^\/hooks\/([^/]{1,200})$/;

/** Makes the process's HTTP listeners. Nothing happens before `start`. */
export function createHttpServer(options: HttpOptions): HttpServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const showMetrics = async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    if (path !== '/metrics' || options.metrics === undefined) return refuse(req, res, NOT_FOUND);
    send(res, textAnswer(200, await options.metrics.page()));
  };
  const hasPublicSide = options.receiver !== undefined || options.fallback !== undefined || options.admin !== undefined;
  const publicServer = makeServer(options, limits, (req, res, path) => {
    const hook = options.receiver === undefined ? undefined : HOOK.exec(path)?.[1];
    if (hook !== undefined) return options.receiver?.(req, res, hook);
    if (isHealth(path)) return health(options, req, res, path);
    if (options.fallback !== undefined) return options.fallback(req, res);
    return hasPublicSide ? refuse(req, res, NOT_FOUND) : showMetrics(req, res, path);
  });
  if (options.upgrade !== undefined) takeUpgrades(publicServer, options.upgrade);
  const adminServer = makeServer(options, limits, (req, res, path) =>
    isHealth(path) ? health(options, req, res, path) : showMetrics(req, res, path),
  );

  return {
    async start() {
      const port = await listen(publicServer, options.listen);
      if (!port.ok || options.admin === undefined) return port.ok ? ok({ port: port.value }) : port;
      const adminPort = await listen(adminServer, options.admin);
      if (!adminPort.ok) {
        await close(publicServer, 0);
        return adminPort;
      }
      return ok({ port: port.value, adminPort: adminPort.value });
    },
    async stop() {
      await Promise.all([close(publicServer, limits.drainMs), close(adminServer, limits.drainMs)]);
    },
  };
}

type Routed = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> | void;

/** A listener and its connections, each with the answer to its last request. */
type Listener = { readonly server: Server; readonly connections: Map<Socket, ServerResponse | undefined> };

function makeServer(options: HttpOptions, limits: HttpLimits, route: Routed): Listener {
  const connections: Listener['connections'] = new Map();
  const server: Server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: limits.headerBytes,
    ...onlyWebSockets(() => server),
  });
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.on('close', () => connections.delete(socket));
  });
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    connections.set(req.socket, res);
    const url = req.url ?? '/';
    const query = url.indexOf('?');
    const failed = (error: unknown): void => {
      options.log.error('a request threw, which is a bug', { error });
      send(res, FAILED);
    };
    try {
      const done = route(req, res, query < 0 ? url : url.slice(0, query));
      if (done !== undefined) done.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  server.on('request', handle);
  // We decide whether the sender shall go on; node would say yes before the size is judged.
  server.on('checkContinue', handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = PARSE_ERRORS[error.code ?? ''] ?? '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
  return { server, connections };
}

/** Whoever asks for anything but a WebSocket gets a plain answer. Node before 24.9 does not know the option, and asks `upgrade`. */
function onlyWebSockets(server: () => Server): { shouldUpgradeCallback(req: IncomingMessage): boolean } {
  return {
    shouldUpgradeCallback: ({ headers }) =>
      server().listenerCount('upgrade') > 0 && headers.upgrade?.toLowerCase() === 'websocket',
  };
}

/** A connection that is taken over is no request any more: it neither holds up the end nor is swept away before it. */
function takeUpgrades({ server, connections }: Listener, upgrade: NonNullable<HttpOptions['upgrade']>): void {
  server.on('upgrade', (req: IncomingMessage, connection: Socket, head: Buffer) => {
    connections.delete(connection);
    upgrade(req, connection, head);
  });
}

function isHealth(path: string): boolean {
  return path === '/healthz' || path === '/readyz';
}

async function health(options: HttpOptions, req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    return refuse(req, res, errorAnswer(405, 'method_not_allowed', 'read it with GET', ['Allow', 'GET, HEAD']));
  }
  if (path === '/healthz') return send(res, jsonAnswer(200, { ok: true }));
  const checks = await Promise.all(options.readiness.map(async (check) => [check.name, await passes(check)] as const));
  const ready = checks.every(([, passed]) => passed);
  send(res, jsonAnswer(ready ? 200 : 503, { ok: ready, checks: Object.fromEntries(checks) }));
}

async function passes(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_MS);
  });
  try {
    return await Promise.race([check.ready(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function listen({ server }: Listener, address: Address): Promise<Result<number>> {
  return new Promise((resolve) => {
    const onError = (cause: Error): void =>
      resolve(fail(problem('invalid_config', 'an address can not be listened on', { cause })));
    server.once('error', onError);
    server.listen(address.port, address.host, () => {
      server.off('error', onError);
      resolve(ok((server.address() as AddressInfo).port));
    });
  });
}

async function close({ server, connections }: Listener, drainMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node would keep connections that have not sent a whole request yet, and keep-alive ones after their answer.
  const sweep = (): void => {
    for (const [socket, res] of connections) if (res === undefined || res.writableFinished) socket.destroy();
  };
  sweep();
  const sweeping = setInterval(sweep, 20);
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(deadline);
}
