import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGitlabDialect } from '../../../src/adapters/gitlab/index.ts';
import type { HookHeaders } from '../../../src/ports/index.ts';
import { AWKWARD_BODIES, hookFixture } from '../../support/hook-fixture.ts';

const dialect = createGitlabDialect();
const body = hookFixture('gitlab-push');
const now = new Date('2026-11-29T12:00:00.000Z');
const seconds = now.getTime() / 1000;
const TOKEN = 'a-plain-token-of-some-length-0123456789';
const KEY = Buffer.alloc(32, 7);
const SIGNING = `whsec_${KEY.toString('base64')}`;
const ID = 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f';

type Verify = Parameters<typeof dialect.verify>[0];
function verify(
  headers: HookHeaders,
  auth: Verify['auth'],
  secrets: readonly string[],
  payload: Buffer = body,
): boolean {
  return dialect.verify({ headers, body: payload, secrets, auth, now });
}

describe('verify with a token', () => {
  const token = (value: string | undefined, secrets: readonly string[]) =>
    verify({ 'x-gitlab-token': value }, 'token', secrets);

  it('accepts the token under any of two secrets', () => {
    expect(token(TOKEN, [TOKEN])).toBe(true);
    expect(token('old', ['new', 'old'])).toBe(true);
    expect(token('new', ['new', 'old'])).toBe(true);
  });
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['a prefix', TOKEN.slice(0, -1)],
    ['something longer', `${TOKEN}x`],
    ['other letters', TOKEN.toUpperCase()],
  ])('refuses %s', (_, value) => expect(token(value, [TOKEN])).toBe(false));

  it('refuses everything without a secret', () => {
    expect(token('', [''])).toBe(false);
    expect(token('', [])).toBe(false);
    expect(token(undefined, ['undefined'])).toBe(false);
    expect(token(TOKEN, ['a', 'b', TOKEN])).toBe(false);
  });
});

type Signed = { id?: string; timestamp?: string; key?: Buffer; payload?: Buffer };
function signature({ id = ID, timestamp = String(seconds), key = KEY, payload = body }: Signed = {}): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(payload).digest('base64')}`;
}
function signed(headers: HookHeaders, secrets: readonly string[] = [SIGNING], payload: Buffer = body): boolean {
  const base = { 'webhook-id': ID, 'webhook-timestamp': String(seconds), 'webhook-signature': signature() };
  return verify({ ...base, ...headers }, 'signing-token', secrets, payload);
}

describe('verify with a signing token', () => {
  it('knows the example of the Standard Webhooks specification', () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const payload = Buffer.from('{"test": 2432232314}');
    const request = {
      headers,
      body: payload,
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      auth: 'signing-token',
    };
    expect(dialect.verify({ ...request, auth: 'signing-token', now: new Date(1614265330_000) })).toBe(true);
  });

  it('accepts one right signature among several, under any of two secrets', () => {
    const old = Buffer.alloc(32, 9);
    expect(signed({})).toBe(true);
    expect(signed({ 'webhook-signature': `v1a,xx v1,${'A'.repeat(43)}= ${signature()}` })).toBe(true);
    expect(signed({ 'webhook-signature': signature({ key: old }) }, [SIGNING, `whsec_${old.toString('base64')}`])).toBe(
      true,
    );
  });

  it.each([0, 300, -300, 301, -301])('judges a clock that differs by %i s', (offset) => {
    const timestamp = String(seconds + offset);
    const headers = { 'webhook-timestamp': timestamp, 'webhook-signature': signature({ timestamp }) };
    expect(signed(headers)).toBe(Math.abs(offset) <= 300);
  });

  it.each<[string, HookHeaders]>([
    ['no signature', { 'webhook-signature': undefined }],
    ['no id', { 'webhook-id': undefined, 'webhook-signature': signature({ id: '' }) }],
    ['no timestamp', { 'webhook-timestamp': undefined, 'webhook-signature': signature({ timestamp: '' }) }],
    [
      'a timestamp that is no number',
      { 'webhook-timestamp': 'NaN', 'webhook-signature': signature({ timestamp: 'NaN' }) },
    ],
    ['another id', { 'webhook-id': 'another-delivery' }],
    ['another time', { 'webhook-timestamp': String(seconds + 1) }],
    ['another key', { 'webhook-signature': signature({ key: Buffer.alloc(32, 1) }) }],
    ['another version', { 'webhook-signature': signature().replace('v1', 'v2') }],
    ['no version', { 'webhook-signature': signature().slice(3) }],
    ['a cut signature', { 'webhook-signature': signature().slice(0, -2) }],
    ['a signature past the eighth', { 'webhook-signature': `${'v1,x '.repeat(8)}${signature()}` }],
  ])('refuses %s', (_, headers) => expect(signed(headers)).toBe(false));

  it('refuses secrets that are no signing tokens', () => {
    const plain = createHmac('sha256', 'plain').update(`${ID}.${seconds}.`).update(body).digest('base64');
    expect(signed({ 'webhook-signature': `v1,${plain}` }, ['plain'])).toBe(false);
    for (const key of [Buffer.alloc(0), Buffer.alloc(23, 1), Buffer.alloc(65, 1)]) {
      expect(signed({ 'webhook-signature': signature({ key }) }, [`whsec_${key.toString('base64')}`])).toBe(false);
    }
  });

  it.each(AWKWARD_BODIES)('checks the bytes as received: %s', (_, text) => {
    const payload = Buffer.from(text);
    expect(signed({ 'webhook-signature': signature({ payload }) }, [SIGNING], payload)).toBe(true);
    expect(signed({ 'webhook-signature': signature({ payload }) }, [SIGNING], Buffer.from(`${text} `))).toBe(false);
  });
});

it('accepts for one kind of proof never the other', () => {
  const headers = { 'webhook-id': ID, 'webhook-timestamp': String(seconds), 'webhook-signature': signature() };
  expect(verify({ 'x-gitlab-token': SIGNING }, 'signing-token', [SIGNING])).toBe(false);
  expect(verify(headers, 'token', [SIGNING])).toBe(false);
  expect(verify({ ...headers, 'x-gitlab-token': SIGNING }, 'hmac', [SIGNING])).toBe(false);
});

it('never throws while verifying, whatever the headers', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, text, (id, timestamp, value) => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${value}`,
        'x-gitlab-token': value,
      };
      return !verify(headers, 'signing-token', [SIGNING]) && (value === TOKEN || !verify(headers, 'token', [TOKEN]));
    }),
  );
});

