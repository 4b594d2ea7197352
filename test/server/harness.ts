import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { createGithubDialect } from '../../src/adapters/github/index.ts';
import { createGitlabDialect } from '../../src/adapters/gitlab/index.ts';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import type { AcceptedPush, Clock, DeliveryIntake, DeliveryRecord, HookEntry } from '../../src/ports/index.ts';
import { createHttpServer, createReceiver, type HttpServer, type ReceiverOptions } from '../../src/server/index.ts';
import { noMetrics, silentLog } from '../support/redis.ts';

/** A clock a test moves. */
export type TestClock = Clock & { advance(ms: number): void };

export function testClock(): TestClock {
  let now = Date.parse('2026-11-29T12:00:00Z');
  return {
    now: () => new Date(now),
    sleep: async () => {},
    advance: (ms) => {
      now += ms;
    },
  };
}

export const GITHUB: HookEntry = {
  repository: 'shop',
  forge: 'github',
  auth: 'hmac',
  repositoryId: '186853002',
  secrets: ['current-secret', 'previous-secret'],
};
export const GITLAB: HookEntry = { ...GITHUB, repository: 'blog', forge: 'gitlab', auth: 'token', repositoryId: '15' };
export const HOOK = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
export const GITLAB_HOOK = 'b1b2c3d4e5f60718293a4b5c6d7e8f90';

export type Harness = {
  readonly port: number;
  readonly accepted: AcceptedPush[];
  readonly recorded: DeliveryRecord[];
  readonly counted: string[];
  readonly clock: TestClock;
  readonly state: { redisUp: boolean; ready: boolean };
  readonly server: HttpServer;
};

/** The receiver behind its real HTTP server, with an intake that remembers in memory. */
export async function startReceiver(over: Partial<ReceiverOptions> = {}): Promise<Harness> {
  const accepted: AcceptedPush[] = [];
  const recorded: DeliveryRecord[] = [];
  const counted: string[] = [];
  const clock = testClock();
  const state = { redisUp: true, ready: true };
  const isSeen = (repository: string, id: string | undefined): boolean =>
    id !== undefined && accepted.some((push) => push.repository === repository && push.deliveryId === id);
  const away = fail(problem('queue_unavailable'));
  const intake: DeliveryIntake = {
    accept: async (push) => {
      if (!state.redisUp) return away;
      if (isSeen(push.repository, push.deliveryId)) return ok('duplicate');
      accepted.push(push);
      return ok('accepted');
    },
    seen: async (repository, id) => (state.redisUp ? ok(isSeen(repository, id)) : away),
    record: (line) => recorded.push(line),
  };
  const entries = new Map([
    [HOOK, GITHUB],
    [GITLAB_HOOK, GITLAB],
  ]);
  const receiver = createReceiver({
    directory: {
      get ready() {
        return state.ready;
      },
      find: (id) => entries.get(id),
    },
    dialects: { github: createGithubDialect(), gitlab: createGitlabDialect() },
    intake,
    metrics: { ...noMetrics(), delivery: (forge, result) => counted.push(`${forge} ${result}`) },
    clock,
    log: silentLog(),
    ...over,
  });
  const server = createHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    receiver,
    readiness: [],
    log: silentLog(),
  });
  const started = await server.start();
  if (!started.ok) throw new Error(started.problem.message);
  return { port: started.value.port, accepted, recorded, counted, clock, state, server };
}

export type Reply = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string };

export type Call = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
};

/** One request; its own connection. */
export function call(
  port: number,
  { method = 'POST', path = `/hooks/${HOOK}`, headers = {}, body = '' }: Call,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const req = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Writes bytes as they are and answers with what comes back until a JSON answer is whole, the server ends the connection, or `ms` pass. */
export function raw(port: number, bytes: string | Buffer, ms = 3_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let heard = '';
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(heard);
    };
    const timer = setTimeout(done, ms);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (heard.endsWith('}')) done();
    });
    socket.on('close', done);
    socket.on('error', () => {});
  });
}

let nth = 0;
/** A signed GitHub delivery of this body. */
export function signed(
  body: string | Buffer,
  over: { secret?: string; event?: string; delivery?: string; type?: string } = {},
): Call {
  nth += 1;
  const signature = createHmac('sha256', over.secret ?? 'current-secret')
    .update(body)
    .digest('hex');
  return {
    body,
    headers: {
      'content-type': over.type ?? 'application/json',
      'x-github-event': over.event ?? 'push',
      'x-github-delivery': over.delivery ?? `72d3162e-cc78-11e3-81ab-${String(nth).padStart(12, '0')}`,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  };
}

/** A push's payload. */
export function pushBody(over: Record<string, unknown> = {}): string {
  const id = Number(GITHUB.repositoryId);
  return JSON.stringify({ ref: 'refs/heads/main', after: 'c'.repeat(40), deleted: false, repository: { id }, ...over });
}
