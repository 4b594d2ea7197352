import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitlabHooks } from '../../../src/adapters/gitlab/index.ts';
import type { HttpOutcome, HttpRequest } from '../../../src/ports/index.ts';
import { describeForgeHooks } from '../../contracts/forge-hooks.contract.ts';

const url = 'http://127.0.0.1:1/hooks/0123456789abcdef0123456789abcdef';
const ON = { push_events: true, tag_push_events: true, merge_requests_events: true, note_events: true };

describe('GitLab webhooks', () => {
  describeForgeHooks({
    forge: 'gitlab',
    create: createGitlabHooks,
    fields: { url, ...ON, enable_ssl_verification: true, push_events_branch_filter: '', pipeline_events: false },
    spoilt: [
      { fields: { alert_status: 'temporarily_disabled' }, seen: { state: 'paused' } },
      { fields: { alert_status: 'disabled' }, seen: { state: 'disabled' } },
      { fields: { merge_requests_events: false }, seen: { events: ['push', 'tag_push', 'comment'] } },
      { fields: { pipeline_events: true }, seen: { sendsMore: true } },
      { fields: { enable_ssl_verification: false }, seen: { verifiesTls: false } },
      {
        fields: { push_events_branch_filter: 'release/*', branch_filter_strategy: 'wildcard' },
        seen: { events: ['tag_push', 'pull_request', 'comment'] },
      },
    ],
  });
});

describe('what only GitLab does', () => {
  const asked: HttpRequest[] = [];
  let status = 201;
  let json: unknown;
  const hooks = createGitlabHooks({
    openHttp: () => ({
      send: async (request): Promise<HttpOutcome> => {
        asked.push(request);
        return { ok: true, response: { status, headers: {}, body: Buffer.from(JSON.stringify(json)) } };
      },
      close: () => Promise.resolve(),
    }),
    clock: { now: () => new Date(0), sleep: () => Promise.resolve() },
    userAgent: 'hakopod',
  });
  const repository = { forge: 'gitlab', project: 'acme/shop', repositoryId: 'acme/shop', token: 't' } as const;
  beforeEach(() => {
    asked.length = 0;
    status = 201;
    json = { id: 9, url };
  });
  afterEach(() => expect(asked.every(({ headers }) => headers.authorization === 'Bearer t')).toBe(true));

  it('signs with a signing token instead of sending the secret as a token', async () => {
    json = { id: 9, url, signing_token_present: true };
    await hooks.create(repository, { url, events: ['push'], secret: 'whsec_x', auth: 'signing-token' });
    const body = JSON.parse(asked[0]?.body ?? '');
    expect(body).toMatchObject({ url, signing_token: 'whsec_x', push_events: true, note_events: false });
    expect(body).not.toHaveProperty('token');
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://gitlab.com/api/v4/projects/acme%2Fshop/hooks' });
  });

  it('says when this GitLab does not know signing tokens, and leaves no hook behind that signs nothing', async () => {
    const wanted = { url, events: ['push'], secret: 'whsec_x', auth: 'signing-token' } as const;
    for (const present of [undefined, false]) {
      json = { id: 9, url, signing_token_present: present };
      asked.length = 0;
      const made = await hooks.create(repository, wanted);
      expect(made).toMatchObject({
        problem: { code: 'forge_rejected', message: expect.stringContaining('version 19') },
      });
      expect(asked.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
      status = 200;
      expect(await hooks.update(repository, '9', wanted)).toMatchObject({ problem: { code: 'forge_rejected' } });
      status = 201;
    }
    expect(await hooks.create(repository, { ...wanted, secret: 'x', auth: 'token' })).toMatchObject({ ok: true });
  });

  it('tests with a push', async () => {
    expect(await hooks.test(repository, '9')).toEqual({ ok: true, value: undefined });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://gitlab.com/api/v4/projects/acme%2Fshop/hooks/9/test/push_events',
    });
  });

  it.each([
    [403, { error: 'insufficient_scope', error_description: 'The request requires higher privileges', scope: 'api' }],
    [403, { message: '403 Forbidden' }],
    [401, { message: '401 Unauthorized' }],
  ])('needs a token with the scope api and the role Maintainer: %s %j', async (refusal, words) => {
    [status, json] = [refusal, words];
    const wanted = { url, events: ['push'], secret: 's', auth: 'token' } as const;
    for (const done of [
      await hooks.list(repository),
      await hooks.create(repository, wanted),
      await hooks.test(repository, '9'),
    ])
      expect(done).toMatchObject({ problem: { code: 'forge_unauthorized' } });
  });

  it('knows no deliveries where GitLab keeps none', async () => {
    status = 404;
    expect(await hooks.deliveries(repository, '9')).toEqual({ ok: true, value: [] });
  });

  it('reads how a delivery went from a word', async () => {
    status = 200;
    json = ['OK', 'Unauthorized', 'internal error', '503', null].map((word, id) => ({ id, response_status: word }));
    expect(await hooks.deliveries(repository, '9')).toMatchObject({
      value: [
        { status: 200, ok: true },
        { status: 401, ok: false },
        { id: '2', ok: false },
        { status: 503, ok: false },
        { id: '4', ok: false },
      ],
    });
  });
});
