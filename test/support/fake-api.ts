import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type FakeApi = {
  readonly url: string;
  readonly port: number;
  /** Connections ever accepted. */
  readonly connections: () => number;
  readonly open: () => number;
  readonly requests: readonly { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[];
  /** Cuts every connection as a killed process does. */
  readonly kill: () => Promise<void>;
};

export type Handler = (request: IncomingMessage & { body: string }, response: ServerResponse) => void;

/** A bare HTTP server on loopback that counts connections; `port` 0 takes a free one. */
export async function fakeApi(handler: Handler, port = 0): Promise<FakeApi> {
  const requests: FakeApi['requests'][number][] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ method: request.method ?? '', url: request.url ?? '', body, headers: request.headers });
      handler(Object.assign(request, { body }), response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    connections: () => connections,
    open: () => sockets.size,
    requests,
    kill: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Answers JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A Kubernetes Status. */
export function status(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details };
}
