import { afterEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/access/index.ts';
import { fail, ok, problem, type Result } from '../../../src/kernel/index.ts';
import { Deployment, type DeploymentEvent } from '../../../src/ports/api/index.ts';
import { until } from '../../support/redis.ts';
import { ADMIN, NO_LIMIT, startApi, type World } from './harness.ts';
import { sampleOf } from './sample.ts';

const PATH = '/api/v1/deployments/acme.production.shop.3/events';
let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const event = (id: string): DeploymentEvent => ({
  id,
  time: '2026-11-29T12:00:00Z',
  type: 'running',
  message: `message ${id}`,
});
const state = (status: Deployment['status'], ids: readonly string[]): Deployment => ({
  ...(sampleOf(Deployment) as Deployment),
  id: 'acme.production.shop.3',
  status,
  events: ids.map(event),
});

async function start(
  stream: Partial<typeof NO_LIMIT.stream> = {},
  over: Parameters<typeof startApi>[0] = {},
): Promise<World & { readonly key: string }> {
  world = await startApi({ limits: { ...NO_LIMIT, stream: { ...NO_LIMIT.stream, ...stream } }, ...over });
  world.answers.set('deployments.show', ok(state('running', ['a', 'b'])));
  return { ...world, key: world.login(ADMIN) };
}

/** Reads a stream to its end, or until `stop` says so. */
async function read(answer: Response, stop: (text: string) => boolean = () => false): Promise<string> {
  let text = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text;
    text += value;
    if (stop(text)) {
      await reader?.cancel();
      return text;
    }
  }
}
const idsIn = (text: string): readonly string[] => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '');

describe('a stream of events', () => {
  it('is not opened by HEAD, which nobody would ever read or end', async () => {
    const { origin, key, followers } = await start({ streams: 1 });
    const login = { authorization: `Bearer ${key}` };
    const head = await fetch(origin + PATH, { method: 'HEAD', headers: login });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(followers.size).toBe(0);
    const answer = await fetch(origin + PATH, { headers: login });
    expect(answer.status).toBe(200);
    await read(answer, () => true);
  });

  it('tells what was, what comes, and ends with the release', async () => {
    const { origin, key, followers } = await start();
    const answer = await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    const reading = read(answer);
    await until(() => followers.size === 1, 'a follower');
    for (const tell of followers) {
      tell(state('running', ['a', 'b', 'c']));
      tell(state('running', ['a', 'b', 'c']));
      tell(state('succeeded', ['a', 'between', 'b', 'c', 'd']));
    }
    const text = await reading;
    expect(idsIn(text)).toEqual(['a', 'b', 'c', 'between', 'd']);
    const [, frame = ''] = /(id: d\n.*?)\n\n/s.exec(text) ?? [];
    expect(frame.split('\n').slice(0, 2)).toEqual(['id: d', 'event: deployment']);
    expect(JSON.parse(frame.split('data: ')[1] ?? '')).toEqual({
      ...event('d'),
      deployment_id: 'acme.production.shop.3',
      status: 'succeeded',
    });
    expect(followers.size).toBe(0);
  });

  it('goes on after the last one seen, and says when there are no more', async () => {
    const { origin, key, followers, answers } = await start();
    const ask = (last: string): Promise<Response> =>
      fetch(origin + PATH, { headers: { authorization: `Bearer ${key}`, 'last-event-id': last } });
    const reading = read(await ask('a'));
    await until(() => followers.size === 1, 'a follower');
    for (const tell of followers) tell(state('failed', ['a', 'b', 'c']));
    expect(idsIn(await reading)).toEqual(['b', 'c']);
    answers.set('deployments.show', ok(state('failed', ['a', 'b', 'c'])));
    expect(idsIn(await read(await ask('b')))).toEqual(['c']);
    expect(idsIn(await read(await ask('forgotten long ago')))).toEqual(['a', 'b', 'c']);
    expect((await ask('c')).status).toBe(204);
  });

  it('ends when the key is revoked, the authority is lost or does not answer in time', async () => {
    let answer = async (): Promise<Result<Principal>> => ok(ADMIN);
    const { origin, key, followers, operations } = await start(
      { authorityMs: 20, authorityReadMs: 20 },
      { authenticate: () => answer() },
    );
    const open = async (): Promise<{ readonly reading: Promise<string> }> => {
      answer = async () => ok(ADMIN);
      const opened = await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } });
      return { reading: read(opened) };
    };
    const revoked = await open();
    answer = async () => fail(problem('unauthorized'));
    expect(idsIn(await revoked.reading)).toEqual(['a', 'b']);
    const lost = await open();
    const deployments = operations.deployments;
    Object.assign(operations, {
      deployments: new Proxy(deployments, {
        get: (target, name) =>
          name === 'mayFollow' ? () => fail(problem('permission_denied')) : Reflect.get(target, name),
      }),
    });
    await lost.reading;
    Object.assign(operations, { deployments });
    const late = await open();
    answer = () => new Promise(() => {});
    await late.reading;
    expect(followers.size).toBe(0);
  });

  it('beats, and ends after its longest time', async () => {
    const { origin, key } = await start({ heartbeatMs: 10, longestMs: 100 });
    const text = await read(await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } }));
    expect(text.match(/: heartbeat\n\n/g)?.length).toBeGreaterThan(1);
  });

  it('is one of at most 16, and gives its place back when the reader leaves', async () => {
    const { origin, key, followers } = await start();
    expect(NO_LIMIT.stream).toEqual({
      streams: 16,
      heartbeatMs: 15_000,
      longestMs: 600_000,
      authorityMs: 3_000,
      authorityReadMs: 2_000,
    });
    const leaving = new AbortController();
    const ask = (): Promise<Response> =>
      fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal });
    const open = await Promise.all(Array.from({ length: 16 }, ask));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await ask();
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'stream_limit' } }]);
    leaving.abort();
    await until(() => followers.size === 0, 'the places are free');
    const again = await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } });
    expect(again.status).toBe(200);
    await read(again, () => true);
  });

  it('ends when the server stops', async () => {
    const { origin, key, api } = await start();
    const reading = read(await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } }));
    api.close();
    expect(idsIn(await reading)).toEqual(['a', 'b']);
  });

  it('needs a key that may read the release', async () => {
    const { origin, key, answers } = await start();
    expect((await fetch(origin + PATH)).status).toBe(401);
    answers.set('deployments.show', fail(problem('permission_denied')));
    expect((await fetch(origin + PATH, { headers: { authorization: `Bearer ${key}` } })).status).toBe(403);
  });
});
