import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../../access/index.ts';
import { ok, problem, type Result } from '../../kernel/index.ts';
import { OPERATION_LIMITS } from '../../ports/cluster-operations/index.ts';
import type { MessageSocket } from '../../ports/index.ts';
import { createPlaces } from './admission.ts';
import { originOf } from './answer-route.ts';
import type { ApiOptions } from './options.ts';
import { refused } from './respond.ts';
import { socketPair } from './socket-pair.ts';
import { runTerminal } from './terminal.ts';
import { acceptHandshake, WebSocketEnd } from './web-socket.ts';

/** Takes a connection over whose request asked for another protocol. */
export type Upgrade = (req: IncomingMessage, connection: Duplex, head: Buffer) => void;

export type Terminals = {
  /** Of the HTTP listener. */
  readonly upgrade: Upgrade;
  /** Of this very process: a socket, or the answer that refuses it. */
  connect(request: Request, principal: Principal): Promise<MessageSocket | Response>;
  close(): void;
};

type Answer = (
  request: Request,
  env: { readonly incoming?: IncomingMessage; readonly principal?: Principal },
) => Promise<Response>;

const PATH = /^\/api\/v1\/applications\/([^/]+)\/services\/([^/]+)\/exec$/;

/**
 * Terminals over WebSockets. Whether one may be opened is what the route of the same path answers to a plain GET: its checks are these, and a
 * refusal is its answer. Four run at once (cluster operations 0.1).
 */
export function createTerminals(options: ApiOptions, answer: Answer): Terminals {
  const places = createPlaces(OPERATION_LIMITS.execSessions);
  const open = new Set<MessageSocket>();

  const run = async (
    socket: MessageSocket,
    asked: { readonly url: URL; readonly principal: () => Promise<Result<Principal>>; readonly leave: () => void },
  ): Promise<void> => {
    open.add(socket);
    const [, id = '', service = ''] = PATH.exec(asked.url.pathname) ?? [];
    const { cluster } = options.operations;
    const pod = asked.url.searchParams.get('pod') ?? undefined;
    const container = asked.url.searchParams.get('container') ?? undefined;
    try {
      await runTerminal({
        socket,
        clock: options.clock,
        times: options.limits.stream,
        open: async ({ argv }) => {
          const principal = await asked.principal();
          if (!principal.ok) return principal;
          const info = { id: options.random.hex(8), origin: originOf(principal.value) };
          return cluster.exec(principal.value, { id, service, pod, container, argv }, info);
        },
        authority: async () => {
          const principal = await asked.principal();
          return principal.ok ? cluster.mayGoOn(principal.value, { id, permission: 'pods:exec' }) : principal;
        },
      });
    } catch (error) {
      options.log.error('a terminal threw, which is a bug', { error });
      socket.close();
    } finally {
      open.delete(socket);
      asked.leave();
    }
  };

  return {
    upgrade: (req, connection, head) => {
      connection.on('error', () => connection.destroy());
      const refuse = async (response: Response): Promise<void> => writeAnswer(connection, response);
      void (async () => {
        const url = new URL(req.url ?? '/', 'http://hakopod.local');
        const accept = acceptHandshake(req);
        if (!PATH.test(url.pathname) || accept === undefined)
          return refuse(refused(problem('invalid_request', 'there is no WebSocket here')));
        const headers = new Headers();
        const { authorization } = req.headers;
        if (authorization !== undefined) headers.set('authorization', authorization);
        const checked = await answer(new Request(url, { headers }), { incoming: req });
        if (checked.status !== 200) return refuse(checked);
        const leave = places.enter();
        if (leave === undefined) return refuse(refused(problem('stream_limit')));
        connection.write(accept);
        const principal = (): Promise<Result<Principal>> => options.authenticate(authorization);
        await run(new WebSocketEnd(connection, head), { url, principal, leave });
      })().catch((error: unknown) => {
        options.log.error('a request threw, which is a bug', { error });
        connection.destroy();
      });
    },
    connect: async (request, principal) => {
      const checked = await answer(request, { principal });
      if (checked.status !== 200) return checked;
      const leave = places.enter();
      if (leave === undefined) return refused(problem('stream_limit'));
      const [mine, theirs] = socketPair();
      void run(mine, { url: new URL(request.url), principal: async () => ok(principal), leave });
      return theirs;
    },
    close: () => {
      for (const socket of [...open]) socket.close();
    },
  };
}

async function writeAnswer(connection: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...headers,
    `Content-Length: ${body.length}`,
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  connection.end(Buffer.concat([Buffer.from(head), body]));
}
