import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import type { CommitSha, RefName, Result } from '../../src/kernel/index.ts';
import type {
  Clock,
  CommitOutcome,
  CommitStatus,
  ForgeRepository,
  OpenHttp,
  StatusWriter,
} from '../../src/ports/index.ts';
import { complaintsAgainst } from '../support/github-rest.ts';

export type WriterFactory = (options: {
  readonly openHttp: OpenHttp;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly apiUrl: string;
  readonly timeoutMs: number;
  readonly onSpent?: (repository: ForgeRepository, afterMs: number) => void;
}) => StatusWriter & { stop(): Promise<void> };

export type StatusWriterSubject = {
  readonly forge: 'github' | 'gitlab';
  readonly create: WriterFactory;
  readonly apiUrl: (recorder: ForgeRecorder) => string;
  /** What is known after an earlier status, so that nothing need be looked up. */
  readonly known: (recorder: ForgeRecorder) => Partial<CommitStatus>;
  /** The forge's state for each outcome. */
  readonly states: Readonly<Record<CommitOutcome, string>>;
};

export const NOW = new Date('2026-11-29T12:00:00Z');
export const TOKEN = 'canary-token-3f9a';
export const COMMIT = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c' as CommitSha;
export const CONTEXT = 'hakopod/deploy/acme/production/shop';
export const clock: Clock = { now: () => NOW, sleep: () => Promise.resolve() };

export function commitStatus(changes: Partial<CommitStatus> = {}): CommitStatus {
  const ref = 'refs/heads/main' as RefName;
  return { commit: COMMIT, ref, context: CONTEXT, outcome: 'pending', description: 'waiting', ...changes };
}
/** The code of a failure, or `ok`. */
export function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}

