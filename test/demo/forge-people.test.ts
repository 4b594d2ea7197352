import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGithubChecks, createGithubCommentReader } from '../../src/adapters/github/index.ts';
import { createGitlabChecks, createGitlabCommentReader } from '../../src/adapters/gitlab/index.ts';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import type { RepositoryRole } from '../../src/demo/forge-people.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import type { CommitSha } from '../../src/kernel/index.ts';
import type { CommentReader, CommitChecks, ForgeRepository } from '../../src/ports/index.ts';
import { complaintsAgainst } from '../support/github-rest.ts';
import { gitlabComplaintsAgainst } from '../support/gitlab-rest.ts';
import { realClock } from '../support/kubernetes.ts';

const COMMIT = 'a'.repeat(40) as CommitSha;
const ADA = 77;

let recorder: ForgeRecorder;
let complaints: string[];
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  complaints = [];
  stops = [];
  recorder = await startForgeRecorder({
    onCall: (called, call) =>
      void complaints.push(...(called === 'github' ? complaintsAgainst(call) : gitlabComplaintsAgainst(call))),
  });
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await recorder.stop();
  expect(complaints).toEqual([]);
});

function open(forge: 'github' | 'gitlab'): { comments: CommentReader; checks: CommitChecks; of: ForgeRepository } {
  const shared = { openHttp: openHttpClient, clock: realClock, userAgent: 'hakopod' };
  const github = { ...shared, apiUrl: recorder.githubApiUrl };
  const gitlab = { ...shared, apiUrl: recorder.gitlabApiUrl };
  const comments = forge === 'github' ? createGithubCommentReader(github) : createGitlabCommentReader(gitlab);
  const checks = forge === 'github' ? createGithubChecks(github) : createGitlabChecks(gitlab);
  stops.push(
    () => comments.stop(),
    () => checks.stop(),
  );
  return { comments, checks, of: { forge, project: 'acme/shop', repositoryId: '4711', token: 't' } };
}

describe.each(['github', 'gitlab'] as const)('at %s', (forge) => {
  const pull = { forge, project: 'acme/shop', repositoryId: 4711, number: 7, state: 'open', head: COMMIT } as const;

  it.each<[RepositoryRole | undefined, boolean]>([
    ['admin', true],
    ['maintain', true],
    ['write', true],
    ['triage', false],
    ['read', false],
    [undefined, false],
  ])('somebody who is %s there may write: %s', async (role, mayWrite) => {
    const { comments, of } = open(forge);
    recorder.putPull({ ...pull, branch: 'change', base: 'main', fork: false });
    const { id } = recorder.addComment({ forge, project: 'acme/shop', number: 7, author: ADA, body: 'hakopod plan' });
    if (role !== undefined) recorder.setRole(ADA, role);
    expect(await comments.read(of, { number: 7, id: String(id) })).toEqual({
      ok: true,
      value: { body: 'hakopod plan', author: 'user-77', mayWrite },
    });
  });

  it('a check goes from missing over pending to its end', async () => {
    const { checks, of } = open(forge);
    const project = forge === 'github' ? 'acme/shop' : '4711';
    const look = async () => {
      const read = await checks.read(of, COMMIT, ['ci / test']);
      return read.ok ? (read.value.get('ci / test') ?? 'missing') : read.problem.code;
    };
    expect(await look()).toBe('missing');
    for (const [state, seen] of [
      ['running', 'pending'],
      ['failure', 'failure'],
    ] as const) {
      recorder.putCheck({ forge, project, commit: COMMIT, name: 'ci / test', state });
      expect(await look()).toBe(seen);
    }
  });

  it.each([
    ['with headers and words', { status: 403, headers: { 'retry-after': '1' }, message: 'no more' }, 403, 'no more'],
    ['done all the same', { status: 200, headers: { 'x-ratelimit-remaining': '0' }, isDone: true }, 200, undefined],
  ])('answers %s', async (_what, failure, status, message) => {
    recorder.onRequest(() => failure);
    const base = forge === 'github' ? recorder.githubApiUrl : recorder.gitlabApiUrl;
    const answer = await fetch(`${base}/user`);
    expect(answer.status).toBe(status);
    const [[name, value] = ['', '']] = Object.entries(failure.headers);
    expect(answer.headers.get(name)).toBe(value);
    const json = (await answer.json()) as { message?: string; id?: number };
    expect([json.message, json.id !== undefined]).toEqual([message, status === 200]);
  });
});
