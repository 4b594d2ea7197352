import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createClusterRunStore, ensureCrds } from '../../src/adapters/store/index.ts';
import { OPERATION_LIMITS } from '../../src/ports/cluster-operations/index.ts';
import { type ClusterRun, type ClusterRunCollection, GROUP_VERSION } from '../../src/ports/index.ts';
import { type ClusterUnderTest, memoryLog, realClock } from '../support/kubernetes.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

/** What the record of runs promises over any cluster. */
export function describeClusterRunsContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`cluster runs contract: ${name}`, () => {
    let under: ClusterUnderTest;
    let runs: ClusterRunCollection;
    beforeAll(async () => {
      under = await factory();
      must(await ensureCrds(under.cluster, realClock));
      runs = createClusterRunStore({ cluster: under.cluster, namespace: under.namespace, log: memoryLog() });
    });
    afterAll(() => under.close());

    const newRun = (id: string, requestedAt: string): { readonly name: string; readonly spec: ClusterRun['spec'] } => ({
      name: `run-${id}`,
      spec: {
        ...{ id, kind: 'deploy', request: 'f'.repeat(32), namespace: 'shop', name: 'shop', identity: 'ada' },
        deadline: '2026-11-29T12:10:00.000Z',
        requestedAt,
      },
    });

    test('a run is there once, immutable but for its status, and listed newest first', async () => {
      const first = must(await runs.create(newRun('first', '2026-11-29T12:00:00.000Z')));
      const again = await runs.create(newRun('first', '2026-11-29T12:00:00.000Z'));
      expect(again.ok ? 'made' : again.problem.code).toBe('already_exists');
      must(await runs.create(newRun('second', '2026-11-29T12:00:01.000Z')));
      expect(must(await runs.all()).map(({ spec }) => spec.id)).toEqual(['second', 'first']);
      const raw = { apiVersion: GROUP_VERSION, kind: 'ClusterRun', namespace: under.namespace, name: 'run-first' };
      const changed = await under.cluster.mergePatch(raw, { spec: { request: '0'.repeat(32) } });
      expect(changed.ok ? 'changed' : changed.problem.code).toBe('invalid_object');
      must(await runs.delete('run-first', first.uid));
      expect(must(await runs.get('run-first'))).toBe(undefined);
    });

    test('the longest result fits, and is read as it was written', async () => {
      must(await runs.create(newRun('long', '2026-11-29T12:00:02.000Z')));
      const steps = Array.from({ length: OPERATION_LIMITS.steps }, (_, i) => ({
        service: `${'s'.repeat(58)}${i}`,
        step: 'precondition',
        outcome: 'failed',
        code: 'service_ip_unavailable',
        detail: 'd'.repeat(OPERATION_LIMITS.detailBytes),
      }));
      const services = Array.from({ length: OPERATION_LIMITS.services }, (_, i) => ({
        ...{ service: `${'s'.repeat(58)}${i}`, kind: 'Deployment' as const, namespace: 'n'.repeat(63) },
        ...{ name: 'n'.repeat(63), uid: 'u'.repeat(36), generation: 1, imageDigest: `sha256:${'a'.repeat(64)}` },
      }));
      const status = { state: 'ended' as const, outcome: 'failed' as const, code: 'step_failed', steps, services };
      const written = must(await runs.updateStatus('run-long', () => status));
      expect(written.status).toEqual(status);
      expect(must(await runs.get('run-long'))?.status).toEqual(status);
    });

    test('of two writers at once each sees what the other wrote', async () => {
      must(await runs.create(newRun('raced', '2026-11-29T12:00:03.000Z')));
      const end = (code: string) =>
        runs.updateStatus('run-raced', ({ status }) =>
          status.state === 'ended' ? undefined : { ...status, state: 'ended', code },
        );
      const ended = await Promise.all(['a', 'b', 'c'].map(end));
      expect(new Set(ended.map((one) => must(one).status.code)).size).toBe(1);
    });
  });
}
