import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { createGitlabOauthTokens } from '../../../src/adapters/gitlab/index.ts';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import { connect } from '../../../src/adapters/kubernetes/index.ts';
import { createCredentialStore } from '../../../src/adapters/store/index.ts';
import { fail, type ObjectRef, problem, type Result } from '../../../src/kernel/index.ts';
import type { Cluster, CredentialStore, OauthGrant } from '../../../src/ports/index.ts';
import { type ClusterUnderTest, inNewNamespace, memoryLog } from '../../support/kubernetes.ts';
import { type OauthForge, startOauthForge } from '../../support/oauth-forge.ts';
import { must } from '../../support/operations.ts';

const NAME = 'gitlab-42-credentials';
const MINUTE_MS = 60_000;

let embedded: Awaited<ReturnType<typeof startEmbeddedCluster>>;
let under: ClusterUnderTest;
let forge: OauthForge;
let now: number;
let slept: number;
let log: ReturnType<typeof memoryLog>;
let stops: (() => Promise<void>)[];
let ref: ObjectRef;

beforeAll(async () => {
  embedded = await startEmbeddedCluster();
});
afterAll(() => embedded.stop());
beforeEach(async () => {
  under = await inNewNamespace(must(connect({ kubeconfigText: embedded.kubeconfig })));
  forge = await startOauthForge();
  [now, slept, stops, log] = [Date.parse('2026-11-30T12:00:00Z'), 0, [], memoryLog()];
  ref = { apiVersion: 'v1', kind: 'Secret', namespace: under.namespace, name: NAME };
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await forge.close();
  await under.close();
  // The log is where another system's words go, and no secret with them.
  expect(JSON.stringify(log.lines)).not.toContain('canary');
});

