import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createLeases } from '../../src/adapters/kubernetes/index.ts';
import type { HeldLease } from '../../src/ports/index.ts';
import { type ClusterUnderTest, eventually, memoryLog, realClock } from '../support/kubernetes.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

/** Leases over a `Cluster`: exclusion, fences, expiry and loss. */
export function describeLeasesContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`leases contract: ${name}`, () => {
    let under: ClusterUnderTest;
    beforeAll(async () => {
      under = await factory();
    });
    afterAll(() => under.close());

    const leases = (holder: string, durationMs = 15_000) =>
      createLeases(under.cluster, {
        namespace: under.namespace,
        holder,
        clock: realClock,
        log: memoryLog(),
        durationMs,
      });
    const live = (leaseName: string) =>
      under.cluster
        .get({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: under.namespace, name: leaseName })
        .then((result) => must(result));

    test('20 contenders, 5 rounds: exactly one holder each, and the fence grows', async () => {
      const contenders = Array.from({ length: 20 }, (_, i) => leases(`contender-${i}`));
      let last = 0;
      for (let round = 0; round < 5; round += 1) {
        const results = await Promise.all(contenders.map((c) => c.acquire('contended')));
        const won = results.flatMap((r) => (r.ok ? [r.value] : []));
        const lost = results.flatMap((r) => (r.ok ? [] : [r.problem]));
        expect(won).toHaveLength(1);
        expect(new Set(lost.map((p) => `${p.code} ${p.kind}`))).toEqual(new Set(['lease_held waiting']));
        expect(lost.every((p) => (p.afterMs ?? 0) > 0)).toBe(true);
        expect(won[0]!.fence).toBeGreaterThan(last);
        last = won[0]!.fence;
        await won[0]!.release();
      }
    });

    test('release empties the holder and keeps the lease', async () => {
      const first = must(await leases('one').acquire('released'));
      await first.release();
      await first.release();
      const lease = await live('released');
      expect((lease!.spec as { holderIdentity?: string }).holderIdentity ?? '').toBe('');
      const second = must(await leases('two').acquire('released'));
      expect(second.fence).toBe(first.fence + 1);
      await second.release();
    });

    test('excludes two jobs of one process as well', async () => {
      const mine = leases('same');
      const held = must(await mine.acquire('shared'));
      const again = await mine.acquire('shared');
      expect(again.ok ? 'ok' : again.problem.code).toBe('lease_held');
      await held.release();
      const later = must(await mine.acquire('shared'));
      expect(later.fence).toBe(held.fence + 1);
      await later.release();
    });

    test('renews for as long as it is held', async () => {
      const held = must(await leases('renewing', 600).acquire('renewed'));
      const before = (await live('renewed'))?.metadata.resourceVersion;
      const other = leases('other', 600);
      const end = performance.now() + 2500;
      while (performance.now() < end) {
        const result = await other.acquire('renewed');
        expect(result.ok ? 'taken' : result.problem.code).toBe('lease_held');
        await realClock.sleep(100);
      }
      expect(held.signal.aborted).toBe(false);
      expect((await live('renewed'))?.metadata.resourceVersion).not.toBe(before);
      await held.release();
    });

    test('takes over from a holder that stopped renewing, only after watching it for its duration', async () => {
      // what a killed process leaves behind; its clock is an hour ahead, which must not matter
      const renewTime = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '000Z');
      must(
        await under.cluster.create({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'dead', namespace: under.namespace },
          spec: { holderIdentity: 'dead', leaseDurationSeconds: 1, renewTime, leaseTransitions: 7 },
        }),
      );
      const heir = leases('heir', 1000);
      const started = performance.now();
      let held: HeldLease | undefined;
      await eventually(async () => {
        const result = await heir.acquire('dead');
        if (result.ok) held = result.value;
        return result.ok;
      });
      expect(performance.now() - started).toBeGreaterThanOrEqual(1000);
      expect(held!.fence).toBe(8);
      await held!.release();
    });

    test('aborts when somebody else took the lease', async () => {
      const held = must(await leases('robbed', 900).acquire('robbed'));
      const lease = (await live('robbed'))!;
      must(await under.cluster.replace({ ...lease, spec: { ...(lease.spec as object), holderIdentity: 'thief' } }));
      await eventually(() => held.signal.aborted, 'the abort');
      await held.release();
      expect(((await live('robbed'))!.spec as { holderIdentity: string }).holderIdentity).toBe('thief');
    });
  });
}
