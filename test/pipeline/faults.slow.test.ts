import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CODES, type Manifest } from '../../src/kernel/index.ts';
import { type FaultProxy, type ProxiedRequest, type ProxyFault, startFaultProxy } from '../support/fault-proxy.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';

let world: ReleaseWorld;
let proxy: FaultProxy;
beforeEach(async () => {
  world = await startReleaseWorld({
    leaseMs: 15_000,
    through: async (kubeconfig) => {
      proxy = await startFaultProxy(kubeconfig);
      return proxy.kubeconfig;
    },
  });
});
afterEach(async () => {
  proxy.fault(undefined);
  await world.stop();
  await proxy.stop();
});

const SHOP = `name = "shop"
[services.prepare]
image = "registry.example.test/shop:1"
job = { timeout_seconds = 60 }
[services.migrate]
image = "registry.example.test/shop:1"
job = { timeout_seconds = 60 }
depends_on = ["prepare"]
[services.api]
image = "registry.example.test/shop:1"
port = 8080
depends_on = ["migrate"]
[services.web]
image = "registry.example.test/shop:1"
port = 8080
public = true
depends_on = ["api"]
[services.site]
image = "registry.example.test/shop:1"
port = 8080
`;

type Rule = (request: ProxiedRequest) => ProxyFault | undefined;

/** The first so many requests of each kind of one object or list. */
function first(times: number, fault: ProxyFault): Rule {
  const met = new Map<string, number>();
  return ({ method, path, isWatch }) => {
    const key = `${method} ${path.split('?')[0]}`;
    const count = met.get(key) ?? 0;
    if (isWatch || count >= times) return undefined;
    met.set(key, count + 1);
    return fault;
  };
}

/** The first writes of each object meet somebody who was faster. */
function storm(times: number): Rule {
  const met = new Map<string, number>();
  return ({ method, path }) => {
    const place = path.split('?')[0] ?? '';
    const isWrite = (method === 'PUT' || method === 'PATCH') && !place.includes('/leases/');
    const count = met.get(place) ?? 0;
    if (!isWrite || count >= times) return undefined;
    met.set(place, count + 1);
    return { status: 409, reason: 'Conflict' };
  };
}

/** Each watch is too old so many times, in turn as an event and as an answer. */
function expiring(times: number): Rule {
  const met = new Map<string, number>();
  return ({ path, isWatch }) => {
    const place = path.split('?')[0] ?? '';
    const count = met.get(place) ?? 0;
    if (!isWatch || count >= times) return undefined;
    met.set(place, count + 1);
    return count % 2 === 0 ? { expired: true } : { status: 410, reason: 'Expired' };
  };
}

const CASES: readonly (readonly [string, () => Rule])[] = [
  [
    'takes two seconds for each answer',
    () =>
      ({ isWatch }) =>
        isWatch ? undefined : { delayMs: 2000 },
  ],
  [
    'asks to come again in a second, the first time for everything',
    () => first(1, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 }),
  ],
  ['fails the first two times at everything', () => first(2, { status: 500 })],
  ['cuts the connection the first two times, before it does something', () => first(2, { cut: 'before' })],
  ['cuts the connection the first time, after it has done it', () => first(1, { cut: 'after' })],
  ['meets somebody faster on the first three writes of each object', () => storm(3)],
  ['has forgotten what each watch wants to go on from, four times', () => expiring(4)],
];

/** Runs it as the queue does, again while another try may mend it. Answers how often. */
async function toTheEnd(name: string): Promise<number> {
  for (let tries = 1; tries <= 300; tries += 1) {
    const ran = await world.run();
    if (!ran.ok) expect(Object.keys(CODES)).toContain(ran.problem.code);
    const release = world.embedded.objects().find((o) => o.kind === 'Release' && o.metadata.name === name);
    const state = (release as { readonly status?: { readonly state?: string } } | undefined)?.status?.state;
    if (ran.ok && state !== undefined && state !== 'running' && state !== 'queued') return tries;
    if (!ran.ok) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the release never ended');
}

const inNamespace = (kind: string): readonly Manifest[] =>
  world.embedded.objects().filter((o) => o.kind === kind && o.metadata.namespace === NAMESPACE);
const names = (kind: string): readonly string[] =>
  inNamespace(kind)
    .map(({ metadata }) => metadata.name)
    .sort();
const made = (resource: string): readonly string[] =>
  proxy.written.filter((line) => line.startsWith('POST') && line.includes(`/${NAMESPACE}/${resource} 201`));

describe('a release whose API server', () => {
  for (const [what, rule] of CASES) {
    it(`${what} comes to its end, and does nothing twice`, { timeout: 280_000 }, async () => {
      const name = await world.accept(SHOP);
      // Slow enough that every wait has a watch.
      world.embedded.setBehaviour({ web: { kind: 'delay', ms: 1500 }, migrate: { kind: 'delay', ms: 1500 } });
      proxy.fault(rule());
      world.embedded.closeWatches('cut');
      await toTheEnd(name);
      proxy.fault(undefined);
      expect(proxy.faults()).toBeGreaterThan(5);
      const { status } = await world.release(name);
      expect({ state: status.state, code: status.code }).toEqual({ state: 'succeeded', code: undefined });
      expect(names('Deployment')).toEqual(['api', 'site', 'web']);
      expect(names('Job')).toEqual(['migrate-job', 'prepare-job']);
      // Each was made once, whatever was asked again.
      expect(made('jobs')).toHaveLength(2);
      expect(made('deployments')).toHaveLength(3);
      expect(made('ingresses')).toHaveLength(1);
      expect(world.embedded.objects().filter((o) => o.kind === 'Release')).toHaveLength(1);
      const application = await world.deps.store.applications.get(APP);
      expect(application).toMatchObject({ value: { status: { phase: 'healthy', revision: 1 } } });
      const pods = inNamespace('Pod').filter(({ metadata }) => metadata.name.startsWith('migrate-job'));
      expect(pods).toHaveLength(1);
      expect(await world.said(name)).toBe('success: released revision 1');
    });
  }

  it('never answers in time fails with a code, once it can be told', { timeout: 120_000 }, async () => {
    const name = await world.accept(SHOP);
    const begun = await world.deps.store.releases.updateStatus(name, ({ status }) => ({
      ...status,
      state: 'running',
      startedAt: new Date().toISOString(),
      deadline: new Date(Date.now() + 3000).toISOString(),
    }));
    expect(begun.ok).toBe(true);
    // Everything in the application's namespace fails, and goes on failing.
    proxy.fault(({ path }) => (path.includes(NAMESPACE) ? { status: 503, reason: 'ServiceUnavailable' } : undefined));
    const stateOf = async (): Promise<string | undefined> => (await world.release(name)).status.state;
    while ((await stateOf()) === 'running') {
      const ran = await world.run();
      expect(ran).toMatchObject({ ok: false, problem: { code: 'cluster_unavailable' } });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // Whoever waits for the application and the commit hears it as soon as the server is back.
    proxy.fault(undefined);
    await toTheEnd(name);
    expect(await world.said(name)).toMatch(/^lost: /);
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'release_deadline', lost: true });
    expect(names('Deployment')).toEqual([]);
  });
});