/** A process of its own: its own memory, the same cluster and forge. Sleeping lets the others go on. */
function worker(cluster: Partial<Cluster> = {}): CredentialStore {
  const clock = {
    now: () => new Date(now),
    sleep: (ms: number) => {
      slept += ms;
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
  const tokens = createGitlabOauthTokens({ openHttp: openHttpClient, clock, userAgent: 'test' });
  stops.push(() => tokens.stop());
  const oauth = { tokens, clock, log };
  return createCredentialStore({ cluster: { ...under.cluster, ...cluster }, namespace: under.namespace, oauth });
}

const grant = (): OauthGrant => ({
  applicationId: 'app',
  applicationSecret: 'canary-application-secret',
  refreshToken: forge.valid.refresh,
  apiUrl: forge.apiUrl,
});

const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.problem.code);
async function tokenOf(store: CredentialStore, refused?: string): Promise<string> {
  const found = await store.forRepository(NAME, 'read', refused);
  if (!found.ok) expect(JSON.stringify(found)).not.toContain('canary');
  return found.ok ? (found.value?.token ?? 'none') : found.problem.code;
}
async function kept(): Promise<Readonly<Record<string, string>>> {
  const data = (must(await under.cluster.get(ref))?.data ?? {}) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

describe('an OAuth grant', () => {
  it('is exchanged when it is saved, and its token used until shortly before its end', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    expect(must(await store.forRepository(NAME, 'hooks'))).toEqual({
      username: 'oauth2',
      token: 'canary-access-1',
      installation: NAME,
      renewable: true,
    });
    now += 115 * MINUTE_MS - 1;
    expect(await tokenOf(store)).toBe('canary-access-1');
    now += 1;
    expect(await tokenOf(store)).toBe('canary-access-2');
    expect(forge.asked.map(({ form }) => form.get('refresh_token'))).toEqual(['canary-refresh-0', 'canary-refresh-1']);
    expect(await kept()).toMatchObject({
      'oauth-refresh-token': 'canary-refresh-2',
      'access-token': 'canary-access-2',
    });
    expect(await kept()).not.toHaveProperty('claimed-until');
  });

  it('is renewed for a tenth of its life before the end when that is short', async () => {
    forge.fields = { expires_in: 60 };
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    now += 53_999;
    expect(await tokenOf(store)).toBe('canary-access-1');
    now += 1;
    expect(await tokenOf(store)).toBe('canary-access-2');
  });

  it('is refused at once when the forge does not take it, or it may not do what is needed', async () => {
    const store = worker();
    expect(await store.saveOauth(NAME, { ...grant(), refreshToken: 'canary-used' })).toMatchObject({
      problem: { code: 'oauth_grant_ended', at: 'oauth', message: expect.stringContaining('authorise') },
    });
    expect(await store.saveOauth(NAME, { ...grant(), applicationId: 'other' })).toMatchObject({
      problem: { code: 'forge_unauthorized', at: 'oauth' },
    });
    forge.fields = { scope: 'read_repository read_api' };
    expect(await store.saveOauth(NAME, grant())).toMatchObject({ problem: { code: 'invalid_secret', at: 'oauth' } });
    expect(await kept()).toEqual({});
  });

  it('is kept while the forge is away, and exchanged by whoever needs it first', async () => {
    forge.trouble.push('502');
    must(await worker().saveOauth(NAME, grant()));
    expect(await kept()).not.toHaveProperty('access-token');
    expect(await tokenOf(worker())).toBe('canary-access-1');
  });

  it('takes the place of a token, and a token its', async () => {
    const store = worker();
    must(await store.saveCredentials(NAME, { username: 'u', token: 't' }));
    must(await store.saveOauth(NAME, grant()));
    expect(await kept()).not.toHaveProperty('token');
    must(await store.saveCredentials(NAME, { username: 'u', token: 't' }));
    expect(await kept()).toEqual({ username: 'u', token: 't' });
    expect(await tokenOf(store)).toBe('t');
  });

  it('is renewed once, however many workers need it at the same time', async () => {
    const stores = [worker(), worker(), worker()];
    must(await stores[0]!.saveOauth(NAME, grant()));
    for (const round of [2, 3, 4]) {
      now += 116 * MINUTE_MS;
      const got = await Promise.all([...stores, ...stores, ...stores].map((store) => tokenOf(store)));
      expect(new Set(got)).toEqual(new Set([`canary-access-${round}`]));
      expect(forge.asked).toHaveLength(round);
    }
  });

  it('is kept before it is used', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    const broken = worker({ replace: failing(2, 1000) });
    expect(await tokenOf(broken)).toBe('cluster_unavailable');
    expect(slept).toBe((250 * 14 * 15) / 2);
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', fields: { code: 'cluster_unavailable' } });
  });

  it('is not exchanged where its Secret can not be written', async () => {
    must(await worker().saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    expect(await tokenOf(worker({ replace: failing(1, 1000) }))).toBe('cluster_unavailable');
    expect(forge.asked).toHaveLength(1);
    expect(await tokenOf(worker())).toBe('canary-access-2');
  });

  it('survives a cluster that is away just when the answer is to be kept', async () => {
    must(await worker().saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    expect(await tokenOf(worker({ replace: failing(2, 5) }))).toBe('canary-access-2');
    now += 116 * MINUTE_MS;
    // Away for longer: the process keeps the answer in mind, and writes it when it is asked the next time.
    const patient = worker({ replace: failing(2, 15) });
    expect(await tokenOf(patient)).toBe('cluster_unavailable');
    expect(await tokenOf(patient)).toBe('canary-access-3');
    expect(forge.asked).toHaveLength(3);
  });

  it('ends when a process is killed between the answer and its keeping, and says so without asking again', async () => {
    must(await worker().saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    expect(await tokenOf(worker({ replace: failing(2, 1000) }))).toBe('cluster_unavailable');
    const next = worker();
    // The claim of the killed one holds for a minute; who waits gives up before and is asked to come back.
    expect(await tokenOf(next)).toBe('lease_held');
    now += MINUTE_MS;
    expect(await tokenOf(next)).toBe('oauth_grant_ended');
    expect(forge.asked).toHaveLength(3);
    for (const store of [next, worker()]) expect(await tokenOf(store)).toBe('oauth_grant_ended');
    expect(forge.asked).toHaveLength(3);
    expect(await kept()).toMatchObject({ ended: 'true' });
    expect(await kept()).not.toHaveProperty('access-token');
    must(await worker().saveOauth(NAME, grant()));
    expect(await tokenOf(next)).toBe(forge.valid.access);
  });

  it('is tried again after an answer that was lost, which the forge may not have given', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    forge.trouble.push('502');
    // The old token holds for four more minutes.
    expect(await tokenOf(store)).toBe('canary-access-1');
    expect(await tokenOf(store)).toBe('canary-access-1');
    expect(forge.asked).toHaveLength(2);
    now += 30_000;
    expect(await tokenOf(store)).toBe('canary-access-2');
    now += 116 * MINUTE_MS;
    forge.trouble.push('lost-answer');
    expect(await tokenOf(store)).toBe('canary-access-2');
    now += 30_000;
    expect(await tokenOf(store)).toBe('oauth_grant_ended');
  });

  it('leaves a forge alone that asks for it, or knows no such application', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    now += 121 * MINUTE_MS;
    forge.trouble.push('429', 'invalid_client');
    for (let call = 0; call < 5; call += 1) expect(await tokenOf(store)).toBe('forge_rate_limited');
    now += 8000;
    for (let call = 0; call < 5; call += 1) expect(await tokenOf(store)).toBe('forge_unauthorized');
    expect(forge.asked).toHaveLength(3);
    now += 30_000;
    expect(await tokenOf(store)).toBe('canary-access-2');
  });

  it('goes by what is kept when two exchanged it all the same', async () => {
    must(await worker().saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    const [slow, fast] = [worker(), worker()];
    let once = true;
    forge.during = async () => {
      if (!once) return;
      once = false;
      // The slow one stands still for longer than a claim holds.
      now += MINUTE_MS;
      expect(await tokenOf(fast)).toBe('canary-access-2');
    };
    expect(await tokenOf(slow)).toBe('conflict');
    expect(await tokenOf(slow)).toBe('canary-access-2');
    expect(await kept()).not.toHaveProperty('ended');
  });

  it('does not wait for a claim from a clock that is far ahead', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    const secret = must(await under.cluster.get(ref))!;
    const ahead = Buffer.from(new Date(now + 60 * 60 * MINUTE_MS).toISOString()).toString('base64');
    must(await under.cluster.replace({ ...secret, data: { ...(secret.data as object), 'claimed-until': ahead } }));
    now += 116 * MINUTE_MS;
    expect(await tokenOf(store)).toBe('canary-access-2');
  });

  it('gives way to another one that somebody saves meanwhile', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    now += 116 * MINUTE_MS;
    let once = true;
    forge.during = async () => {
      if (!once) return;
      once = false;
      must(await worker().saveCredentials(NAME, { username: 'u', token: 'other' }));
    };
    expect(await tokenOf(store)).toBe('conflict');
    expect(await tokenOf(store)).toBe('other');
  });

  it('answers another token where one is refused: the one that replaced it, or a new one, but not again and again', async () => {
    const store = worker();
    must(await store.saveOauth(NAME, grant()));
    expect(await tokenOf(store, 'canary-access-1')).toBe('canary-access-1');
    now += 30 * MINUTE_MS;
    expect(await tokenOf(store, 'canary-access-1')).toBe('canary-access-2');
    expect(await tokenOf(store, 'canary-access-1')).toBe('canary-access-2');
    expect(await tokenOf(store, 'canary-access-2')).toBe('canary-access-2');
    expect(forge.asked).toHaveLength(2);
  });

  it('changes with each use, so a Secret that somebody else keeps holds none', async () => {
    const data = Object.fromEntries(
      Object.entries({ 'oauth-application-id': 'app', 'oauth-refresh-token': 'canary-refresh-0' }).map(
        ([key, value]) => [key, Buffer.from(value).toString('base64')],
      ),
    );
    must(
      await under.cluster.create({
        ...{ apiVersion: 'v1', kind: 'Secret', data },
        metadata: { name: NAME, namespace: under.namespace },
      }),
    );
    const store = worker();
    const found = await store.forRepository(NAME, 'read');
    expect(found).toMatchObject({
      problem: { code: 'not_owned', message: expect.stringContaining('`hakopod repos add`') },
    });
    expect(codeOf(await store.saveOauth(NAME, grant()))).toBe('not_owned');
    expect(forge.asked).toHaveLength(0);
  });
});

/** Fails the writes from this one on, so many of them. */
function failing(first: number, count: number): Cluster['replace'] {
  let written = 0;
  return async (manifest) => {
    written += 1;
    if (written >= first && written < first + count) return fail(problem('cluster_unavailable'));
    return under.cluster.replace(manifest);
  };
}
