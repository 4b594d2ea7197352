import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSecretStore } from '../../src/adapters/store/index.ts';
import { LIMITS } from '../../src/kernel/index.ts';
import { pruneHistory } from '../../src/pipeline/release/conclude.ts';
import type { Session } from '../../src/pipeline/release/session.ts';
import { APP, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const COUNT = LIMITS.releaseHistory + 2;

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const ref = (n: number): string => `env-${String(n).padStart(32, '0')}`;

/** Accepts releases that have ended; each reads a secret of its own and the one of everybody. */
async function releaseAll(): Promise<void> {
  for (let n = 1; n <= COUNT; n += 1) {
    const secrets = `{ A_TOKEN = { ref = "${ref(n)}" }, B_TOKEN = { ref = "${ref(0)}" } }`;
    const name = await world.accept(`name = "shop"\n[services.web]\nimage = "nginx:${n}"\nsecrets = ${secrets}\n`);
    await world.deps.store.releases.updateStatus(name, (current) => ({ ...current.status, state: 'failed' }));
  }
}

async function names(): Promise<readonly string[]> {
  const listed = await world.deps.secrets.list(KEY);
  return listed.ok ? listed.value.map(({ name }) => name) : [];
}

async function prune(): Promise<void> {
  const releases = await world.deps.store.releases.ofApplication(APP);
  if (!releases.ok) throw new Error(releases.problem.message);
  expect((await pruneHistory({ deps: world.deps, application: APP } as Session, releases.value)).ok).toBe(true);
}

it('keeps the secrets of env files as long as a release refers to them', async () => {
  const clock = { ...world.deps.clock, now: () => new Date(Date.now() - 7_200_000) };
  const before = createSecretStore({ cluster: world.cluster, namespace: 'hakopod-system', clock });
  await before.addImported(
    KEY,
    Array.from({ length: COUNT + 1 }, (_, n) => ({ ref: ref(n), value: 'x' })),
  );
  await before.set(KEY, 'own', 'x');
  await world.deps.secrets.addImported(KEY, [{ ref: ref(99), value: 'about to be accepted' }]);
  await releaseAll();
  await prune();
  const kept = Array.from({ length: LIMITS.releaseHistory }, (_, i) => ref(i + 3));
  expect(await names()).toEqual([ref(0), ...kept, ref(99), 'own'].sort());
});
