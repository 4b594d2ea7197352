import { createHmac } from 'node:crypto';
import { Webhooks } from '@octokit/webhooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGithubDialect } from '../../../src/adapters/github/index.ts';
import { AWKWARD_BODIES, hookFixture } from '../../support/hook-fixture.ts';

const dialect = createGithubDialect();
const SECRET = 'correct horse battery staple 0123456789';
const now = new Date('2026-11-29T12:00:00Z');
const body = hookFixture('github-push');

function sign(payload: Buffer | string, secret = SECRET, algorithm = 'sha256'): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(payload).digest('hex')}`;
}
function verify(
  header: string | undefined,
  secrets: readonly string[] = [SECRET],
  payload: Buffer = body,
  auth: 'hmac' | 'token' | 'signing-token' = 'hmac',
): boolean {
  return dialect.verify({ headers: { 'x-hub-signature-256': header }, body: payload, secrets, auth, now });
}

describe('verify', () => {
  it('accepts the signature of the raw bytes under any of two secrets', () => {
    expect(verify(sign(body))).toBe(true);
    expect(verify(sign(body, 'old'), ['new', 'old'])).toBe(true);
    expect(verify(sign(body, 'new'), ['new', 'old'])).toBe(true);
  });

  it('knows the example of the documentation', () => {
    const header = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    expect(verify(header, ["It's a Secret to Everybody"], Buffer.from('Hello, World!'))).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another secret', sign(body, 'guess')],
    ['another body', sign('x')],
    ['SHA-1', sign(body, SECRET, 'sha1')],
    ['SHA-1 called SHA-256', sign(body, SECRET, 'sha1').replace('sha1', 'sha256')],
    ['SHA-512 called SHA-256', sign(body, SECRET, 'sha512').replace('sha512', 'sha256')],
    ['no algorithm', sign(body).slice(7)],
    ['a cut digest', sign(body).slice(0, -1)],
    ['a longer digest', `${sign(body)}0`],
    ['white space', ` ${sign(body)}`],
    ['a line break', `${sign(body)}\n`],
    ['not hex', `sha256=${'z'.repeat(64)}`],
    ['a list', `${sign(body)}, ${sign(body)}`],
  ])('refuses %s', (_, header) => {
    expect(verify(header)).toBe(false);
  });

  it('refuses everything without a secret, also what an empty secret would sign', () => {
    expect(verify(sign(body), [])).toBe(false);
    expect(verify(sign(body, ''), [''])).toBe(false);
    expect(verify(sign(body, ''), [])).toBe(false);
  });

  it('takes no third secret', () => {
    expect(verify(sign(body), ['a', 'b', SECRET])).toBe(false);
  });

  it.each(['token', 'signing-token'] as const)('refuses a repository configured for %s', (auth) => {
    expect(verify(sign(body), [SECRET], body, auth)).toBe(false);
  });

  it('never reads the SHA-1 header or the GitLab token', () => {
    const headers = { 'x-hub-signature': sign(body, SECRET, 'sha1'), 'x-gitlab-token': SECRET };
    expect(dialect.verify({ headers, body, secrets: [SECRET], auth: 'hmac', now })).toBe(false);
  });

  it.each(AWKWARD_BODIES)('checks the bytes as received: %s', (_, text) => {
    expect(verify(sign(text), [SECRET], Buffer.from(text))).toBe(true);
    expect(verify(sign(text), [SECRET], Buffer.from(`${text} `))).toBe(false);
  });

  it('checks bytes that are not UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    expect(verify(sign(bytes), [SECRET], bytes)).toBe(true);
    expect(verify(sign(Buffer.from(bytes.toString('utf8'))), [SECRET], bytes)).toBe(false);
  });

  it('agrees with @octokit/webhooks', async () => {
    const oracle = new Webhooks({ secret: SECRET });
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), fc.boolean(), async (text, right) => {
        const header = right ? await oracle.sign(text) : sign(text, 'other');
        expect(verify(header, [SECRET], Buffer.from(text))).toBe(await oracle.verify(text, header));
      }),
      { numRuns: 50 },
    );
  });

  it('never throws, whatever the header', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (header) => verify(header) === false && verify(`sha256=${header}`) === false,
      ),
    );
  });
});

describe('deliveryId', () => {
  it.each([
    ['72d3162e-cc78-11e3-81ab-4c9367dc0958', true],
    ['a'.repeat(8), true],
    ['a'.repeat(128), true],
    ['a'.repeat(7), false],
    ['a'.repeat(129), false],
    ['has a space', false],
    ['12345678\n', false],
    ['a:b*c{d}e', false],
  ])('%s -> %s', (id, usable) => {
    expect(dialect.deliveryId({ 'x-github-delivery': id })).toBe(usable ? id : undefined);
  });
  it('is absent without the header', () => expect(dialect.deliveryId({})).toBeUndefined());
});

function decode(event: string | undefined, payload: Buffer | string) {
  return dialect.decode({ 'x-github-event': event }, Buffer.from(payload));
}
function changed(changes: object): string {
  return JSON.stringify({ ...JSON.parse(body.toString()), ...changes });
}

describe('decode', () => {
  it('reads a push', () => {
    expect(decode('push', body)).toEqual({
      kind: 'push',
      repositoryId: '186853002',
      ref: 'refs/heads/main',
      commit: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
    });
  });

  it('mentions no commit when the ref was deleted, by either sign of it', () => {
    const gone = { kind: 'push', ref: 'refs/heads/feature/a', commit: undefined };
    expect(decode('push', hookFixture('github-push-deleted'))).toMatchObject(gone);
    expect(decode('push', changed({ deleted: true }))).toMatchObject({ kind: 'push', commit: undefined });
    expect(decode('push', changed({ after: '0'.repeat(64), deleted: false }))).toMatchObject({ commit: undefined });
  });

  it('mentions the commit of an annotated tag, not the tag object', () => {
    expect(decode('push', hookFixture('github-push-annotated-tag'))).toMatchObject({
      ref: 'refs/tags/v1.0.0',
      commit: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
    });
  });

  it('reads SHA-256 commits and large ids exactly', () => {
    const push = decode('push', changed({ after: 'a'.repeat(64), repository: { id: Number.MAX_SAFE_INTEGER } }));
    expect(push).toMatchObject({ commit: 'a'.repeat(64), repositoryId: '9007199254740991' });
  });

  it('reads a ping, with and without a repository', () => {
    expect(decode('ping', hookFixture('github-ping'))).toEqual({ kind: 'ping', repositoryId: '186853261' });
    expect(decode('ping', '{"zen":"x"}')).toEqual({ kind: 'ping', repositoryId: undefined });
  });

  it.each(['pull_request_review', 'workflow_run', 'Push', '', undefined])(
    'ignores the event %s without reading it',
    (event) => {
      expect(decode(event, '{')).toEqual({ kind: 'ignored', reason: 'event' });
    },
  );

  it.each([
    ['no JSON', 'not json'],
    ['nothing', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['no ref', changed({ ref: undefined })],
    ['a ref that is no string', changed({ ref: ['refs/heads/main'] })],
    ['a short ref', changed({ ref: 'main' })],
    ['a ref with an option', changed({ ref: 'refs/heads/--upload-pack=x' })],
    ['a ref with dots', changed({ ref: 'refs/heads/a..b' })],
    ['a ref outside heads and tags', changed({ ref: 'refs/notes/commits' })],
    ['a short commit', changed({ after: 'abc123' })],
    ['a commit with capitals', changed({ after: 'A'.repeat(40) })],
    ['no repository', changed({ repository: undefined })],
    ['an id as text', changed({ repository: { id: '186853002' } })],
    ['a broken id', changed({ repository: { id: 1.5 } })],
    ['a negative id', changed({ repository: { id: -1 } })],
    ['an id past 2^53', body.toString().replace('186853002', '9007199254740993')],
  ])('calls %s malformed', (_, payload) => {
    expect(decode('push', payload)).toEqual({ kind: 'ignored', reason: 'malformed' });
  });

  it('takes the last of duplicate keys, as JSON.parse does', () => {
    const text = body.toString().replace('{', '{"ref":"refs/heads/other",');
    expect(decode('push', text)).toMatchObject({ ref: 'refs/heads/main' });
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom('push', 'ping', 'x'), fc.uint8Array({ maxLength: 400 }), (event, bytes) => {
        expect(decode(event, Buffer.from(bytes)).kind).toBe('ignored');
      }),
    );
    const shape = fc.record(
      {
        ref: fc.anything(),
        after: fc.anything(),
        deleted: fc.anything(),
        head_commit: fc.anything(),
        repository: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(shape, (value) => void decode('push', JSON.stringify(value) ?? '')));
    expect(decode('push', '['.repeat(1_000_000)).kind).toBe('ignored');
  });
});
