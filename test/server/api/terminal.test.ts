import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openWebSocket } from '../../../src/cli/client/web-socket.ts';
import { fail, ok, problem } from '../../../src/kernel/index.ts';
import type { MessageSocket } from '../../../src/ports/index.ts';
import { echo } from '../../support/fake-cluster-operations.ts';
import { until } from '../../support/redis.ts';
import { ADMIN, keyWith, NO_LIMIT, startApi, type World } from './harness.ts';

const ID = '0'.repeat(32);
const PATH = `/api/v1/applications/${ID}/services/web/exec`;
let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function start(over: Parameters<typeof startApi>[0] = {}) {
  // Who waits for the first message waits for ever, unless a test says otherwise.
  const sleepers: (() => void)[] = [];
  const clock = {
    now: () => new Date(0),
    sleep: (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        sleepers.push(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  world = await startApi({ clock, ...over });
  const session = echo();
  world.answers.set('cluster.exec', ok({ pod: 'web-1', container: 'app', session }));
  const key = world.login(ADMIN);
  const open = (query = ''): Promise<MessageSocket> =>
    openWebSocket(`${world?.origin}${PATH}${query}`, { Authorization: `Bearer ${key}` });
  return { ...world, session, key, open, sleepers };
}

const START = JSON.stringify({ argv: ['sh', '-c', 'echo'], rows: 40, columns: 100 });
const text = async (socket: MessageSocket): Promise<string | undefined> => {
  const message = await socket.receive();
  return message === undefined || typeof message === 'string' ? message : `bytes ${Buffer.from(message)}`;
};
const json = async (socket: MessageSocket): Promise<unknown> => JSON.parse((await text(socket)) ?? '""');

describe('a terminal', () => {
  it('starts what is asked for, takes input and sizes, and tells the exit code', async () => {
    const { open, calls, session } = await start();
    const socket = await open('?pod=web-1&container=app');
    await socket.send(START);
    expect(await json(socket)).toEqual({ started: { pod: 'web-1', container: 'app' } });
    expect(await text(socket)).toBe('bytes 40x100');
    await socket.send(Buffer.from('hello'));
    expect(await text(socket)).toBe('bytes you said hello');
    await socket.send(JSON.stringify({ resize: { rows: 50, columns: 132 } }));
    expect(await text(socket)).toBe('bytes 50x132');
    await socket.send(Buffer.from('exit'));
    expect(await json(socket)).toEqual({ ended: { exit_code: 3 } });
    expect(await socket.receive()).toBeUndefined();
    expect(session.sizes).toEqual([
      { rows: 40, columns: 100 },
      { rows: 50, columns: 132 },
    ]);
    expect(calls.at(-1)).toMatchObject({
      name: 'cluster.exec',
      input: { id: ID, service: 'web', pod: 'web-1', container: 'app', argv: ['sh', '-c', 'echo'] },
    });
  });

  it('carries messages of every length there and back', async () => {
    const { open } = await start();
    const socket = await open();
    await socket.send(START);
    await text(socket);
    await text(socket);
    for (const length of [0, 1, 125, 126, 127, 65_535, 65_536]) {
      const typed = 'x'.repeat(length);
      await socket.send(Buffer.from(typed));
      expect((await text(socket)) === `bytes you said ${typed}`, String(length)).toBe(true);
    }
    socket.close();
  });

  it('closes the session when its reader leaves, and breaks nothing', async () => {
    const { open, session, logged } = await start();
    const socket = await open();
    await socket.send(START);
    await text(socket);
    socket.close();
    await until(() => !session.inspect().running, 'the session is closed');
    expect(logged).toEqual([]);
  });

  it('tells why nothing could be started, or what ended it', async () => {
    const { open, answers, session } = await start();
    answers.set('cluster.exec', fail(problem('pod_security')));
    const refused = await open();
    await refused.send(START);
    expect(await json(refused)).toMatchObject({ error: { code: 'pod_security' } });
    expect(await refused.receive()).toBeUndefined();

    answers.set('cluster.exec', ok({ pod: 'web-1', container: 'app', session }));
    const ended = await open();
    await ended.send(START);
    await text(ended);
    await text(ended);
    session.close();
    expect(await json(ended)).toMatchObject({ error: { code: 'exec_closed' } });
  });

  it('ends when what is sent breaks the rules', async () => {
    const { open } = await start();
    for (const first of ['{}', 'no JSON', JSON.stringify({ argv: [] }), JSON.stringify({ argv: ['x'], more: 1 })]) {
      const socket = await open();
      await socket.send(first);
      expect(await json(socket)).toMatchObject({ error: { code: 'invalid_request' } });
    }
    const socket = await open();
    await socket.send(START);
    await text(socket);
    await text(socket);
    await socket.send(JSON.stringify({ resize: { rows: 0, columns: 1 } }));
    expect(await json(socket)).toMatchObject({ error: { code: 'exec_closed' } });
  });

  it('does not wait for ever to hear what is to be run', async () => {
    const { open, sleepers } = await start();
    const socket = await open();
    await until(() => sleepers.length > 0, 'the server waits');
    for (const wake of sleepers) wake();
    expect(await json(socket)).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it('ends with the authority behind it', async () => {
    const { open, session, keys, key } = await start({
      limits: { ...NO_LIMIT, stream: { ...NO_LIMIT.stream, authorityMs: 20 } },
    });
    const socket = await open();
    await socket.send(START);
    await text(socket);
    await text(socket);
    keys.delete(key);
    expect(await json(socket)).toMatchObject({ error: { code: 'authority_revoked' } });
    expect(session.inspect().running).toBe(false);
  });

  it('is one of at most four, and gives its place back', async () => {
    const { open } = await start();
    const four = await Promise.all([1, 2, 3, 4].map(() => open()));
    await expect(open()).rejects.toThrow();
    for (const socket of four) socket.close();
    await until(async () => {
      try {
        (await open()).close();
        return true;
      } catch {
        return false;
      }
    }, 'a place is free');
  });

  it('ends when the server stops', async () => {
    const { open, api } = await start();
    const socket = await open();
    await socket.send(START);
    await text(socket);
    await text(socket);
    api.close();
    expect(await socket.receive()).toBeUndefined();
  });
});

describe('the handshake', () => {
  /** What a raw request is answered with. */
  const shake = (
    { origin }: { readonly origin: string },
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly accept: unknown; readonly body: string; readonly socket?: Socket }> =>
    new Promise((resolve, reject) => {
      const asking = request(`${origin}${path}`, { headers });
      asking.on('response', (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, accept: undefined, body }));
      });
      asking.on('upgrade', (answer, socket: Socket) =>
        resolve({ status: answer.statusCode ?? 0, accept: answer.headers['sec-websocket-accept'], body: '', socket }),
      );
      asking.on('error', reject);
      asking.end();
    });
  const webSocket = (key: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    authorization: `Bearer ${key}`,
    ...more,
  });

  it('answers as RFC 6455 says, or says what is wrong with the request', async () => {
    const { login, ...made } = await start();
    const key = login(ADMIN);
    const headers = webSocket(key);
    const good = await shake(made, PATH, headers);
    const wanted = createHash('sha1')
      .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    expect([good.status, good.accept]).toEqual([101, wanted]);
    good.socket?.destroy();
    const status = async (path: string, over: Readonly<Record<string, string>>): Promise<number> =>
      (await shake(made, path, webSocket(key, over))).status;
    expect(await status(PATH, { 'sec-websocket-version': '8' })).toBe(400);
    expect(await status(PATH, { 'sec-websocket-key': 'short' })).toBe(400);
    expect(await status('/api/v1/me', {})).toBe(400);
    expect(await status('/hooks/x', {})).toBe(400);
    expect(await status(PATH, { authorization: 'Bearer nobody' })).toBe(401);
    expect(await status(PATH, { authorization: `Bearer ${login(keyWith(['admin']))}` })).toBe(403);
    expect(await status(`${PATH}?strange=1`, {})).toBe(400);
    made.answers.set('cluster.execTarget', fail(problem('pod_not_found')));
    const gone = await shake(made, PATH, webSocket(key));
    expect([gone.status, JSON.parse(gone.body)]).toMatchObject([404, { error: { code: 'pod_not_found' } }]);
  });

  it('leaves those alone who ask for another protocol', async () => {
    const { key, ...made } = await start();
    const answer = await shake(made, '/api/v1/me', {
      connection: 'Upgrade',
      upgrade: 'h2c',
      authorization: `Bearer ${key}`,
    });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['an unmasked frame', Buffer.from([0x82, 0x01, 0x61]), 1002],
    ['an extension nobody agreed on', Buffer.from([0xc2, 0x80, 0, 0, 0, 0]), 1002],
    ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a part of no message', Buffer.from([0x80, 0x80, 0, 0, 0, 0]), 1002],
    ['a message inside of another', Buffer.from([0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80, 0, 0, 0, 0]), 1002],
    ['a ping in parts', Buffer.from([0x09, 0x80, 0, 0, 0, 0]), 1002],
    ['a message that is too long', Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]), 1009],
    ['a goodbye', Buffer.from([0x88, 0x80, 0, 0, 0, 0]), 1000],
  ] as const)('is followed by an end after %s', async (_what, frame, code) => {
    const { key, ...made } = await start();
    const { socket } = await shake(made, PATH, webSocket(key));
    const got: Buffer[] = [];
    socket?.on('data', (chunk: Buffer) => got.push(chunk));
    const ended = new Promise((resolve) => socket?.on('close', resolve));
    socket?.write(frame);
    await until(() => got.length > 0, 'an answer');
    socket?.end();
    await ended;
    const answer = Buffer.concat(got);
    expect([answer[0], answer.readUInt16BE(2)]).toEqual([0x88, code]);
  });

  it('is followed by pongs, and by messages put together from their parts', async () => {
    const { key, ...made } = await start();
    const { socket } = await shake(made, PATH, webSocket(key));
    const got: Buffer[] = [];
    socket?.on('data', (chunk: Buffer) => got.push(chunk));
    const masked = (first: number, payload: string): Buffer =>
      Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);
    // byte by byte: frames do not come as packets do
    const all = Buffer.concat([
      masked(0x01, '{"argv":['),
      masked(0x89, 'still there'),
      masked(0x00, '"sh"],'),
      masked(0x80, '"rows":40}'),
    ]);
    for (const byte of all) socket?.write(Buffer.from([byte]));
    await until(() => Buffer.concat(got).includes('40x80'), 'it started');
    expect(Buffer.concat(got).subarray(0, 13)).toEqual(
      Buffer.concat([Buffer.from([0x8a, 11]), Buffer.from('still there')]),
    );
    socket?.destroy();
  });
});
