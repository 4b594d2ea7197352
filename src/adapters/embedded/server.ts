import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { refuseDenied, reviewAccess } from './access.ts';
import type { Behaviours } from './behaviour.ts';
import { documentAt } from './discovery.ts';
import { ApiError, noSuchPath, refusal, unsupportedMedia } from './errors.ts';
import { type FaultHook, type RequestCounter, requestInfo } from './faults.ts';
import { answer, type Call, type Desk, watchOf } from './handlers.ts';
import { logText, sendLog } from './logs.ts';
import { nodeStatistics } from './node-statistics.ts';
import { isRecord } from './objects.ts';
import { parseJson } from './patch.ts';
import { apiVersionOf } from './resources.ts';
import { type Route, routeOf, segmentsOf } from './routes.ts';
import type { WatchHub } from './watch.ts';
import { mustGet } from './write.ts';

/** Bytes of a request body; the API server's own limit. */
const BODY_LIMIT = 3 * 1024 * 1024;

export type Front = Desk & {
  readonly token: string;
  readonly hub: WatchHub;
  readonly counter: RequestCounter;
  readonly fault: () => FaultHook | undefined;
  readonly behaviours: () => Behaviours;
  readonly latencyMs: number;
  /** How a watch older than the history is refused. */
  readonly goneAs: () => 'event' | 'status';
};

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A bearer token, or the token as a basic password: kubectl sends no bearer token over plain HTTP. */
function isAuthorized(token: string, header: string): boolean {
  const basic = `Basic ${Buffer.from(`embedded:${token}`).toString('base64')}`;
  return sameText(header, `Bearer ${token}`) || sameText(header, basic);
}

function send(response: ServerResponse, code: number, json: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(json);
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof ApiError) {
    const retry = error.status.details?.retryAfterSeconds;
    if (retry !== undefined && !response.headersSent) response.setHeader('retry-after', String(retry));
    send(response, error.status.code, JSON.stringify(error.status));
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  send(response, 500, JSON.stringify(refusal(500, `bug in the embedded API server: ${text}`).status));
}

/** The whole body; 413 beyond the limit, without reading on. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_LIMIT) {
      throw refusal(413, 'the request is larger than 3145728 bytes', { reason: 'RequestEntityTooLarge' });
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function checkMedia(method: string, contentType: string): void {
  if (method !== 'POST' && method !== 'PUT') return;
  if (contentType === '' || contentType.startsWith('application/json')) return;
  throw unsupportedMedia(
    'the body of the request was in an unknown format - accepted media types include: application/json',
  );
}

/** Carries out what a fault asks for; answers how the answer is to be treated. */
async function suffer(
  front: Front,
  request: IncomingMessage,
  info: ReturnType<typeof requestInfo>,
): Promise<'go' | 'gone' | 'lost'> {
  const fault = front.fault()?.(info);
  if (front.latencyMs > 0) await pause(front.latencyMs);
  if (fault === undefined) return 'go';
  if ('delayMs' in fault) {
    await pause(fault.delayMs);
    return 'go';
  }
  if ('reset' in fault) {
    request.socket.destroy();
    return 'gone';
  }
  if ('lost' in fault) return 'lost';
  const details =
    fault.retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds: fault.retryAfterSeconds } };
  const reason = { 429: 'TooManyRequests', 500: 'InternalError', 503: 'ServiceUnavailable', 504: 'Timeout' }[
    fault.status
  ];
  throw refusal(fault.status, fault.message ?? 'injected fault', {
    ...(reason === undefined ? {} : { reason }),
    ...details,
  });
}

async function handleResource(
  front: Front,
  route: Route,
  io: { request: IncomingMessage; response: ServerResponse; url: URL },
): Promise<void> {
  const { request, response, url } = io;
  const { headers, method = 'GET' } = request;
  const info = requestInfo(route, { method, path: url.pathname, query: url.searchParams });
  front.counter.count(info);
  const fate = await suffer(front, request, info);
  if (fate === 'gone') return;
  checkMedia(method, headers['content-type'] ?? '');
  const call: Call = {
    route,
    query: url.searchParams,
    accept: headers.accept ?? '',
    contentType: headers['content-type'] ?? '',
    userAgent: headers['user-agent'] ?? '',
    body: await readBody(request),
  };
  if (route.verb === 'watch') return watch(front, call, response);
  if (route.subresource === 'log' && route.info.storage === '/pods') {
    refuseDenied(front.denials(), route);
    const pod = mustGet(front.machine, { info: route.info, namespace: route.namespace, name: route.name ?? '' });
    const body = logText(pod, call.query, front.behaviours());
    return sendLog(front.machine, response, { pod, body, follow: call.query.get('follow') === 'true' });
  }
  if (route.subresource === 'proxy' && route.info.storage === '/nodes') {
    refuseDenied(front.denials(), route);
    const node = mustGet(front.machine, { info: route.info, namespace: undefined, name: route.name ?? '' });
    return send(response, 200, JSON.stringify(nodeStatistics(node)));
  }
  const { code, json } = answer(front, call);
  if (fate === 'lost') request.socket.destroy();
  else send(response, code, json);
}

function watch(front: Front, call: Call, response: ServerResponse): void {
  const request = watchOf(front, call);
  if (!(request instanceof ApiError)) front.hub.start(request, response);
  else if (front.goneAs() === 'status') throw request;
  else front.hub.refuse(request, response);
}

async function review(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = parseJson(await readBody(request));
  send(response, 201, JSON.stringify(reviewAccess(front.denials(), isRecord(body) ? body : {})));
}

/** Whether any resource of the group and version of a path is served; a path outside gets a page that is not JSON. */
function isServed(front: Front, segments: readonly string[]): boolean {
  const apiVersion = segments[0] === 'api' ? segments[1] : segments.slice(1, 3).join('/');
  return front.machine.registry.all().some((info) => apiVersionOf(info) === apiVersion);
}

async function handle(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isAuthorized(front.token, request.headers.authorization ?? '')) {
    throw refusal(401, 'Unauthorized', { reason: 'Unauthorized' });
  }
  const url = new URL(request.url ?? '/', 'http://embedded');
  const segments = segmentsOf(url.pathname);
  if (segments === undefined) throw noSuchPath();
  const method = request.method ?? 'GET';
  if (segments.join('/') === 'apis/authorization.k8s.io/v1/selfsubjectaccessreviews' && method === 'POST') {
    return review(front, request, response);
  }
  const document = method === 'GET' ? documentAt(front.machine.registry, segments) : undefined;
  if (document !== undefined)
    return send(response, 200, typeof document === 'string' ? document : JSON.stringify(document));
  const route = routeOf(front.machine.registry, { method, segments, query: url.searchParams });
  if (route === undefined) {
    if (isServed(front, segments)) throw noSuchPath();
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
    return;
  }
  return handleResource(front, route, { request, response, url });
}

/** The HTTP server, not yet listening. */
export function buildServer(front: Front): Server {
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    // A client that goes away in the middle of an answer is its own affair.
    response.on('error', () => response.destroy());
    handle(front, request, response).catch((error: unknown) => sendError(response, error));
  });
  return server;
}
