import { afterEach, beforeEach, expect, it } from 'vitest';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Clock, ForgeHooks, ForgeRepository, OpenHttp, WantedHook } from '../../src/ports/index.ts';
import { complaintsAgainst } from '../support/github-rest.ts';

const TOKEN = 'canary-token-77aa';
const SECRET = 'canary-secret-51bc';
const clock: Clock = { now: () => new Date('2026-11-29T12:00:00Z'), sleep: () => Promise.resolve() };

export type HooksSubject = {
  readonly forge: 'github' | 'gitlab';
  readonly create: (options: {
    readonly openHttp: OpenHttp;
    readonly clock: Clock;
    readonly userAgent: string;
    readonly apiUrl: string;
    readonly timeoutMs: number;
  }) => ForgeHooks & { stop(): Promise<void> };
  /** What somebody did to the hook by hand, in the forge's fields, and what is seen of it. */
  readonly spoilt: readonly { readonly fields: object; readonly seen: object }[];
  /** The fields of a hook as it should be at the forge. */
  readonly fields: object;
};

/** What the webhooks of every forge must do, shown against a peer that keeps them as the forge does. */
export function describeForgeHooks({ forge, create, spoilt, fields }: HooksSubject): void {
  let recorder: ForgeRecorder;
  let hooks: ReturnType<HooksSubject['create']>;
  let complaints: string[];
  const wanted: WantedHook = {
    url: 'http://127.0.0.1:1/hooks/0123456789abcdef0123456789abcdef',
    events: ['push', 'tag_push', 'pull_request', 'comment'],
    secret: SECRET,
    auth: forge === 'github' ? 'hmac' : 'token',
  };
  const repository: ForgeRepository = { forge, project: 'acme/shop', repositoryId: '15', token: TOKEN };

  beforeEach(async () => {
    complaints = [];
    recorder = await startForgeRecorder({
      onCall: (called, call) => void (called === 'github' && complaints.push(...complaintsAgainst(call))),
    });
    recorder.requireToken(TOKEN);
    const apiUrl = forge === 'github' ? recorder.githubApiUrl : recorder.gitlabApiUrl;
    hooks = create({ openHttp: openHttpClient, clock, userAgent: 'hakopod', apiUrl, timeoutMs: 2000 });
  });
  afterEach(async () => {
    await hooks.stop();
    await recorder.stop();
    expect(complaints).toEqual([]);
  });

  it('makes a hook with the events that are wanted, TLS verification and the secret, and shows it without', async () => {
    const made = must(await hooks.create(repository, wanted));
    const shown = {
      ...{ id: '1', url: wanted.url, events: wanted.events, sendsMore: false },
      ...{ state: 'active', verifiesTls: true, isJson: true },
    };
    expect(made).toEqual(shown);
    expect(must(await hooks.list(repository))).toEqual([shown]);
    expect(recorder.hooks.hooks()).toMatchObject([{ secret: SECRET, fields }]);
    expect(JSON.stringify([made, await hooks.list(repository)])).not.toContain(SECRET);
  });

  it('sees what somebody did to it, and makes it right again', async () => {
    await hooks.create(repository, wanted);
    const [kept] = recorder.hooks.hooks();
    for (const { fields: changed, seen } of spoilt) {
      recorder.hooks.put({ ...kept!, secret: 'another', fields: { ...kept!.fields, ...changed } });
      expect(must(await hooks.list(repository))).toMatchObject([seen]);
      expect(must(await hooks.update(repository, '1', wanted))).toMatchObject({ id: '1', url: wanted.url });
      expect(recorder.hooks.hooks()).toMatchObject([{ secret: SECRET, fields }]);
    }
  });

  it('removes a hook, and one that is gone already', async () => {
    await hooks.create(repository, wanted);
    expect(await hooks.remove(repository, '1')).toEqual({ ok: true, value: undefined });
    expect(recorder.hooks.hooks()).toEqual([]);
    expect(await hooks.remove(repository, '1')).toEqual({ ok: true, value: undefined });
  });

  it('tells how deliveries went, newest first, also that nobody answered', async () => {
    await hooks.create(repository, wanted);
    recorder.hooks.record({ hook: 1, event: 'push', status: 202 });
    recorder.hooks.record({ hook: 1, event: 'push', status: 401 });
    recorder.hooks.record({ hook: 1, event: 'push', status: 0 });
    const told = must(await hooks.deliveries(repository, '1'));
    expect(told.map(({ status, ok }) => ({ status, ok }))).toEqual([
      { status: undefined, ok: false },
      { status: 401, ok: false },
      { status: 202, ok: true },
    ]);
  });

  it('says in the codes of the catalogue what went wrong, and nothing of the forge or the token', async () => {
    const codes: string[] = [];
    for (const failure of [401, 404, 422, 502, 'reset'] as const) {
      recorder.failNext(1, failure);
      const result = await hooks.create(repository, wanted);
      codes.push(result.ok ? 'ok' : result.problem.code);
      expect(JSON.stringify(result)).not.toContain(TOKEN);
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
    expect(codes).toEqual([
      ...['forge_unauthorized', 'forge_not_found', 'forge_rejected', 'forge_unavailable', 'forge_unavailable'],
    ]);
    recorder.failNext(1, 429, { 'retry-after': '7' });
    const limited = await hooks.list(repository);
    expect(limited).toMatchObject({ ok: false, problem: { code: 'forge_rate_limited', afterMs: 8000 } });
  });
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem.code);
  return result.value;
}
