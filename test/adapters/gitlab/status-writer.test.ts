import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitlabStatusWriter } from '../../../src/adapters/gitlab/index.ts';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../../src/demo/forge-recorder.ts';
import type { CommitSha, RefName } from '../../../src/kernel/index.ts';
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
    known: (recorder) => ({ pipeline: recorder.addPipeline({ project: '15', commit: COMMIT, ref: 'main' }) }),
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

/** A writer over one scripted answer, and what it asked. The commit has no pipeline. */
function scripted(status: number, json: unknown, headers: Record<string, string> = {}) {
  const asked: HttpRequest[] = [];
  const openHttp: OpenHttp = () => ({
    async send(request): Promise<HttpOutcome> {
      if (request.url.includes('/pipelines?'))
        return { ok: true, response: { status: 200, headers: {}, body: Buffer.from('[]') } };
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

describe('the pipeline of a status', () => {
  const place = { project: '15', commit: COMMIT };
  let recorder: ForgeRecorder;
  let writer: ReturnType<typeof createGitlabStatusWriter>;
  beforeEach(async () => {
    recorder = await startForgeRecorder();
    const http = { openHttp: openHttpClient, clock, userAgent: 'hakopod', timeoutMs: 2000 };
    writer = createGitlabStatusWriter({ ...http, apiUrl: recorder.gitlabApiUrl });
  });
  afterEach(async () => {
    await writer.stop();
    await recorder.stop();
  });

  it('is the newest of the ref, else the newest of the commit, under its own ref', async () => {
    const own = recorder.addPipeline({ ...place, ref: 'main' });
    const request = recorder.addPipeline({ ...place, ref: 'refs/merge-requests/3/head' });
    const first = await writer.write(repository, commitStatus());
    expect(first).toEqual({ ok: true, value: { pipeline: { id: own.id, ref: 'main' } } });
    const other = await writer.write(repository, commitStatus({ ref: 'refs/heads/feature' as RefName }));
    expect(other).toMatchObject({ ok: true, value: { pipeline: { id: request.id, ref: request.ref } } });
    // None was opened beside those that were there.
    expect(recorder.pipelines('15', COMMIT)).toHaveLength(2);
  });

  it('is opened by GitLab where the commit has none, and the later ones go there too, without looking', async () => {
    const first = await writer.write(repository, commitStatus());
    expect(first).toMatchObject({ ok: true, value: { pipeline: { ref: 'main' } } });
    recorder.addPipeline({ ...place, ref: 'main' });
    const before = recorder.requests();
    const known = first.ok ? first.value : {};
    const last = await writer.write(repository, commitStatus({ outcome: 'success', ...known }));
    expect([last, recorder.requests() - before]).toEqual([first, 1]);
  });

  it('is another one when the one it was is gone', async () => {
    const pipeline = { id: 999, ref: 'main' };
    const written = await writer.write(repository, commitStatus({ pipeline }));
    expect(written).toMatchObject({ ok: true, value: { pipeline: { id: 1 } } });
    expect(recorder.statuses()).toHaveLength(1);
  });

  it.each([403, 404])('is left to GitLab when they may not be listed (%s)', async (status) => {
    recorder.onRequest((method) => (method === 'GET' ? status : undefined));
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe('ok');
  });

  it.each([
    [401, 'forge_unauthorized'],
    [429, 'forge_rate_limited'],
    [502, 'forge_unavailable'],
  ] as const)('is not guessed when the list fails with %s', async (status, code) => {
    recorder.onRequest((method) => (method === 'GET' ? status : undefined));
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe(code);
    expect(recorder.statuses()).toEqual([]);
  });

  it('does not take a missing commit for a missing pipeline', async () => {
    const before = recorder.requests();
    const commit = 'none' as CommitSha;
    const written = await writer.write(repository, commitStatus({ commit, pipeline: { id: 1, ref: 'main' } }));
    expect([codeOf(written), recorder.requests() - before]).toEqual(['forge_not_found', 1]);
  });
});
