import { describe, expect, it } from 'vitest';
import { createGitlabChecks, createGitlabCommentReader } from '../../../src/adapters/gitlab/index.ts';
import type { CommitSha } from '../../../src/kernel/index.ts';
import { clock } from '../../contracts/status-writer.contract.ts';
import { type Canned, cannedForge } from '../../support/canned-forge.ts';

const API = 'https://gitlab.example/api/v4';
const SHA = 'a'.repeat(40) as CommitSha;
const REPOSITORY = { forge: 'gitlab', project: 'acme/shop', repositoryId: '15', token: 't' } as const;
const STATUSES = `GET /projects/15/repository/commits/${SHA}/statuses?all=false&page=1&per_page=100`;
const NOTE = 'GET /projects/15/merge_requests/7/notes/5';
const MEMBER = 'GET /projects/15/members/all/42';

function gitlab(answers: Canned) {
  const { openHttp, calls } = cannedForge(API, answers);
  const options = { openHttp, clock, userAgent: 'hakopod', apiUrl: API };
  return { checks: createGitlabChecks(options), comments: createGitlabCommentReader(options), calls };
}

describe('what other programs report at GitLab', () => {
  it.each([
    ['success', false, 'success'],
    ['skipped', false, 'success'],
    ['pending', false, 'pending'],
    ['running', false, 'pending'],
    ['created', false, 'pending'],
    ['manual', false, 'pending'],
    ['waiting_for_resource', false, 'pending'],
    ['failed', false, 'failure'],
    ['canceled', false, 'failure'],
    ['failed', true, 'failure'],
  ])('a job that is %s, allowed to fail: %s, is %s', async (status, optional, conclusion) => {
    const list = [
      { id: 1, name: 'ci', status, allow_failure: optional },
      { id: 2, name: 'other', status: 'failed', allow_failure: false },
    ];
    const { checks, calls } = gitlab({ [STATUSES]: { json: list } });
    expect(await checks.read(REPOSITORY, SHA, ['ci', 'none'])).toEqual({
      ok: true,
      value: new Map([['ci', conclusion]]),
    });
    expect(calls).toEqual([STATUSES]);
  });

  it('of several with one name the worst counts', async () => {
    const json = ['success', 'failed', 'running'].map((status, id) => ({ id, name: 'ci', status }));
    const { checks } = gitlab({ [STATUSES]: { json } });
    expect(await checks.read(REPOSITORY, SHA, ['ci'])).toMatchObject({ value: new Map([['ci', 'failure']]) });
  });
});

describe('a note at GitLab', () => {
  const note = { id: 5, body: 'hakopod deploy', author: { id: 42, username: 'ada' }, system: false };
  const read = (answers: Canned) => gitlab(answers).comments.read(REPOSITORY, { number: 7, id: '5' });

  it.each([
    [50, 'active', true],
    [30, 'active', true],
    [20, 'active', false],
    [40, 'blocked', false],
  ])('of a member of level %i who is %s', async (level, state, mayWrite) => {
    const member = { id: 42, access_level: level, state };
    expect(await read({ [NOTE]: { json: note }, [MEMBER]: { json: member } })).toEqual({
      ok: true,
      value: { body: 'hakopod deploy', author: 'ada', mayWrite },
    });
  });

  it.each(['project_15_bot', 'project_15_bot_0a1b2c', 'group_3_bot_0a1b2c'])(
    'of the program %s is nobody’s who may write',
    async (username) => {
      const member = { id: 42, access_level: 40, state: 'active' };
      const answers = { [NOTE]: { json: { ...note, author: { id: 42, username } } }, [MEMBER]: { json: member } };
      expect(await read(answers)).toMatchObject({ value: { mayWrite: false } });
    },
  );

  it('that was changed after it was written is none', async () => {
    const member = { [MEMBER]: { json: { id: 42, access_level: 40, state: 'active' } } };
    const times = (created: string, updated: string) => ({ ...note, created_at: created, updated_at: updated });
    const same = times('2026-11-30T12:00:00.100Z', '2026-11-30T12:00:00.900Z');
    expect(await read({ [NOTE]: { json: same }, ...member })).toMatchObject({ value: { mayWrite: true } });
    const changed = times('2026-11-30T12:00:00.100Z', '2026-11-30T12:00:02.000Z');
    expect(await read({ [NOTE]: { json: changed }, ...member })).toEqual({ ok: true, value: undefined });
  });

  it('of nobody’s member is a stranger’s', async () => {
    expect(await read({ [NOTE]: { json: note } })).toMatchObject({ value: { mayWrite: false } });
  });

  it('of the forge itself, or that is gone, is none', async () => {
    expect(await read({ [NOTE]: { json: { ...note, system: true } } })).toEqual({ ok: true, value: undefined });
    expect(await read({})).toEqual({ ok: true, value: undefined });
  });

  it('a membership that can not be asked for is no answer', async () => {
    expect(await read({ [NOTE]: { json: note }, [MEMBER]: { status: 500, json: {} } })).toMatchObject({ ok: false });
  });
});
