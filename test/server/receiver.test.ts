import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/redis.ts';
import { call, GITLAB_HOOK, type Harness, HOOK, pushBody, raw, signed, startReceiver } from './harness.ts';

const ACCEPTED = '{"accepted":true}';
const COMMIT = 'c'.repeat(40);
let receiver: Harness;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.server.stop());

describe('the order of judgement', () => {
  it('asks for POST before anything else', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const reply = await call(receiver.port, { method, headers: { 'content-type': 'text/plain' } });
      expect([reply.status, reply.headers.allow]).toEqual([405, 'POST']);
    }
  });

  it.each([
    [undefined, 415],
    ['application/x-www-form-urlencoded', 415],
    ['text/json', 415],
    ['application/jsonp', 415],
    ['application/json', 202],
    ['application/json; charset=utf-8', 202],
    ['Application/JSON ;charset=UTF-8', 202],
  ] as const)('content type %s gets %d', async (type, status) => {
    const { headers, body } = signed(pushBody());
    const { 'content-type': _, ...rest } = headers as Record<string, string>;
    const reply = await call(receiver.port, {
      body: body!,
      headers: type === undefined ? rest : { ...rest, 'content-type': type },
    });
    expect(reply.status).toBe(status);
  });

  it('judges the content type before the size, and the size before the signature', async () => {
    const head = (type: string): string =>
      `POST /hooks/${HOOK} HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}\r\nContent-Length: 99999999\r\n\r\n`;
    expect(await raw(receiver.port, head('text/plain'))).toMatch(/^HTTP\/1\.1 415 /);
    expect(await raw(receiver.port, head('application/json'))).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('does not read a payload whose signature is bad', async () => {
    const reply = await call(receiver.port, { ...signed('no json'), body: 'no json at all' });
    expect(reply.status).toBe(401);
  });

  it('answers a duplicate before it looks at the schema or the repository', async () => {
    const delivery = 'aaaaaaaa-cc78-11e3-81ab-4c9367dc0958';
    expect((await call(receiver.port, signed(pushBody(), { delivery }))).body).toBe(ACCEPTED);
    for (const body of [pushBody(), '{"broken', pushBody({ repository: { id: 1 } })]) {
      const reply = await call(receiver.port, signed(body, { delivery }));
      expect([reply.status, reply.body]).toEqual([202, '{"ignored":"duplicate"}']);
    }
    expect(receiver.accepted).toHaveLength(1);
  });
});

describe('a pull request', () => {
  const body = (id: number): string =>
    JSON.stringify({
      ...{ action: 'synchronize', number: 7, pull_request: { head: { sha: COMMIT } } },
      repository: { id },
    });

  it('is accepted as a hint at its number, with the head it mentions', async () => {
    const reply = await call(receiver.port, signed(body(186_853_002), { event: 'pull_request' }));
    expect([reply.status, reply.body]).toEqual([202, ACCEPTED]);
    expect(receiver.accepted).toMatchObject([
      { repository: 'shop', ref: 'pull-request/7', pullRequest: 7, commit: COMMIT },
    ]);
  });

  it('of another repository is ignored', async () => {
    const reply = await call(receiver.port, signed(body(1), { event: 'pull_request' }));
    expect([reply.status, reply.body]).toEqual([202, '{"ignored":"repository"}']);
    expect(receiver.accepted).toEqual([]);
  });
});

describe('a comment with a command', () => {
  const body = (id: number): string =>
    JSON.stringify({
      ...{ action: 'created', issue: { number: 7, pull_request: {} }, comment: { id: 99, body: 'hakopod deploy' } },
      repository: { id },
    });

  it('is accepted as a hint at its id, and nothing it says is taken along', async () => {
    const reply = await call(receiver.port, signed(body(186_853_002), { event: 'issue_comment' }));
    expect([reply.status, reply.body]).toEqual([202, ACCEPTED]);
    expect(receiver.accepted).toMatchObject([
      { repository: 'shop', ref: 'pull-request/7/comments', pullRequest: 7, commit: '99' },
    ]);
    expect(JSON.stringify(receiver.accepted)).not.toContain('hakopod deploy');
  });

  it('of another repository is ignored', async () => {
    const reply = await call(receiver.port, signed(body(1), { event: 'issue_comment' }));
    expect([reply.status, reply.body]).toEqual([202, '{"ignored":"repository"}']);
    expect(receiver.accepted).toEqual([]);
  });
});