/** What every status writer must do, shown against a peer that is as strict as the forge. */
export function describeStatusWriter(subject: StatusWriterSubject): void {
  const { forge, create, states } = subject;
  let recorder: ForgeRecorder;
  /** What GitHub's own description has against what was sent. */
  let complaints: string[];
  let writer: ReturnType<WriterFactory>;
  let repository: ForgeRepository;
  let known: Partial<CommitStatus>;
  const apiUrl = () => subject.apiUrl(recorder);
  const status = (changes: Partial<CommitStatus> = {}) => commitStatus({ ...known, ...changes });

  beforeEach(async () => {
    complaints = [];
    recorder = await startForgeRecorder({
      onCall: (called, call) => void (called === 'github' && complaints.push(...complaintsAgainst(call))),
    });
    recorder.requireToken(TOKEN);
    writer = create({ openHttp: openHttpClient, clock, userAgent: 'hakopod', apiUrl: apiUrl(), timeoutMs: 2000 });
    repository = { forge, project: 'acme/shop', repositoryId: '15', token: TOKEN };
    known = subject.known(recorder);
  });
  afterEach(async () => {
    await writer.stop();
    await recorder.stop();
    expect(complaints).toEqual([]);
  });

  describe('write', () => {
    it.each(Object.entries(states))('shows %s as %s', async (outcome, state) => {
      const wanted = status({ outcome: outcome as CommitOutcome, targetUrl: 'https://hakopod.example/a' });
      expect(await writer.write(repository, wanted)).toEqual({ ok: true, value: expect.any(Object) });
      expect(recorder.statuses()).toEqual([
        expect.objectContaining({ forge, commit: COMMIT, context: CONTEXT, state, description: 'waiting' }),
      ]);
      expect(recorder.statuses()[0]?.targetUrl).toBe('https://hakopod.example/a');
    });

    it('cuts a description at 140 characters, not in the middle of one', async () => {
      expect(codeOf(await writer.write(repository, status({ description: '🚀'.repeat(141) })))).toBe('ok');
      expect(recorder.statuses()[0]?.description).toBe('🚀'.repeat(140));
    });

    it('writes to 64-digit commits', async () => {
      const commit = 'a'.repeat(64) as CommitSha;
      expect(codeOf(await writer.write(repository, status({ commit })))).toBe('ok');
    });

    it('goes from pending to each final outcome, and back to pending', async () => {
      for (const outcome of ['pending', 'success', 'pending', 'failure', 'pending', 'superseded'] as const) {
        expect(codeOf(await writer.write(repository, status({ outcome })))).toBe('ok');
      }
      expect(recorder.statuses()).toHaveLength(6);
    });

    it('calls the same pending twice a success', async () => {
      await writer.write(repository, status());
      expect(codeOf(await writer.write(repository, status()))).toBe('ok');
    });

    it('uses the API of the repository when it has an own one', async () => {
      const other = await startForgeRecorder();
      const own = { ...repository, apiUrl: `${subject.apiUrl(other)}/` };
      expect(codeOf(await writer.write(own, status()))).toBe('ok');
      expect([other.statuses().length, recorder.requests()]).toEqual([1, 0]);
      await other.stop();
    });
  });

  describe('latest', () => {
    it('is undefined when there is nothing for this context', async () => {
      await writer.write(repository, status({ context: 'hakopod/plan/acme/production/shop' }));
      expect(await writer.latest(repository, COMMIT, CONTEXT)).toEqual({ ok: true, value: undefined });
    });

    it.each(Object.keys(states) as CommitOutcome[])('knows what the state of %s may stand for', async (outcome) => {
      await writer.write(repository, status({ description: 'first' }));
      if (outcome !== 'pending') await writer.write(repository, status({ outcome, description: 'second' }));
      const latest = await writer.latest(repository, COMMIT, CONTEXT);
      const same = Object.keys(states).filter((other) => states[other as CommitOutcome] === states[outcome]);
      const description = outcome === 'pending' ? 'first' : 'second';
      expect(latest).toEqual({ ok: true, value: { outcomes: same, description } });
    });

    it('finds the newest behind many others', async () => {
      await writer.write(repository, status({ outcome: 'success', description: 'old' }));
      await writer.write(repository, status({ outcome: 'failure', description: 'new' }));
      for (let i = 0; i < 150; i += 1) {
        await writer.write(repository, status({ context: `other/${i}`, outcome: 'success' }));
      }
      const latest = await writer.latest(repository, COMMIT, CONTEXT);
      expect(latest).toMatchObject({ ok: true, value: { description: 'new' } });
    });
  });

  describe('failures', () => {
    const both = async () => [
      codeOf(await writer.write(repository, status())),
      codeOf(await writer.latest(repository, COMMIT, CONTEXT)),
    ];

    it.each([
      [401, 'forge_unauthorized'],
      [403, 'forge_unauthorized'],
      [404, 'forge_not_found'],
      [410, 'forge_not_found'],
      [422, 'forge_rejected'],
      [400, 'forge_rejected'],
      [302, 'forge_rejected'],
      [200, 'forge_unavailable'],
      [408, 'forge_unavailable'],
      [429, 'forge_rate_limited'],
      [500, 'forge_unavailable'],
      [502, 'forge_unavailable'],
      [503, 'forge_unavailable'],
      ['reset' as const, 'forge_unavailable'],
    ])('maps %s to %s, after exactly one request each', async (failure, code) => {
      recorder.failNext(2, failure);
      expect(await both()).toEqual([code, code]);
      expect(recorder.requests()).toBe(2);
      expect(recorder.statuses()).toEqual([]);
    });

    it.each([
      ['a success', { status: 200, isDone: true }, 'ok'],
      ['a refusal', { status: 422 }, 'forge_rejected'],
    ])('says that nothing is left when %s tells so', async (_what, answer, code) => {
      const spent: unknown[] = [];
      const onSpent = (of: ForgeRepository, afterMs: number): void => void spent.push([of.project, afterMs]);
      const watched = create({
        openHttp: openHttpClient,
        clock,
        userAgent: 'hakopod',
        apiUrl: apiUrl(),
        timeoutMs: 2000,
        onSpent,
      });
      const prefix = forge === 'github' ? 'x-' : '';
      const reset = String(NOW.getTime() / 1000 + 20);
      for (const left of ['0', '1']) {
        const headers = { [`${prefix}ratelimit-remaining`]: left, [`${prefix}ratelimit-reset`]: reset };
        recorder.failNext(1, { ...answer, headers });
        expect(codeOf(await watched.write(repository, status()))).toBe(code);
      }
      expect(spent).toEqual([['acme/shop', 21_000]]);
      await watched.stop();
    });

    it('tells the kinds apart: who must act and when', async () => {
      recorder.failNext(1, 429, { 'retry-after': '7' });
      expect(await writer.write(repository, status())).toMatchObject({
        problem: { kind: 'waiting', afterMs: 8000 },
      });
      recorder.failNext(1, 429);
      expect(await writer.write(repository, status())).toMatchObject({ problem: { afterMs: 61_000 } });
      recorder.failNext(1, 429, { 'retry-after': '999999' });
      expect(await writer.write(repository, status())).toMatchObject({ problem: { afterMs: 3_600_000 } });
      recorder.failNext(1, 503);
      expect(await writer.write(repository, status())).toMatchObject({ problem: { kind: 'transient' } });
      recorder.failNext(1, 404);
      expect(await writer.write(repository, status())).toMatchObject({ problem: { kind: 'rejected' } });
    });

    it('does not send a status again whose answer was lost, and latest tells that it arrived', async () => {
      recorder.failNext(1, 'lost');
      expect(codeOf(await writer.write(repository, status({ outcome: 'success' })))).toBe('forge_unavailable');
      expect([recorder.requests(), recorder.statuses().length]).toEqual([1, 1]);
      const latest = await writer.latest(repository, COMMIT, CONTEXT);
      expect(latest).toMatchObject({ ok: true, value: { outcomes: ['success'] } });
    });

    it('gives up at the deadline', async () => {
      const quick = create({ openHttp: openHttpClient, clock, userAgent: 'hakopod', apiUrl: apiUrl(), timeoutMs: 60 });
      recorder.failNext(1, 'hang');
      expect(codeOf(await quick.write(repository, status()))).toBe('forge_unavailable');
      await quick.stop();
    });

    it('says unavailable when nobody listens or the URL is none', async () => {
      await recorder.stop();
      expect(await both()).toEqual(['forge_unavailable', 'forge_unavailable']);
      repository = { ...repository, apiUrl: 'not a url' };
      expect(await both()).toEqual(['forge_unavailable', 'forge_unavailable']);
    });

    it.each([undefined, ''])('asks nothing with the token %j', async (token) => {
      const { token: _, ...rest } = repository;
      repository = token === undefined ? rest : { ...rest, token };
      expect(await both()).toEqual(['forge_unauthorized', 'forge_unauthorized']);
      expect(recorder.requests()).toBe(0);
    });
  });

  describe('the token', () => {
    it.each([200, 302, 400, 401, 403, 404, 422, 429, 500, 'reset', 'hang'] as const)(
      'appears in no problem (%s)',
      async (failure) => {
        const quick = create({
          openHttp: openHttpClient,
          clock,
          userAgent: 'hakopod',
          apiUrl: apiUrl(),
          timeoutMs: 60,
        });
        recorder.failNext(1, failure, { 'x-echo': TOKEN, location: `http://127.0.0.1:1/${TOKEN}` });
        const result = await quick.write(repository, status());
        const seen = new WeakSet();
        const everything = JSON.stringify(result, (_, value) => {
          if (typeof value !== 'object' || value === null) return value;
          if (seen.has(value)) return undefined;
          seen.add(value);
          const names = Object.getOwnPropertyNames(value);
          return Array.isArray(value) ? value : Object.fromEntries(names.map((name) => [name, value[name]]));
        });
        expect(result.ok).toBe(false);
        expect(everything).not.toContain(TOKEN);
        await quick.stop();
      },
    );

    it('is not carried to another host by a redirect', async () => {
      const other = await startForgeRecorder();
      recorder.failNext(1, 307, { location: subject.apiUrl(other) });
      expect(codeOf(await writer.write(repository, status()))).toBe('forge_rejected');
      expect(other.requests()).toBe(0);
      await other.stop();
    });
  });
}
