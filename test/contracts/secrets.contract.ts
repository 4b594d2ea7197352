import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  createCredentialStore,
  createHookDirectory,
  createSecretStore,
  createStore,
  ensureCrds,
} from '../../src/adapters/store/index.ts';
import { ok, secretScope } from '../../src/kernel/index.ts';
import type { AppTokens, OauthTokens } from '../../src/ports/index.ts';
import { type ClusterUnderTest, eventually, memoryLog, realClock } from '../support/kubernetes.ts';
import { newRepository } from '../support/resources.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

const SHOP = { project: 'acme', environment: 'production', name: 'shop' };
const BLOG = { project: 'acme', environment: 'production', name: 'blog' };

/** Application secrets, credentials and the hook directory, over any cluster. */
export function describeSecretsContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`secrets contract: ${name}`, () => {
    let under: ClusterUnderTest;
    beforeAll(async () => {
      under = await factory();
      must(await ensureCrds(under.cluster, realClock));
    });
    afterAll(() => under.close());

    const secrets = () => createSecretStore({ cluster: under.cluster, namespace: under.namespace, clock: realClock });
    const credentials = () => createCredentialStore({ cluster: under.cluster, namespace: under.namespace });
    const secretRef = (secretName: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: under.namespace,
      name: secretName,
    });

    test('keeps application secrets as the facts describe them', async () => {
      expect(must(await secrets().set(SHOP, 'db-password', 'hunter2 ü'))).toBe('created');
      expect(must(await secrets().set(SHOP, 'db-password', 'other'))).toBe('replaced');
      must(await secrets().set(SHOP, 'api-key', 'k'));
      must(await secrets().set(BLOG, 'db-password', 'blog'));
      const listed = must(await secrets().list(SHOP));
      expect(listed.map((s) => s.name)).toEqual(['api-key', 'db-password']);
      expect(listed.every((s) => !Number.isNaN(Date.parse(s.updatedAt)))).toBe(true);
      expect(must(await secrets().missing(SHOP, ['api-key', 'absent']))).toEqual(['absent']);
      const snapshot = must(await secrets().snapshot(SHOP, ['api-key', 'db-password', 'api-key']));
      expect([...snapshot]).toEqual([
        ['api-key', 'k'],
        ['db-password', 'other'],
      ]);
      const missing = await secrets().snapshot(SHOP, ['api-key', 'absent']);
      expect(missing).toMatchObject({
        ok: false,
        problem: { code: 'missing_secrets', message: expect.stringContaining('absent') },
      });
      const live = must(await under.cluster.get(secretRef(`env-${secretScope(SHOP)}-api-key`)))!;
      expect(live).toMatchObject({
        type: 'Opaque',
        data: { value: 'aw==' },
        metadata: {
          labels: { 'app.kubernetes.io/managed-by': 'hakopod', 'hakopod.io/secret-scope': secretScope(SHOP) },
          annotations: { 'hakopod.io/updated-at': expect.stringMatching(/Z$/) },
        },
      });
      expect(must(await secrets().delete(SHOP, 'api-key'))).toBe(true);
      expect(must(await secrets().delete(SHOP, 'api-key'))).toBe(false);
    });

    test('creates only what is new and replaces only what is there', async () => {
      const shop = { ...SHOP, name: 'once' };
      const code = (result: { ok: boolean; problem?: { code: string } }) => (result.ok ? 'ok' : result.problem?.code);
      expect(code(await secrets().replace(shop, 'token', 'a'))).toBe('not_found');
      const both = await Promise.all([secrets().create(shop, 'token', 'a'), secrets().create(shop, 'token', 'b')]);
      expect(both.map(code).sort()).toEqual(['ok', 'secret_exists']);
      expect(must(await secrets().replace(shop, 'token', 'c')).updatedAt).toMatch(/Z$/);
      expect(must(await secrets().snapshot(shop, ['token'])).get('token')).toBe('c');
      for (const write of [secrets().create, secrets().replace])
        for (const [secretName, value] of [
          ['Token', 'a'],
          ['token', ''],
          ['token', 'a\0'],
          ['token', 'x'.repeat(64 * 1024 + 1)],
        ] as const)
          expect(code(await write(shop, secretName, value))).toBe('invalid_secret');
    });

    test('refuses values and names outside the limits', async () => {
      const code = async (secretName: string, value: string) => {
        const result = await secrets().set(SHOP, secretName, value);
        return result.ok ? 'ok' : result.problem.code;
      };
      expect(await code('limit', '')).toBe('invalid_secret');
      expect(await code('limit', 'a\0b')).toBe('invalid_secret');
      expect(await code('limit', 'ü'.repeat(32 * 1024 + 1))).toBe('invalid_secret');
      expect(await code('limit', 'ü'.repeat(32 * 1024))).toBe('ok');
      expect(await code('Not-A-Name', 'x')).toBe('invalid_secret');
      expect(await code('../x', 'x')).toBe('invalid_secret');
    });

    test('an application has at most 100 secrets, and the last can still be replaced', async () => {
      const full = { project: 'acme', environment: 'production', name: 'full' };
      for (let i = 0; i < 100; i += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, j) =>
            secrets()
              .set(full, `s${i + j}`, 'x')
              .then(must),
          ),
        );
      const refused = await secrets().set(full, 's100', 'x');
      expect(refused.ok ? 'ok' : refused.problem.code).toBe('secret_limit');
      expect(must(await secrets().set(full, 's99', 'y'))).toBe('replaced');
    });

    test('adds the secrets of env files once, and prunes those no release refers to', async () => {
      const key = { project: 'acme', environment: 'production', name: 'imports' };
      const at = (minutes: number) =>
        createSecretStore({
          cluster: under.cluster,
          namespace: under.namespace,
          clock: { ...realClock, now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + minutes * 60_000) },
        });
      const names = async (): Promise<readonly string[]> => must(await at(0).list(key)).map(({ name: short }) => short);
      must(await at(0).set(key, 'own', 'x'));
      const entries = ['env-a', 'env-b', 'env-c', 'own'].map((ref) => ({ ref, value: `value of ${ref}` }));
      must(await at(0).addImported(key, entries));
      must(await at(0).addImported(key, []));
      expect(await names()).toEqual(['env-a', 'env-b', 'env-c', 'own']);
      const values = must(await at(0).snapshot(key, ['env-a', 'own']));
      expect([...values]).toEqual([
        ['env-a', 'value of env-a'],
        ['own', 'x'],
      ]);
      const live = must(await under.cluster.get(secretRef(`env-${secretScope(key)}-env-a`)))!;
      expect(live.metadata.labels).toMatchObject({ 'hakopod.io/imported': 'true' });

      // young ones stay, whatever refers to them
      expect(must(await at(59).pruneImported(key, new Set()))).toBe(0);
      // an acceptance counts as a write, so that the hour starts again
      must(await at(40).addImported(key, entries.slice(1, 2)));
      expect(must(await at(61).pruneImported(key, new Set(['env-a'])))).toBe(1);
      expect(await names()).toEqual(['env-a', 'env-b', 'own']);
      expect(must(await at(1000).pruneImported(key, new Set()))).toBe(2);
      expect(await names()).toEqual(['own']);
    });

    test('prunes nothing that an acceptance writes at the same time', async () => {
      const key = { project: 'acme', environment: 'production', name: 'races' };
      const later = { ...realClock, now: () => new Date(Date.now() + 7_200_000) };
      const entry = [{ ref: 'env-a', value: 'x' }];
      must(await secrets().addImported(key, entry));
      const accepting = createSecretStore({ cluster: under.cluster, namespace: under.namespace, clock: later });
      const list: typeof under.cluster.list = async (query, ...more) => {
        const listed = await under.cluster.list(query, ...more);
        must(await accepting.addImported(key, entry));
        return listed;
      };
      const cluster = { ...under.cluster, list };
      const pruning = createSecretStore({ cluster, namespace: under.namespace, clock: later });
      expect(must(await pruning.pruneImported(key, new Set()))).toBe(0);
      expect(must(await secrets().missing(key, ['env-a']))).toEqual([]);
    });

    test('refuses secrets of env files over the limit, and ones that are none', async () => {
      const key = { project: 'acme', environment: 'production', name: 'limits' };
      const entries = Array.from({ length: 101 }, (_, i) => ({ ref: `env-${i}`, value: 'x' }));
      const refused = await secrets().addImported(key, entries);
      expect(refused.ok ? 'ok' : refused.problem.code).toBe('secret_limit');
      expect(must(await secrets().list(key))).toEqual([]);
      const empty = await secrets().addImported(key, [{ ref: 'env-x', value: '' }]);
      expect(empty.ok ? 'ok' : empty.problem.code).toBe('invalid_secret');
    });

    test('never overwrites or removes a Secret that Hakopod did not make', async () => {
      must(
        await under.cluster.create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'foreign', namespace: under.namespace },
          stringData: { username: 'u', token: 't' },
        }),
      );
      expect(must(await credentials().forRepository('foreign', 'read'))).toEqual({ username: 'u', token: 't' });
      const saved = await credentials().saveCredentials('foreign', { username: 'x', token: 'y' });
      expect(saved.ok ? 'ok' : saved.problem.code).toBe('not_owned');
      const removed = await credentials().remove('foreign');
      expect(removed.ok ? 'ok' : removed.problem.code).toBe('not_owned');
    });

    test('keeps credentials', async () => {
      expect(must(await credentials().forRepository('shop-git', 'read'))).toBeUndefined();
      must(await credentials().saveCredentials('shop-git', { username: 'u', token: 't1' }));
      must(await credentials().saveCredentials('shop-git', { username: 'u', token: 't2' }));
      expect(must(await credentials().forRepository('shop-git', 'read'))).toEqual({ username: 'u', token: 't2' });
      must(await credentials().remove('shop-git'));
      must(await credentials().remove('shop-git'));
      expect(must(await credentials().forRepository('shop-git', 'read'))).toBeUndefined();
    });

    test('keeps a GitHub App instead, and lets a token be minted for each use', async () => {
      const minted: string[] = [];
      const appTokens: AppTokens = {
        mint: async (app, use, refused) => {
          const about = [app.appId, app.installationId, app.repositoryId, app.apiUrl, use, refused];
          minted.push(about.join(' ').trim());
          return ok(`minted for ${use}`);
        },
      };
      const { cluster, namespace } = under;
      const withApps = createCredentialStore({ cluster, namespace, appTokens });
      const app = { appId: '1', installationId: '2', repositoryId: '3', privateKey: appKey(2048) };
      must(await withApps.saveApp('app-git', { ...app, apiUrl: 'https://ghe.example.com/api/v3' }));
      const found = must(await withApps.forRepository('app-git', 'hooks'));
      const access = { username: 'x-access-token', installation: '2', renewable: true };
      expect(found).toEqual({ ...access, token: 'minted for hooks' });
      must(await withApps.forRepository('app-git', 'read', 'ghs_refused'));
      expect(minted).toEqual([
        '1 2 3 https://ghe.example.com/api/v3 hooks',
        '1 2 3 https://ghe.example.com/api/v3 read ghs_refused',
      ]);
      for (const privateKey of [appKey(1024), 'no key']) {
        const refused = await withApps.saveApp('app-git', { ...app, privateKey });
        expect(refused).toMatchObject({ ok: false, problem: { code: 'invalid_secret', at: 'app.private_key' } });
      }
      must(await withApps.saveCredentials('app-git', { username: 'u', token: 't' }));
      expect(must(await withApps.forRepository('app-git', 'read'))).toEqual({ username: 'u', token: 't' });
    });

    test('keeps an OAuth grant instead, and each refresh token that follows', async () => {
      const { cluster, namespace } = under;
      const sent: string[] = [];
      const tokens: OauthTokens = {
        refresh: async ({ refreshToken }) => {
          sent.push(refreshToken);
          return ok({ accessToken: `a${sent.length}`, refreshToken: `r${sent.length}`, lifetimeMs: 60_000 });
        },
      };
      let now = Date.now();
      const clock = { ...realClock, now: () => new Date(now) };
      const log = memoryLog();
      const stores = [1, 2].map(() => createCredentialStore({ cluster, namespace, oauth: { tokens, clock, log } }));
      const tokenOf = async (store = stores[0]!) => must(await store.forRepository('oauth-git', 'read'))?.token;
      must(await stores[0]!.saveOauth('oauth-git', { applicationId: 'app', refreshToken: 'r0' }));
      expect(await tokenOf()).toBe('a1');
      now += 60_000;
      expect(await Promise.all([...stores, ...stores].map(tokenOf))).toEqual(['a2', 'a2', 'a2', 'a2']);
      expect(sent).toEqual(['r0', 'r1']);
      must(await stores[1]!.saveCredentials('oauth-git', { username: 'u', token: 't' }));
      expect(await tokenOf()).toBe('t');
    });

    test('tells the secrets of a hook, and drops the old one only beside the one that is meant', async () => {
      const hook = credentials();
      expect(must(await hook.hookSecret('turned-hook'))).toBeUndefined();
      must(await hook.saveHookSecret('turned-hook', { current: 'new', previous: 'old' }));
      must(await hook.dropPreviousHookSecret('turned-hook', 'newer'));
      expect(must(await hook.hookSecret('turned-hook'))).toEqual({ current: 'new', previous: 'old' });
      must(await hook.dropPreviousHookSecret('turned-hook', 'new'));
      must(await hook.dropPreviousHookSecret('turned-hook', 'new'));
      expect(must(await hook.hookSecret('turned-hook'))).toEqual({ current: 'new' });
      expect(must(await hook.hasHookSecret('turned-hook'))).toBe(true);
    });

    test('finds hooks from its caches, through rotation and removal', async () => {
      const store = createStore({ cluster: under.cluster, namespace: under.namespace, log: memoryLog() });
      const hooks = createHookDirectory({ cluster: under.cluster, namespace: under.namespace, log: memoryLog() });
      expect(hooks.ready).toBe(false);
      await hooks.whenReady();
      expect(hooks.ready).toBe(true);
      const hookId = 'f'.repeat(32);
      expect(hooks.find(hookId)).toBeUndefined();
      const made = must(
        await store.repositories.create(newRepository('hooked', { hookId, webhookSecret: 'hooked-hook' })),
      );
      must(await credentials().saveHookSecret('hooked-hook', { current: 'one' }));
      await eventually(() => hooks.find(hookId) !== undefined);
      expect(hooks.find(hookId)).toEqual({
        repository: 'hooked',
        forge: 'github',
        auth: 'hmac',
        repositoryId: '1',
        secrets: ['one'],
      });
      must(await credentials().saveHookSecret('hooked-hook', { current: 'two', previous: 'one' }));
      await eventually(() => hooks.find(hookId)?.secrets.length === 2);
      expect(hooks.find(hookId)?.secrets).toEqual(['two', 'one']);
      // the same id a second time: nobody's
      const twin = must(
        await store.repositories.create(newRepository('twin', { hookId, webhookSecret: 'hooked-hook' })),
      );
      await eventually(() => hooks.find(hookId) === undefined);
      must(await store.repositories.delete('twin', twin.uid));
      await eventually(() => hooks.find(hookId)?.repository === 'hooked');
      must(await credentials().remove('hooked-hook'));
      await eventually(() => hooks.find(hookId) === undefined);
      must(await credentials().saveHookSecret('hooked-hook', { current: 'three' }));
      await eventually(() => hooks.find(hookId) !== undefined);
      must(await store.repositories.delete('hooked', made.uid));
      await eventually(() => hooks.find(hookId) === undefined);
      await hooks.stop();
    });
  });
}

function appKey(modulusLength: number): string {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
