import { describe, expect, it } from 'vitest';
import { createGithubStatusWriter } from '../../../src/adapters/github/index.ts';
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

describe('GitHub status writer', () => {
  describeStatusWriter({
    forge: 'github',
    create: createGithubStatusWriter,
    apiUrl: (recorder) => recorder.githubApiUrl,
    known: () => ({}),
    states: {
      pending: 'pending',
      success: 'success',
      failure: 'failure',
      superseded: 'error',
      cancelled: 'error',
      lost: 'error',
    },
  });
});

const repository = { forge: 'github', project: 'acme/shop', repositoryId: '15', token: TOKEN } as const;

/** A writer over scripted answers, and what it asked. */
function scripted(...answers: readonly { status: number; headers?: Record<string, string>; json?: unknown }[]) {
  const asked: HttpRequest[] = [];
  const openHttp: OpenHttp = () => ({
    async send(request): Promise<HttpOutcome> {
      const { status, headers = {}, json } = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 500 };
      asked.push(request);
      const body = Buffer.from(json === undefined ? '' : JSON.stringify(json));
      return { ok: true, response: { status, headers: { 'content-type': 'application/json', ...headers }, body } };
    },
    close: () => Promise.resolve(),
  });
  return { asked, writer: createGithubStatusWriter({ openHttp, clock, userAgent: 'hakopod/1' }) };
}

describe('what only GitHub does', () => {
  it('asks api.github.com in its documented form', async () => {
    const { asked, writer } = scripted({ status: 201, json: {} });
    await writer.write(repository, commitStatus({ targetUrl: 'https://hakopod.example/x' }));
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `https://api.github.com/repos/acme/shop/statuses/${COMMIT}`,
      headers: { authorization: `Bearer ${TOKEN}`, 'x-github-api-version': '2022-11-28' },
      maxBytes: 524_288,
      timeoutMs: 15_000,
    });
    expect(asked[0]?.headers['user-agent']).toContain('hakopod/1');
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      state: 'pending',
      context: CONTEXT,
      description: 'waiting',
      target_url: 'https://hakopod.example/x',
    });
  });

  it('follows the redirect of a renamed repository with the same method, body and token, on the same host only', async () => {
    const moved = { status: 307, headers: { location: `https://api.github.com/repositories/9/statuses/${COMMIT}` } };
    const { asked, writer } = scripted(moved, { status: 201, json: {} });
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe('ok');
    expect(asked[1]).toMatchObject({ method: 'POST', url: moved.headers.location, body: asked[0]?.body });
    const loop = scripted(moved);
    expect(codeOf(await loop.writer.write(repository, commitStatus()))).toBe('forge_rejected');
    expect(loop.asked).toHaveLength(4);
    const insecure = scripted({ status: 307, headers: { location: 'http://api.github.com/x' } });
    expect(codeOf(await insecure.writer.write(repository, commitStatus()))).toBe('forge_rejected');
    expect(insecure.asked).toHaveLength(1);
  });

  it.each([
    [403, { 'retry-after': '30' }, 31_000],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW.getTime() / 1000 + 120) }, 121_000],
    [429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW.getTime() / 1000 - 5) }, 1000],
    [403, {}, 61_000],
  ])('waits as a limit says (%i %j)', async (status, headers, afterMs) => {
    const json = { message: 'You have exceeded a secondary rate limit.' };
    const { writer } = scripted({ status, headers, json });
    expect(await writer.write(repository, commitStatus())).toMatchObject({
      problem: { code: 'forge_rate_limited', afterMs },
    });
  });

  it('knows the words older versions have for a secondary limit', async () => {
    const json = { message: 'You have triggered an abuse detection mechanism. Please wait a few minutes.' };
    const { writer } = scripted({ status: 403, json });
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe('forge_rate_limited');
  });

  it('tells a missing commit from another refusal', async () => {
    const { writer } = scripted({ status: 422, json: { message: `No commit found for SHA: ${COMMIT}` } });
    expect(codeOf(await writer.write(repository, commitStatus()))).toBe('forge_not_found');
  });

  it.each(['shop', 'acme/shop/x', '../shop', 'acme/..', 'acme/sh?op', ''])(
    'asks nothing about the project %j',
    async (project) => {
      const { asked, writer } = scripted({ status: 201 });
      expect(codeOf(await writer.write({ ...repository, project }, commitStatus()))).toBe('forge_not_found');
      expect(asked).toHaveLength(0);
    },
  );

  it('reads three pages at most to find a context', async () => {
    const json = Array.from({ length: 100 }, () => ({ context: 'other', state: 'success', description: null }));
    const { asked, writer } = scripted({ status: 200, json });
    expect(await writer.latest(repository, COMMIT, CONTEXT)).toEqual({ ok: true, value: undefined });
    expect(asked.map(({ url }) => new URL(url).searchParams.get('page'))).toEqual(['1', '2', '3']);
  });

  it('says unavailable to a list it can not read', async () => {
    const { writer } = scripted({ status: 200, json: { message: 'hello' } });
    expect(codeOf(await writer.latest(repository, COMMIT, CONTEXT))).toBe('forge_unavailable');
  });
});
