import { afterEach, describe, expect, it } from 'vitest';
import { fail, ok, type Problem, problem, type Result } from '../../../src/kernel/index.ts';
import type { LogStream } from '../../../src/ports/api/index.ts';
import type { LogSink } from '../../../src/ports/cluster-operations/index.ts';
import { until } from '../../support/redis.ts';
import { ADMIN, NO_LIMIT, startApi, type World } from './harness.ts';

const PATH = `/api/v1/applications/${'0'.repeat(32)}/services/web/logs`;
let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

type Running = { readonly sink: LogSink; readonly signal: AbortSignal; readonly end: (result: Result<void>) => void };

/** The API, over logs that a test writes and ends. */
async function start(over: Parameters<typeof startApi>[0] = {}) {
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
  const running: Running[] = [];
  const stream: LogStream = {
    pod: 'web-1',
    container: 'app',
    follow: true,
    read: (sink, signal) =>
      new Promise((resolve) => {
        running.push({ sink, signal, end: resolve });
        signal.addEventListener('abort', () => resolve(ok(undefined)), { once: true });
      }),
  };
  world.answers.set('cluster.logs', ok(stream));
  const key = world.login(ADMIN);
  const ask = (query = '', signal?: AbortSignal): Promise<Response> =>
    fetch(`${world?.origin}${PATH}${query}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(signal === undefined ? {} : { signal }),
    });
  const next = async (): Promise<Running> => {
    await until(() => running.length > 0, 'a log is read');
    return running.shift()!;
  };
  return { ...world, ask, next, key, sleepers };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a log', () => {
  it('is the answer itself, as it is written', async () => {
    const { ask, next, calls } = await start();
    const asking = ask('?follow=true&tail=10&timestamps=true&pod=web-1&since=2026-11-29T12:00:00Z');
    const log = await next();
    void log.sink(bytes('one\n'));
    const answer = await asking;
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-hakopod-pod')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'web-1',
    ]);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('one\n');
    await log.sink(bytes('two\n'));
    expect((await reader.read()).value).toBe('two\n');
    log.end(ok(undefined));
    expect((await reader.read()).done).toBe(true);
    expect(calls.at(-1)?.input).toMatchObject({
      service: 'web',
      follow: true,
      previous: false,
      timestamps: true,
      tail: 10,
      pod: 'web-1',
      since: '2026-11-29T12:00:00Z',
    });
  });

  it.each([
    ['pod_not_found', 404],
    ['unknown_container', 400],
    ['logs_unavailable', 503],
    ['forbidden', 503],
  ] as const)('that is refused before its first byte is a refusal: %s', async (code, status) => {
    const { ask, next } = await start();
    const asking = ask();
    (await next()).end(fail(problem(code) as Problem));
    expect((await asking).status).toBe(status);
  });

  it('that breaks off later cuts the answer', async () => {
    const { ask, next } = await start();
    const asking = ask();
    const log = await next();
    void log.sink(bytes('one\n'));
    const answer = await asking;
    log.end(fail(problem('logs_unavailable')));
    await expect(answer.text()).rejects.toThrow();
  });

  it('that says nothing begins all the same, and can be empty', async () => {
    const { ask, next, sleepers } = await start();
    const quiet = ask();
    const log = await next();
    await until(() => sleepers.length > 0, 'the answer waits for a line');
    for (const wake of sleepers) wake();
    const answer = await quiet;
    log.end(ok(undefined));
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('ends with its reader, its authority, and the server', async () => {
    const { ask, next, api, operations } = await start({
      limits: { ...NO_LIMIT, stream: { ...NO_LIMIT.stream, authorityMs: 20 } },
    });
    const leaving = new AbortController();
    const asking = ask('', leaving.signal);
    const first = await next();
    void first.sink(bytes('one\n'));
    await asking;
    leaving.abort();
    await until(() => first.signal.aborted, 'the log of the reader that left ends');

    const second = ask();
    const log = await next();
    void log.sink(bytes('one\n'));
    const answer = await second;
    const { cluster } = operations;
    Object.assign(operations, {
      cluster: new Proxy(cluster, {
        get: (target, name) =>
          name === 'mayGoOn' ? () => fail(problem('permission_denied')) : Reflect.get(target, name),
      }),
    });
    expect(await answer.text()).toBe('one\n');
    expect(log.signal.aborted).toBe(true);
    Object.assign(operations, { cluster });

    const third = ask();
    const last = await next();
    void last.sink(bytes('one\n'));
    const open = await third;
    api.close();
    expect(await open.text()).toBe('one\n');
  });

  it('is one of at most four, and gives its place back', async () => {
    const { ask, next } = await start();
    const open = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const asking = ask();
        const log = await next();
        void log.sink(bytes('x'));
        return { answer: await asking, log };
      }),
    );
    const refused = await ask();
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'stream_limit' } }]);
    for (const { log } of open) log.end(ok(undefined));
    await Promise.all(open.map(({ answer }) => answer.text()));
    const again = ask();
    (await next()).end(ok(undefined));
    expect((await again).status).toBe(200);
  });

  it('waits for a slow reader', async () => {
    const { ask, next } = await start();
    const asking = ask();
    const log = await next();
    let taken = 0;
    const chunk = new Uint8Array(32 * 1024).fill(97);
    void (async () => {
      for (let i = 0; i < 1000; i += 1) {
        const done = await log.sink(chunk);
        if (!done.ok) return;
        taken += 1;
      }
      log.end(ok(undefined));
    })();
    const answer = await asking;
    await until(() => taken > 0, 'some is written');
    const before = taken;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(taken).toBeLessThan(1000);
    expect(taken).toBeGreaterThanOrEqual(before);
    expect((await answer.text()).length).toBe(1000 * chunk.length);
  });
});
