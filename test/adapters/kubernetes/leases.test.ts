import { describe, expect, it } from 'vitest';
import { createLeases } from '../../../src/adapters/kubernetes/index.ts';
import { fail, type Manifest, ok, problem, type Result } from '../../../src/kernel/index.ts';
import type { Cluster } from '../../../src/ports/index.ts';
import { memoryLog } from '../../support/kubernetes.ts';

/** Time that moves only when told to; sleepers wake in order. */
function fakeTime() {
  let now = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    clock: {
      now: () => new Date(now),
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted === true) return resolve();
          const sleeper = { at: now + ms, wake: () => resolve() };
          sleepers.add(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers.delete(sleeper);
            resolve();
          });
        }),
    },
    advance: async (ms: number) => {
      const end = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = [...sleepers].filter((s) => s.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = Math.max(now, next.at);
        sleepers.delete(next);
        next.wake();
      }
      now = end;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** One lease in memory, with moods. */
function fakeLease() {
  let live: Manifest | undefined;
  let version = 0;
  const writes: Manifest[] = [];
  const state = { mood: undefined as undefined | 'down' | 'hangs' | 'answer lost' };
  const write = async (manifest: Manifest): Promise<Result<Manifest>> => {
    if (state.mood === 'hangs') return new Promise(() => undefined);
    if (state.mood === 'down') return fail(problem('cluster_unavailable'));
    const expected = manifest.metadata.resourceVersion;
    if (expected !== live?.metadata.resourceVersion) return fail(problem('conflict'));
    version += 1;
    live = { ...manifest, metadata: { ...manifest.metadata, resourceVersion: String(version) } };
    writes.push(live);
    return state.mood === 'answer lost' ? fail(problem('cluster_unavailable')) : ok(live);
  };
  const cluster = {
    get: async () => (state.mood === 'down' ? fail(problem('cluster_unavailable')) : ok(live)),
    create: write,
    replace: write,
  } as unknown as Cluster;
  return { cluster, writes, state, live: () => live?.spec as { holderIdentity: string; leaseTransitions: number } };
}

function setUp() {
  const time = fakeTime();
  const lease = fakeLease();
  const of = (holder: string) =>
    createLeases(lease.cluster, { namespace: 'ns', holder, clock: time.clock, log: memoryLog(), monotonic: time.now });
  return { time, lease, of };
}

async function acquired(leases: ReturnType<typeof createLeases>) {
  const result = await leases.acquire('app');
  if (!result.ok) throw new Error(result.problem.code);
  return result.value;
}

describe('a lease', () => {
  it('is renewed every five seconds, and lives while renewals work', async () => {
    const { time, lease, of } = setUp();
    const held = await acquired(of('a'));
    await time.advance(60_000);
    expect(lease.writes.length).toBe(1 + 12);
    expect(held.signal.aborted).toBe(false);
    await held.release();
    await time.advance(60_000);
    expect(lease.writes.length).toBe(1 + 12 + 1);
    expect(lease.live()).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
  });

  for (const mood of ['down', 'hangs'] as const)
    it(`aborts before anybody else may take it when the API server ${mood === 'down' ? 'is down' : mood}`, async () => {
      const { time, lease, of } = setUp();
      const other = of('b');
      const held = await acquired(of('a'));
      await time.advance(6000); // one renewal at 5 s
      expect((await other.acquire('app')).ok).toBe(false);
      lease.state.mood = mood;
      await time.advance(10_900);
      expect(held.signal.aborted).toBe(false);
      await time.advance(200); // 17.1 s: past 80 % of the duration after the renewal at 5 s
      expect(held.signal.aborted).toBe(true);
      lease.state.mood = undefined;
      await time.advance(3000); // 20.1 s: the other has watched for 14.1 s only
      expect((await other.acquire('app')).ok).toBe(false);
      await time.advance(1000);
      expect((await acquired(other)).fence).toBe(2);
    });

  it('survives a short outage', async () => {
    const { time, lease, of } = setUp();
    const held = await acquired(of('a'));
    lease.state.mood = 'down';
    await time.advance(9000);
    lease.state.mood = undefined;
    await time.advance(60_000);
    expect(held.signal.aborted).toBe(false);
    await held.release();
  });

  it('recognises its own renewal whose answer was lost', async () => {
    const { time, lease, of } = setUp();
    const held = await acquired(of('a'));
    lease.state.mood = 'answer lost';
    await time.advance(5000);
    lease.state.mood = undefined;
    await time.advance(60_000);
    expect(held.signal.aborted).toBe(false);
    await held.release();
    expect(lease.live().holderIdentity).toBe('');
  });

  it('of a holder that starts again under the same name is taken at once, with a new fence', async () => {
    const { lease, of } = setUp();
    lease.state.mood = 'answer lost';
    const leases = of('a');
    expect((await leases.acquire('app')).ok).toBe(false);
    lease.state.mood = undefined;
    expect((await acquired(leases)).fence).toBe(2);
  });

  it('tells how long to wait, and never longer than three seconds', async () => {
    const { time, of } = setUp();
    await acquired(of('a'));
    const other = of('b');
    expect(await other.acquire('app')).toMatchObject({
      problem: { code: 'lease_held', kind: 'waiting', afterMs: 3000 },
    });
    await time.advance(1);
    expect(await other.acquire('app')).toMatchObject({ problem: { afterMs: 3000 } });
  });

  it('that is lost is not released: it belongs to somebody else', async () => {
    const { time, lease, of } = setUp();
    const held = await acquired(of('a'));
    lease.state.mood = 'down';
    await time.advance(20_000);
    lease.state.mood = undefined;
    expect(held.signal.aborted).toBe(true);
    const before = lease.writes.length;
    await held.release();
    expect(lease.writes.length).toBe(before);
  });
});
