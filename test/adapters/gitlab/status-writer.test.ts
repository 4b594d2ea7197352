import { describe, expect, it } from 'vitest';
import { createGitlabStatusWriter } from '../../../src/adapters/gitlab/index.ts';
import type { RefName } from '../../../src/kernel/index.ts';
import type { HttpOutcome, HttpRequest, OpenHttp } from '../../../src/ports/index.ts';
import {
  COMMIT,
  CONTEXT,
  clock,
  codeOf,
  commitStatus,
  describeStatusWriter,
  NOW,
  TOKEN,
} from '../../contracts/status-writer.contract.ts';

describe('GitLab status writer', () => {
  describeStatusWriter({
    forge: 'gitlab',
    create: createGitlabStatusWriter,
    apiUrl: (recorder) => recorder.gitlabApiUrl,
    states: {
      pending: 'pending',
      success: 'success',
      failure: 'failed',
      superseded: 'canceled',
      cancelled: 'canceled',
      lost: 'failed',
    },
  });
});

const repository = { forge: 'gitlab', project: 'acme/team/shop', repositoryId: '15', token: TOKEN } as const;

/** A writer over one scripted answer, and what it asked. */
function scripted(status: number, json: unknown, headers: Record<string, string> = {}) {
  const asked: HttpRequest[] = [];
  const openHttp: OpenHttp = () => ({
    async send(request): Promise<HttpOutcome> {
      asked.push(request);
      return { ok: true, response: { status, headers, body: Buffer.from(JSON.stringify(json)) } };
    },
    close: () => Promise.resolve(),
  });
  return { asked, writer: createGitlabStatusWriter({ openHttp, clock, userAgent: 'hakopod/1' }) };
}

describe('what only GitLab does', () => {
  it('asks gitlab.com in its documented form, by the immutable id', async () => {
    const { asked, writer } = scripted(201, {});
    await writer.write(repository, commitStatus({ targetUrl: 'https://hakopod.example/x' }));
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `https://gitlab.com/api/v4/projects/15/statuses/${COMMIT}`,
      headers: { authorization: `Bearer ${TOKEN}`, 'user-agent': 'hakopod/1' },
      maxBytes: 524_288,
      timeoutMs: 15_000,
    });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      state: 'pending',
      name: CONTEXT,
      ref: 'main',
      description: 'waiting',
      target_url: 'https://hakopod.example/x',
    });
  });

  it('escapes a project that is known by its path only', async () => {
    const { asked, writer } = scripted(201, {});
    await writer.write({ ...repository, repositoryId: '' }, commitStatus());
    expect(asked[0]?.url).toContain('/projects/acme%2Fteam%2Fshop/statuses/');
  });

  it.each([
    ['refs/heads/feature/a', 'feature/a'],
    ['refs/tags/v1', 'v1'],
    ['refs/merge-requests/3/head', 'refs/merge-requests/3/head'],
    ['refs/pull/3/head', undefined],
  ])('passes %s as the ref %s', async (ref, short) => {
    const { asked, writer } = scripted(201, {});
    await writer.write(repository, commitStatus({ ref: ref as RefName }));
    expect(JSON.parse(asked[0]?.body ?? '').ref).toBe(short);
  });

  it('leaves out a target URL that GitLab would refuse', async () => {
    const { asked, writer } = scripted(201, {});
    await writer.write(repository, commitStatus({ targetUrl: `https://hakopod.example/${'x'.repeat(255)}` }));
    expect(JSON.parse(asked[0]?.body ?? '')).not.toHaveProperty('target_url');
  });

  it.each([
    ['pending', 'Cannot transition status via :enqueue from :pending', 'ok'],
    [
      'pending',
      'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")',
      'ok',
    ],
    ['success', 'Cannot transition status via :success from :success', 'ok'],
    ['success', 'Cannot transition status via :success from :canceled', 'forge_rejected'],
    ['pending', 'name is too long', 'forge_rejected'],
    ['pending', { name: ['is too long'] }, 'forge_rejected'],
  ] as const)('judges the refusal of %s: %j', async (outcome, message, code) => {
    const { writer } = scripted(400, { message });
    expect(codeOf(await writer.write(repository, commitStatus({ outcome })))).toBe(code);
  });

  it('waits until the reset a limit names', async () => {
    const { writer } = scripted(429, {}, { 'ratelimit-reset': String(NOW.getTime() / 1000 + 20) });
    expect(await writer.write(repository, commitStatus())).toMatchObject({ problem: { afterMs: 21_000 } });
  });

  it('tries again later while another call holds the pipeline', async () => {
    const { writer } = scripted(409, { message: '409 Conflict' });
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe('forge_unavailable');
  });

  it('takes the newest id whatever the order, in one request', async () => {
    const list = [3, 9, 5].map((id) => ({
      id,
      name: CONTEXT,
      status: id === 9 ? 'failed' : 'success',
      description: `${id}`,
    }));
    const { asked, writer } = scripted(200, list, { link: '<https://gitlab.com/next?page=2>; rel="next"' });
    const latest = await writer.latest(repository, COMMIT, CONTEXT);
    expect(latest).toEqual({ ok: true, value: { outcomes: ['failure', 'lost'], description: '9' } });
    expect(asked).toHaveLength(1);
    expect(Object.fromEntries(new URL(asked[0]?.url ?? '').searchParams)).toMatchObject({
      all: 'true',
      name: CONTEXT,
      per_page: '100',
      order_by: 'id',
      sort: 'desc',
    });
  });
});
