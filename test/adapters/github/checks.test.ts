import { describe, expect, it } from 'vitest';
import { createGithubChecks, createGithubCommentReader } from '../../../src/adapters/github/index.ts';
import type { CommitSha } from '../../../src/kernel/index.ts';
import { clock } from '../../contracts/status-writer.contract.ts';
import { type Canned, cannedForge } from '../../support/canned-forge.ts';
import { complaintsAgainst } from '../../support/github-rest.ts';

const API = 'https://api.github.example';
const SHA = 'a'.repeat(40) as CommitSha;
const REPOSITORY = { forge: 'github', project: 'acme/shop', repositoryId: '15', token: 't' } as const;
const STATUS = `GET /repos/acme/shop/commits/${SHA}/status?per_page=100&page=1`;
const RUNS = `GET /repos/acme/shop/commits/${SHA}/check-runs?per_page=100&page=1`;
const PERMISSION = 'GET /repos/acme/shop/collaborators/ada/permission';
const COMMENT = 'GET /repos/acme/shop/issues/comments/5';

function github(answers: Canned) {
  const { openHttp, calls } = cannedForge(API, answers);
  const options = { openHttp, clock, userAgent: 'hakopod', apiUrl: API };
  return { checks: createGithubChecks(options), comments: createGithubCommentReader(options), calls };
}
/** What GitHub's own description has against what was asked. */
function complaints(calls: readonly string[]): readonly string[] {
  return calls.flatMap((call) => {
    const [method = '', path = ''] = call.split(' ');
    const url = new URL(path, API);
    const segments = url.pathname.slice(1).split('/');
    return complaintsAgainst({ method, segments, query: url.searchParams, body: undefined });
  });
}
const statuses = (...all: readonly [string, string][]) => ({
  json: { state: 'pending', statuses: all.map(([context, state]) => ({ context, state })) },
});
const runs = (...all: readonly [string, string, string | null][]) => ({
  json: {
    total_count: all.length,
    check_runs: all.map(([name, status, conclusion]) => ({ name, status, conclusion })),
  },
});

describe('what other programs report at GitHub', () => {
  it.each([
    ['success', 'success'],
    ['pending', 'pending'],
    ['failure', 'failure'],
    ['error', 'failure'],
  ])('a status %s is %s', async (state, conclusion) => {
    const { checks, calls } = github({ [STATUS]: statuses(['ci', state], ['other', 'failure']), [RUNS]: runs() });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toEqual({ ok: true, value: new Map([['ci', conclusion]]) });
    expect(complaints(calls)).toEqual([]);
  });

  it.each([
    ['success', 'completed', 'failure', 'failure'],
    ['success', 'in_progress', null, 'pending'],
    ['failure', 'completed', 'success', 'failure'],
    ['success', 'completed', 'success', 'success'],
  ])('a status %s beside a run %s %s of the same name is %s', async (state, status, conclusion, expected) => {
    const { checks } = github({ [STATUS]: statuses(['ci', state]), [RUNS]: runs(['ci', status, conclusion]) });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ value: new Map([['ci', expected]]) });
  });

  it('a token that may not read runs is enough for statuses, and for nothing else', async () => {
    const { checks } = github({ [STATUS]: statuses(['ci', 'success']), [RUNS]: { status: 403, json: {} } });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ value: new Map([['ci', 'success']]) });
    expect(await checks.read(REPOSITORY, SHA, ['ci', 'test'])).toMatchObject({
      problem: { code: 'forge_unauthorized' },
    });
    const away = github({ [STATUS]: statuses(['ci', 'success']), [RUNS]: { status: 502, json: {} } }).checks;
    expect(await away.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ problem: { code: 'forge_unavailable' } });
  });

  it.each([
    ['queued', null, 'pending'],
    ['in_progress', null, 'pending'],
    ['completed', 'success', 'success'],
    ['completed', 'neutral', 'success'],
    ['completed', 'skipped', 'success'],
    ['completed', 'failure', 'failure'],
    ['completed', 'cancelled', 'failure'],
    ['completed', 'timed_out', 'failure'],
    ['completed', 'action_required', 'failure'],
    ['completed', 'stale', 'failure'],
  ])('a check run %s %s is %s', async (status, conclusion, expected) => {
    const { checks, calls } = github({ [STATUS]: statuses(), [RUNS]: runs(['ci / test', status, conclusion]) });
    expect(await checks.read(REPOSITORY, SHA, ['ci / test', 'none'])).toEqual({
      ok: true,
      value: new Map([['ci / test', expected]]),
    });
    expect(complaints(calls)).toEqual([]);
  });

  it('of several runs with one name the worst counts', async () => {
    const both = runs(['ci', 'completed', 'success'], ['ci', 'in_progress', null], ['ci', 'completed', 'success']);
    const { checks } = github({ [STATUS]: statuses(), [RUNS]: both });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ value: new Map([['ci', 'pending']]) });
  });

  it('a page that is full has another', async () => {
    const many = Array.from({ length: 100 }, (_, i): [string, string] => [`c${i}`, 'success']);
    const { checks } = github({
      [STATUS]: statuses(...many),
      [STATUS.replace('&page=1', '&page=2')]: statuses(['ci', 'success']),
      [RUNS]: runs(),
    });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ value: new Map([['ci', 'success']]) });
  });

  it('an answer that is none is no check', async () => {
    const { checks } = github({ [STATUS]: { json: {} } });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ problem: { code: 'forge_unavailable' } });
  });
});

