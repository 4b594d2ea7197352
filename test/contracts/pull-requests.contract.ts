import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import { type RecordedPull, TOKEN_USER } from '../../src/demo/forge-pulls.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import { LIMITS } from '../../src/kernel/index.ts';
import type { Clock, CommentWriter, ForgeRepository, OpenHttp, PullRequests } from '../../src/ports/index.ts';
import { complaintsAgainst } from '../support/github-rest.ts';
import { clock, codeOf, TOKEN } from './status-writer.contract.ts';

type Options = {
  readonly openHttp: OpenHttp;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly apiUrl: string;
  readonly timeoutMs: number;
};
type Stoppable = { stop(): Promise<void> };

export type PullRequestsSubject = {
  readonly forge: 'github' | 'gitlab';
  readonly reader: (options: Options) => PullRequests & Stoppable;
  readonly writer: (options: Options) => CommentWriter & Stoppable;
  readonly apiUrl: (recorder: ForgeRecorder) => string;
  /** The ref that serves the head of request 3. */
  readonly ref: string;
};

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const MARKER = '<!-- hakopod:plan:acme/production/shop -->';
const SOMEBODY = 77;

/** What every reader of pull requests and writer of comments must do, shown against a peer that is as strict as the forge. */
export function describePullRequests(subject: PullRequestsSubject): void {
  const { forge } = subject;
  let recorder: ForgeRecorder;
  /** What GitHub's own description has against what was sent. */
  let complaints: string[];
  let reader: PullRequests & Stoppable;
  let writer: CommentWriter & Stoppable;
  let repository: ForgeRepository;

  beforeEach(async () => {
    complaints = [];
    recorder = await startForgeRecorder({
      onCall: (called, call) => void (called === 'github' && complaints.push(...complaintsAgainst(call))),
    });
    recorder.requireToken(TOKEN);
    const options = {
      ...{ openHttp: openHttpClient, clock, userAgent: 'hakopod', timeoutMs: 2000 },
      apiUrl: subject.apiUrl(recorder),
    };
    reader = subject.reader(options);
    writer = subject.writer(options);
    repository = { forge, project: 'acme/shop', repositoryId: '15', token: TOKEN };
    put({});
  });
  afterEach(async () => {
    await reader.stop();
    await writer.stop();
    await recorder.stop();
    expect(complaints).toEqual([]);
  });

  function put(changes: Partial<RecordedPull>): void {
    recorder.putPull({
      ...{ forge, project: 'acme/shop', repositoryId: 15, number: 3, state: 'open', head: HEAD },
      ...{ branch: 'change', base: 'main', fork: false, mergeBase: BASE, updatedAt: '2026-11-29T11:59:00Z' },
      ...changes,
    });
  }

  function say(body: string, known?: string): ReturnType<CommentWriter['upsert']> {
    const text = `${MARKER}\n${body}`;
    return writer.upsert(repository, { number: 3, marker: MARKER, body: text, ...(known ? { known } : {}) });
  }

  function place(author: number, body: string): { readonly id: number } {
    return recorder.addComment({ forge, project: 'acme/shop', number: 3, author, body });
  }

  describe('read', () => {
    it('answers what the request is now', async () => {
      expect(await reader.read(repository, 3)).toEqual({
        ok: true,
        value: {
          ...{ number: 3, state: 'open', head: HEAD, ref: subject.ref, base: 'refs/heads/main' },
          ...{ branch: 'refs/heads/change', fork: false, draft: false },
          ...{ updatedAt: '2026-11-29T11:59:00Z', mergeBase: BASE },
        },
      });
    });

    it('tells a fork, which has no branch here', async () => {
      put({ fork: true });
      expect(await reader.read(repository, 3)).toMatchObject({ value: { fork: true, branch: undefined } });
    });

    it('tells a draft', async () => {
      put({ draft: true });
      expect(await reader.read(repository, 3)).toMatchObject({ value: { draft: true } });
      expect(await reader.open(repository)).toMatchObject({ value: { requests: [{ number: 3, draft: true }] } });
    });

    it.each(['closed', 'merged'] as const)('answers %s as closed', async (state) => {
      put({ state });
      expect(await reader.read(repository, 3)).toMatchObject({ value: { state: 'closed' } });
    });

    it('knows no common commit when the forge names none', async () => {
      recorder.putPull({
        ...{ forge, project: 'acme/shop', repositoryId: 15, number: 4, state: 'open', head: BASE },
        ...{ branch: 'change', base: 'main', fork: false },
      });
      expect(await reader.read(repository, 4)).toMatchObject({ value: { number: 4, mergeBase: undefined } });
    });

    it('answers nothing for a request that is not there', async () => {
      expect(await reader.read(repository, 99)).toEqual({ ok: true, value: undefined });
    });

    it.each([
      ['an answer that is no commit', { head: 'main' }, 'forge_unavailable'],
      ['a base no ref can have', { base: 'a..b' }, 'forge_unavailable'],
    ])('does not trust %s', async (_name, changes, code) => {
      put(changes);
      expect(codeOf(await reader.read(repository, 3))).toBe(code);
    });

    it('says which failures heal and which do not', async () => {
      recorder.failNext(1, 502);
      expect(codeOf(await reader.read(repository, 3))).toBe('forge_unavailable');
      recorder.failNext(1, 'reset');
      expect(codeOf(await reader.read(repository, 3))).toBe('forge_unavailable');
      recorder.failNext(1, 429, { 'retry-after': '7' });
      expect(await reader.read(repository, 3)).toMatchObject({
        problem: { code: 'forge_rate_limited', afterMs: 8000 },
      });
      recorder.failNext(1, 401);
      expect(JSON.stringify(await reader.read(repository, 3))).not.toContain(TOKEN);
      expect(codeOf(await reader.read({ ...repository, token: '' }, 3))).toBe('forge_unauthorized');
    });
  });

  describe('open', () => {
    it('lists open requests, the latest changed first, and says that these are all', async () => {
      put({ number: 5, updatedAt: '2026-11-29T12:00:00Z' });
      put({ number: 6, state: 'closed' });
      expect(await reader.open(repository)).toEqual({
        ok: true,
        value: {
          requests: [
            { number: 5, draft: false, head: HEAD, base: 'refs/heads/main' },
            { number: 3, draft: false, head: HEAD, base: 'refs/heads/main' },
          ],
          complete: true,
        },
      });
    });

    it('says when there may be more', async () => {
      for (let number = 10; number < 110; number += 1) put({ number });
      const listed = await reader.open(repository);
      expect(listed).toMatchObject({ ok: true, value: { complete: false } });
      expect(listed.ok && listed.value.requests).toHaveLength(100);
    });
  });

  describe('upsert', () => {
    it('creates, then edits the same comment, and does nothing for the same text', async () => {
      const first = await say('one');
      expect(codeOf(first)).toBe('ok');
      const id = first.ok ? first.value : '';
      expect(await say('two', id)).toEqual(first);
      expect(await say('three')).toEqual(first);
      expect(await say('three\n')).toEqual(first);
      expect(recorder.commentWrites().map(({ body }) => body)).toEqual([
        `${MARKER}\none`,
        `${MARKER}\ntwo`,
        `${MARKER}\nthree`,
      ]);
    });

    it('never touches a comment of somebody else, found or known by its id', async () => {
      const theirs = place(SOMEBODY, `${MARKER}\ntheirs`);
      const mine = await say('mine', String(theirs.id));
      expect(codeOf(mine)).toBe('ok');
      expect(mine.ok && mine.value).not.toBe(String(theirs.id));
      expect(codeOf(await say('mine, again'))).toBe('ok');
      expect(recorder.comments().find(({ id }) => id === theirs.id)).toMatchObject({ body: `${MARKER}\ntheirs` });
    });

    it('does not take another comment of its own user for it, nor one that only quotes the marker', async () => {
      const other = place(TOKEN_USER, 'good morning');
      const quoting = place(TOKEN_USER, `> ${MARKER}\nwhat is this?`);
      const mine = await say('mine', String(other.id));
      expect(codeOf(mine)).toBe('ok');
      expect(mine.ok && [String(other.id), String(quoting.id)].includes(mine.value)).toBe(false);
    });

    it('finds its own among many pages', async () => {
      for (let n = 0; n < 65; n += 1) place(SOMEBODY, `comment ${n}`);
      const mine = place(TOKEN_USER, `${MARKER}\nold`);
      expect(await say('new')).toEqual({ ok: true, value: String(mine.id) });
    });

    it('writes a new one when the known one was deleted', async () => {
      const first = await say('one');
      recorder.removeComment(Number(first.ok && first.value));
      const second = await say('two', first.ok ? first.value : '');
      expect(second.ok && first.ok && second.value !== first.value).toBe(true);
    });

    it('looks before it writes again when it can not know whether it wrote', async () => {
      // Who am I, the list, and then the write that is carried out without an answer.
      let writes = 0;
      recorder.onRequest((method) => {
        if (method !== 'POST') return undefined;
        writes += 1;
        return writes === 1 ? 'lost' : undefined;
      });
      expect(codeOf(await say('one'))).toBe('forge_unavailable');
      expect(codeOf(await say('one'))).toBe('ok');
      expect(recorder.comments()).toHaveLength(1);
      expect(recorder.commentWrites()).toHaveLength(1);
    });

    it('asks once who it is', async () => {
      const asked: string[] = [];
      recorder.onRequest((_method, path) => {
        if (path.endsWith('/user')) asked.push(path);
        return undefined;
      });
      await say('one');
      await say('two');
      expect(asked).toHaveLength(1);
    });

    it('takes as many characters as a comment may have, of any alphabet', async () => {
      expect(codeOf(await say('界'.repeat(LIMITS.commentCharacters - 100)))).toBe('ok');
      expect(codeOf(await say(`${'界'.repeat(LIMITS.commentCharacters - 100)}.`))).toBe('ok');
    });

    it('says what the forge refused, without its words', async () => {
      recorder.onRequest((method) => (method === 'POST' ? 403 : undefined));
      const refused = await say('one');
      expect(codeOf(refused)).toBe('forge_unauthorized');
      expect(JSON.stringify(refused)).not.toContain(TOKEN);
    });
  });
}
