import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerGithub } from '../../src/demo/forge-github.ts';
import { ForgeLedger } from '../../src/demo/forge-ledger.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';

const COMMIT = 'a'.repeat(40);
let recorder: ForgeRecorder;
const told: string[] = [];
beforeEach(async () => {
  told.length = 0;
  recorder = await startForgeRecorder({ onStatus: (status) => told.push(`${status.forge} ${status.state}`) });
});
afterEach(() => recorder.stop());

async function github(
  body: unknown,
  path = `/repos/acme/shop/statuses/${COMMIT}`,
  headers: Record<string, string> = {},
) {
  const init = { method: 'POST', headers: { 'user-agent': 'test', ...headers }, body: JSON.stringify(body) };
  return (await fetch(`${recorder.githubApiUrl}${path}`, init)).status;
}
async function gitlab(body: unknown, path = `/projects/acme%2Fshop/statuses/${COMMIT}`) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${recorder.gitlabApiUrl}${path}`, init);
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

describe('as GitHub', () => {
  it.each([
    [{ state: 'success' }, 201],
    [{ state: 'success', description: 'x'.repeat(140), context: 'c', target_url: 'https://a.example' }, 201],
    [{ state: 'success', description: 'x'.repeat(141) }, 422],
    [{ state: 'failed' }, 422],
    [{ state: 'canceled' }, 422],
    [{}, 422],
    [{ state: 'success', target_url: 'javascript:alert(1)' }, 422],
    [{ state: 'success', context: 7 }, 422],
    ['text', 400],
  ])('answers %j with %i', async (body, status) => {
    expect(await github(body)).toBe(status);
    expect(recorder.statuses()).toHaveLength(status === 201 ? 1 : 0);
  });

  it('refuses what is no commit and what is no route', async () => {
    expect(await github({ state: 'success' }, '/repos/acme/shop/statuses/main')).toBe(422);
    expect(await github({ state: 'success' }, '/repos/acme/shop')).toBe(404);
  });

  it('keeps 1000 statuses for a commit and context', () => {
    const ledger = new ForgeLedger(() => undefined);
    const post = (context: string) =>
      answerGithub(
        {
          method: 'POST',
          segments: ['repos', 'acme', 'shop', 'statuses', COMMIT],
          query: new URLSearchParams(),
          headers: { 'user-agent': 'test' },
          body: { state: 'pending', context },
        },
        ledger,
      ).status;
    expect(Array.from({ length: 1001 }, () => post('c')).filter((status) => status === 201)).toHaveLength(1000);
    expect([post('c'), post('d')]).toEqual([422, 201]);
  });
});

describe('as GitLab', () => {
  it.each([
    [{ state: 'failed', name: 'c' }, 201],
    [{ state: 'failure' }, 400],
    [{ state: 'error' }, 400],
    [{}, 400],
    [{ state: 'success', description: 'x'.repeat(256) }, 400],
    [{ state: 'success', target_url: `https://${'x'.repeat(255)}` }, 400],
  ])('answers %j with %i', async (body, status) => {
    expect((await gitlab(body)).status).toBe(status);
  });

  it('refuses pending over pending in its own words, updates it otherwise, and starts anew after an end', async () => {
    expect((await gitlab({ state: 'pending', name: 'c' })).status).toBe(201);
    const again = await gitlab({ state: 'pending', name: 'c' });
    expect(again.status).toBe(400);
    expect(again.json.message).toContain('Cannot transition status via :enqueue from :pending');
    expect((await gitlab({ state: 'pending', name: 'other' })).status).toBe(201);
    const [first, second] = [
      await gitlab({ state: 'success', name: 'c' }),
      await gitlab({ state: 'pending', name: 'c' }),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json.id).not.toBe(first.json.id);
  });

  it('refuses what is no commit and what is no project', async () => {
    expect((await gitlab({ state: 'success' }, '/projects/15/statuses/main')).status).toBe(404);
    expect((await gitlab({ state: 'success' }, `/projects/shop/statuses/${COMMIT}`)).status).toBe(404);
  });
});

describe('as a test peer', () => {
  it('tells each write as it happens', async () => {
    await github({ state: 'error' });
    await gitlab({ state: 'canceled' });
    expect(told).toEqual(['github error', 'gitlab canceled']);
    expect(recorder.statuses().map(({ project, context }) => [project, context])).toEqual([
      ['acme/shop', 'default'],
      ['acme/shop', 'default'],
    ]);
  });

  it('demands the token once told to', async () => {
    recorder.requireToken('t');
    expect(await github({ state: 'success' })).toBe(401);
    expect(await github({ state: 'success' }, undefined, { authorization: 'Bearer t' })).toBe(201);
    expect((await gitlab({ state: 'success' })).status).toBe(401);
  });

  it('fails as told and as often as told', async () => {
    recorder.failNext(2, 503);
    expect([await github({ state: 'success' }), await github({ state: 'success' })]).toEqual([503, 503]);
    recorder.failNext(1, 'reset');
    await expect(github({ state: 'success' })).rejects.toThrow();
    expect(recorder.statuses()).toHaveLength(0);
    recorder.failNext(1, 'lost');
    await expect(github({ state: 'success' })).rejects.toThrow();
    expect(recorder.statuses()).toHaveLength(1);
    expect(recorder.requests()).toBe(4);
  });
});