describe('a comment at GitHub', () => {
  const body = {
    id: 5,
    body: 'hakopod deploy',
    user: { id: 1, login: 'ada' },
    issue_url: `${API}/repos/acme/shop/issues/7`,
  };

  it.each([
    ['admin', true],
    ['write', true],
    ['read', false],
    ['none', false],
  ])('of somebody with the permission %s', async (permission, mayWrite) => {
    const { comments, calls } = github({ [COMMENT]: { json: body }, [PERMISSION]: { json: { permission } } });
    expect(await comments.read(REPOSITORY, { number: 7, id: '5' })).toEqual({
      ok: true,
      value: { body: 'hakopod deploy', author: 'ada', mayWrite },
    });
    expect(complaints(calls)).toEqual([]);
  });

  it.each([
    ['a bot', { user: { id: 1, login: 'helper[bot]', type: 'Bot' } }],
    ['an organisation', { user: { id: 1, login: 'ada', type: 'Organization' } }],
  ])('of %s is nobody’s who may write, whatever the permission', async (_what, other) => {
    const any = {
      [PERMISSION.replace('ada', String(encodeURIComponent(other.user.login)))]: { json: { permission: 'admin' } },
    };
    const { comments } = github({ [COMMENT]: { json: { ...body, ...other } }, ...any });
    expect(await comments.read(REPOSITORY, { number: 7, id: '5' })).toMatchObject({ value: { mayWrite: false } });
  });

  it('that was changed after it was written is none: who changed it is not told', async () => {
    const at = '2026-11-30T12:00:00Z';
    const read = (times: object) =>
      github({
        [COMMENT]: { json: { ...body, ...times } },
        [PERMISSION]: { json: { permission: 'write' } },
      }).comments.read(REPOSITORY, { number: 7, id: '5' });
    expect(await read({ created_at: at, updated_at: at })).toMatchObject({ value: { mayWrite: true } });
    expect(await read({ created_at: at, updated_at: '2026-11-30T12:00:09Z' })).toEqual({ ok: true, value: undefined });
  });

  it('whatever it says of its author, only the permission counts', async () => {
    const { comments } = github({ [COMMENT]: { json: { ...body, author_association: 'OWNER' } } });
    expect(await comments.read(REPOSITORY, { number: 7, id: '5' })).toMatchObject({ value: { mayWrite: false } });
  });

  it('of another request, of nobody, or that is gone, is none', async () => {
    const found = async (json: unknown) =>
      github({ [COMMENT]: { json }, [PERMISSION]: { json: { permission: 'admin' } } }).comments.read(REPOSITORY, {
        ...{ number: 7, id: '5' },
      });
    expect(await found({ ...body, issue_url: `${API}/repos/acme/shop/issues/17` })).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await found({ ...body, user: null })).toEqual({ ok: true, value: undefined });
    expect(await github({}).comments.read(REPOSITORY, { number: 7, id: '5' })).toEqual({ ok: true, value: undefined });
  });

  it('a permission that can not be asked for is no answer', async () => {
    const { comments } = github({ [COMMENT]: { json: body }, [PERMISSION]: { status: 502, json: {} } });
    expect(await comments.read(REPOSITORY, { number: 7, id: '5' })).toMatchObject({ ok: false });
  });
});