describe('deliveryId', () => {
  const attempt = { 'x-gitlab-webhook-uuid': 'attempt-0001', 'x-gitlab-event-uuid': 'chain-000001' };
  it('prefers what stays the same when a delivery is retried', () => {
    expect(dialect.deliveryId({ ...attempt, 'idempotency-key': 'delivery-1', 'webhook-id': 'message-1' })).toBe(
      'message-1',
    );
    expect(dialect.deliveryId({ ...attempt, 'idempotency-key': 'delivery-1' })).toBe('delivery-1');
    expect(dialect.deliveryId(attempt)).toBe('attempt-0001');
  });
  it('does not use the event UUID, which different pushes can share', () => {
    expect(dialect.deliveryId({ 'x-gitlab-event-uuid': 'chain-000001' })).toBeUndefined();
  });
  it.each(['short', 'x'.repeat(129), 'with space'])('refuses %s', (id) => {
    expect(dialect.deliveryId({ 'webhook-id': id })).toBeUndefined();
  });
});

function decode(event: string | undefined, payload: Buffer | string) {
  return dialect.decode({ 'x-gitlab-event': event }, Buffer.from(payload));
}
function changed(changes: object): string {
  return JSON.stringify({ ...JSON.parse(body.toString()), ...changes });
}

describe('decode', () => {
  it('reads a push', () => {
    const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
    expect(decode('Push Hook', body)).toEqual({ kind: 'push', repositoryId: '15', ref: 'refs/heads/main', commit });
    expect(decode('Push Hook', changed({ project: {} }))).toMatchObject({ repositoryId: '15' });
    expect(decode('Push Hook', changed({ project_id: undefined }))).toMatchObject({ repositoryId: '15' });
  });
  it('mentions no commit when the ref was deleted', () => {
    const push = decode('Push Hook', hookFixture('gitlab-push-deleted'));
    expect(push).toMatchObject({ kind: 'push', ref: 'refs/heads/feature/a', commit: undefined });
  });
  it('mentions the commit of an annotated tag, not the tag object', () => {
    const push = decode('Tag Push Hook', hookFixture('gitlab-tag-push'));
    expect(push).toMatchObject({ ref: 'refs/tags/v1.0.0', commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7' });
  });
  it.each(['Job Hook', 'Pipeline Hook', 'System Hook', 'push', '', undefined])('ignores the event %s', (event) => {
    expect(decode(event, body)).toEqual({ kind: 'ignored', reason: 'event' });
  });
  it.each([
    ['no JSON', '{'],
    ['another kind than the header says', changed({ object_kind: 'tag_push' })],
    ['no kind', changed({ object_kind: undefined })],
    ['two projects', changed({ project_id: 16 })],
    ['no project', changed({ project_id: undefined, project: undefined })],
    ['an id as text', changed({ project_id: '15', project: undefined })],
    ['a bad ref', changed({ ref: 'refs/heads/a b' })],
    ['a bad commit', changed({ after: 'HEAD' })],
  ])('calls %s malformed', (_, payload) => {
    expect(decode('Push Hook', payload)).toEqual({ kind: 'ignored', reason: 'malformed' });
  });
  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        (bytes) => decode('Push Hook', Buffer.from(bytes)).kind === 'ignored',
      ),
    );
    const shape = fc.record({
      object_kind: fc.anything(),
      ref: fc.anything(),
      project: fc.anything(),
      checkout_sha: fc.anything(),
    });
    fc.assert(fc.property(shape, (value) => void decode('Push Hook', changed(value))));
  });
});
