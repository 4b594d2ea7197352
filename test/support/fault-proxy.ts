import { createServer, type IncomingMessage, request as plain, type ServerResponse } from 'node:http';
import { request as secure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';
import { kubeconfigFor } from './kubernetes.ts';

/** What happens to one request: an answer of the proxy's own, a cut before or after it was carried out, or a pause before it. */
export type ProxyFault =
  | { readonly status: number; readonly reason?: string; readonly retryAfterSeconds?: number }
  | { readonly cut: 'before' | 'after' }
  | { readonly delayMs: number }
  /** A watch's stream that begins with the event by which the API server says that its version is too old. */
  | { readonly expired: true };

export type ProxiedRequest = { readonly method: string; readonly path: string; readonly isWatch: boolean };

/** An HTTP proxy in front of an API server, real or embedded, that lets chosen requests go wrong. */
export type FaultProxy = {
  /** Leads through the proxy. */
  readonly kubeconfig: string;
  /** Chooses; `undefined` lets everything through. */
  fault(rule: ((request: ProxiedRequest) => ProxyFault | undefined) | undefined): void;
  /** What the API server itself answered to writes, as `METHOD path status`. */
  readonly written: readonly string[];
  /** How many requests went wrong on purpose. */
  faults(): number;
  stop(): Promise<void>;
};

type Upstream = { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly tls: object };

function upstreamOf(kubeconfig: string): Upstream {
  const config = parse(kubeconfig) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const { server = '', 'certificate-authority-data': ca } = config.clusters[0]?.cluster ?? {};
  const { token, 'client-certificate-data': cert, 'client-key-data': key } = config.users[0]?.user ?? {};
  const decode = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
  return {
    url: new URL(server),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    tls: { ca: decode(ca), cert: decode(cert), key: decode(key) },
  };
}

/** Starts the proxy on loopback in front of the server of this kubeconfig. */
export async function startFaultProxy(kubeconfig: string): Promise<FaultProxy> {
  const upstream = upstreamOf(kubeconfig);
  const written: string[] = [];
  let rule: ((request: ProxiedRequest) => ProxyFault | undefined) | undefined;
  let faults = 0;
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '/';
    const asked = { method: incoming.method ?? 'GET', path, isWatch: /[?&]watch=(?:true|1)/.test(path) };
    const fault = rule?.(asked);
    const body = await read(incoming);
    if (fault !== undefined) faults += 1;
    if (fault === undefined) return forward(asked, incoming, { outgoing, body });
    if ('delayMs' in fault) {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
      return forward(asked, incoming, { outgoing, body });
    }
    if ('cut' in fault && fault.cut === 'before') return outgoing.socket?.destroy();
    if ('cut' in fault) return forward(asked, incoming, { outgoing, body, cut: true });
    answer(outgoing, fault);
  });

  function forward(
    asked: ProxiedRequest,
    incoming: IncomingMessage,
    to: { readonly outgoing: ServerResponse; readonly body: Buffer; readonly cut?: boolean },
  ): void {
    const { authorization: _, host: _host, connection: _connection, ...headers } = incoming.headers;
    const send = upstream.url.protocol === 'https:' ? secure : plain;
    const options = { method: asked.method, headers: { ...headers, ...upstream.headers }, ...upstream.tls };
    const onward = send(new URL(asked.path, upstream.url), options, (got) => {
      if (asked.method !== 'GET') written.push(`${asked.method} ${asked.path.split('?')[0]} ${got.statusCode}`);
      if (to.cut === true) {
        got.resume();
        got.on('end', () => to.outgoing.socket?.destroy());
        return;
      }
      to.outgoing.writeHead(got.statusCode ?? 502, got.headers);
      to.outgoing.flushHeaders();
      got.pipe(to.outgoing);
      got.on('error', () => to.outgoing.destroy());
    });
    onward.on('error', () => to.outgoing.destroy());
    to.outgoing.on('close', () => onward.destroy());
    onward.end(to.body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    kubeconfig: kubeconfigFor(url, { token: 'kept-by-the-proxy' }),
    fault: (next) => {
      rule = next;
    },
    written,
    faults: () => faults,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function statusObject(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'a fault', reason, code };
}

function answer(outgoing: ServerResponse, fault: Extract<ProxyFault, { status: number } | { expired: true }>): void {
  if ('expired' in fault) {
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(`${JSON.stringify({ type: 'ERROR', object: statusObject(410, 'Expired') })}\n`);
    return;
  }
  const { status, reason = 'InternalError', retryAfterSeconds } = fault;
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  outgoing.writeHead(status, { 'content-type': 'application/json', ...wait });
  outgoing.end(JSON.stringify(statusObject(status, reason)));
}