describe('the size of a body', () => {
  const cap = 5 * 1024 * 1024;

  it('may be 5 MiB', async () => {
    const body = pushBody().padEnd(cap, ' ');
    expect((await call(receiver.port, signed(body))).body).toBe(ACCEPTED);
  });

  it('may not be a byte more, said or streamed; the sender gets to read that', async () => {
    const body = Buffer.from(pushBody().padEnd(cap + 1, ' '));
    expect((await call(receiver.port, signed(body))).status).toBe(413);
    const { headers } = signed(body);
    const streamed = await call(receiver.port, { headers: { ...headers, 'transfer-encoding': 'chunked' }, body });
    expect([streamed.status, streamed.headers.connection]).toEqual([413, 'close']);
    expect(receiver.accepted).toEqual([]);
  });

  it('is refused before it is sent when the sender asks first', async () => {
    const ask = (length: number): string =>
      `POST /hooks/${HOOK} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    expect(await raw(receiver.port, ask(cap + 1))).toMatch(/^HTTP\/1\.1 413 /);
    expect(await raw(receiver.port, ask(10), 300)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });

  it('survives connections that break in the middle', async () => {
    const head = `POST /hooks/${HOOK} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`;
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      const socket = connect(receiver.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise<void>((resolve) => socket.write(head, () => resolve()));
      const before = receiver.counted.length;
      setTimeout(() => socket[how](), 20);
      await until(() => receiver.counted.length > before, 'the notice of the break');
    }
    expect(receiver.counted).toEqual(['unknown broken', 'unknown broken']);
    expect((await call(receiver.port, signed(pushBody()))).body).toBe(ACCEPTED);
  });
});

describe('authentication', () => {
  it('is over the raw bytes', async () => {
    const odd = `{ "ref":"refs/heads/main", "after":"${COMMIT}","ref":"refs/heads/main", "x":"\\u00e9é 🚀","y":1.0,\t"repository": {"id":186853002} }\n`;
    expect((await call(receiver.port, signed(odd))).body).toBe(ACCEPTED);
    const reserialised = JSON.stringify(JSON.parse(odd));
    expect((await call(receiver.port, { ...signed(odd), body: reserialised })).status).toBe(401);
  });

  it('takes both secrets of a rotation', async () => {
    for (const secret of ['current-secret', 'previous-secret']) {
      expect((await call(receiver.port, signed(pushBody(), { secret }))).body).toBe(ACCEPTED);
    }
  });

  it('gives one answer, to the byte, for unknown id, bad signature and none', async () => {
    const good = signed(pushBody());
    const { 'x-hub-signature-256': _, ...unsigned } = good.headers as Record<string, string>;
    const replies = await Promise.all([
      call(receiver.port, signed(pushBody(), { secret: 'wrong' })),
      call(receiver.port, { ...good, headers: unsigned }),
      call(receiver.port, { ...good, path: '/hooks/0000c3d4e5f60718293a4b5c6d7e8f90' }),
      call(receiver.port, { ...good, path: '/hooks/..' }),
      call(receiver.port, { ...good, path: `/hooks/${GITLAB_HOOK}` }),
    ]);
    for (const reply of replies) {
      expect(reply.status).toBe(401);
      expect(reply.body).toBe(replies[0]!.body);
      expect({ ...reply.headers, date: '' }).toEqual({ ...replies[0]!.headers, date: '' });
    }
    expect(receiver.accepted).toEqual([]);
  });

  it('verifies an unknown id’s delivery like any other', async () => {
    await receiver.server.stop();
    const verified: (readonly string[])[] = [];
    const dialect = {
      verify: ({ secrets }: { secrets: readonly string[] }) => {
        verified.push(secrets);
        return true;
      },
      deliveryId: () => undefined,
      decode: () => ({ kind: 'ignored', reason: 'event' }) as const,
    };
    receiver = await startReceiver({ dialects: { github: dialect, gitlab: dialect } });
    // Even a dialect that says yes does not help an id nobody has.
    expect((await call(receiver.port, { ...signed('{}'), path: '/hooks/nobody' })).status).toBe(401);
    expect(verified).toHaveLength(1);
    expect(verified[0]![0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('keeps one refusal a minute in the history, with nothing of the stranger’s in it', async () => {
    for (let i = 0; i < 5; i += 1)
      await call(receiver.port, signed(pushBody(), { secret: 'wrong', delivery: 'strangers-words' }));
    expect(receiver.recorded).toMatchObject([{ repository: 'shop', verdict: 'refused', deliveryId: undefined }]);
    receiver.clock.advance(60_000);
    await call(receiver.port, signed(pushBody(), { secret: 'wrong' }));
    expect(receiver.recorded).toHaveLength(2);
  });
});

describe('after a valid signature', () => {
  it('a push is accepted with repository, ref and the commit it mentions', async () => {
    const reply = await call(receiver.port, signed(pushBody(), { delivery: 'deadbeef-1' }));
    expect([reply.status, reply.body]).toEqual([202, ACCEPTED]);
    expect(receiver.accepted).toEqual([
      {
        repository: 'shop',
        deliveryId: 'deadbeef-1',
        ref: 'refs/heads/main',
        commit: COMMIT,
        at: '2026-11-29T12:00:00.000Z',
        provenBy: 'current',
      },
    ]);
  });

  it('a recorded payload of GitHub is accepted', async () => {
    const body = readFileSync(new URL('../fixtures/hooks/github-push.json', import.meta.url));
    expect((await call(receiver.port, signed(body))).body).toBe(ACCEPTED);
  });

  it('the deletion of a ref is accepted too', async () => {
    const body = readFileSync(new URL('../fixtures/hooks/github-push-deleted.json', import.meta.url));
    expect((await call(receiver.port, signed(body))).body).toBe(ACCEPTED);
    expect(receiver.accepted[0]!.commit).toBeUndefined();
  });

  it.each([
    ['malformed', '{"ref": ', 'push'],
    ['malformed', '[]', 'push'],
    ['malformed', pushBody({ ref: 'refs/heads/../../x' }), 'push'],
    ['repository', pushBody({ repository: { id: 4_711 } }), 'push'],
    ['event', '{}', 'issues'],
    ['event', '{"zen":"Keep it logically awesome."}', 'ping'],
    ['repository', '{"repository":{"id":4711}}', 'ping'],
  ] as const)('%s is ignored with 202 and written down', async (reason, body, event) => {
    const reply = await call(receiver.port, signed(body, { event }));
    expect([reply.status, reply.body]).toEqual([202, JSON.stringify({ ignored: reason })]);
    expect(receiver.recorded).toMatchObject([{ repository: 'shop', verdict: reason }]);
    expect(receiver.accepted).toEqual([]);
  });

  it('GitLab’s hooks come in by their own dialect', async () => {
    const body = readFileSync(new URL('../fixtures/hooks/gitlab-push.json', import.meta.url));
    const headers = {
      'content-type': 'application/json',
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-token': 'current-secret',
      'x-gitlab-event-uuid': '13792a34-cac6-4fda-95a8-c58e00a3954e',
    };
    const reply = await call(receiver.port, { path: `/hooks/${GITLAB_HOOK}`, headers, body });
    expect([reply.status, reply.body]).toEqual([202, ACCEPTED]);
    expect(receiver.counted).toEqual(['gitlab accepted']);
  });
});

describe('503', () => {
  it.each(['push', 'issues'])('while Redis is away, with the time to try again (%s)', async (event) => {
    receiver.state.redisUp = false;
    const reply = await call(receiver.port, signed(pushBody(), { event }));
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
    // Who proves nothing learns nothing of that.
    expect((await call(receiver.port, signed(pushBody(), { secret: 'wrong' }))).status).toBe(401);
  });

  it('while the secrets have not been listed, and not 401: the forge shall come again', async () => {
    receiver.state.ready = false;
    expect((await call(receiver.port, signed(pushBody()))).status).toBe(503);
    receiver.state.ready = true;
    expect((await call(receiver.port, signed(pushBody()))).status).toBe(202);
  });
});

describe('the bucket of failed authentications', () => {
  const failing = { ...signed(pushBody(), { secret: 'wrong' }) };

  it('turns 401 into 429 per route and address, and never touches a valid delivery', async () => {
    await receiver.server.stop();
    receiver = await startReceiver({ failures: { capacity: 3, refillPerSecond: 1 } });
    for (let i = 0; i < 10; i += 1) expect((await call(receiver.port, signed(pushBody()))).status).toBe(202);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await call(receiver.port, failing)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const reply = await call(receiver.port, failing);
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '2']);
    expect((await call(receiver.port, signed(pushBody()))).status).toBe(202);
    expect((await call(receiver.port, { ...failing, path: '/hooks/another' })).status).toBe(401);
    receiver.clock.advance(1_000);
    expect((await call(receiver.port, failing)).status).toBe(401);
    expect((await call(receiver.port, failing)).status).toBe(429);
  });

  it('treats an unknown id the same, so that it tells nobody which ids exist', async () => {
    await receiver.server.stop();
    receiver = await startReceiver({ failures: { capacity: 1, refillPerSecond: 1 } });
    const path = '/hooks/unknown';
    expect([
      (await call(receiver.port, { ...failing, path })).status,
      (await call(receiver.port, { ...failing, path })).status,
    ]).toEqual([401, 429]);
  });

  it('believes a forwarded address only behind as many proxies as it was told of', async () => {
    for (const [trustedProxies, expected] of [
      [0, 429],
      [1, 401],
    ] as const) {
      await receiver.server.stop();
      receiver = await startReceiver({ failures: { capacity: 1, refillPerSecond: 0 }, trustedProxies });
      const from = (list: string): Promise<{ status: number }> =>
        call(receiver.port, { ...failing, headers: { ...failing.headers, 'x-forwarded-for': list } });
      expect((await from('6.6.6.6, 10.0.0.1')).status).toBe(401);
      expect((await from('6.6.6.6, 10.0.0.2')).status).toBe(expected);
      // What the client wrote itself, on the left, makes no difference.
      expect((await from('7.7.7.7, 10.0.0.1')).status).toBe(429);
    }
  });
});
