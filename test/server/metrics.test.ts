import { describe, expect, it } from 'vitest';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import type { QueueInspector } from '../../src/ports/index.ts';
import { createMetrics } from '../../src/server/index.ts';

describe('metrics', () => {
  it('count deliveries, releases, stages and grants by few labels', async () => {
    const metrics = createMetrics({ process: false });
    metrics.delivery('github', 'accepted');
    metrics.delivery('github', 'accepted');
    metrics.delivery('unknown', 'unauthorized');
    metrics.release('released');
    metrics.stage('plan', 'done', 0.3);
    metrics.grants({ valid: 5, expiring: 2, expired: 1 });
    metrics.grants({ valid: 5, expiring: 1, expired: 2 });
    const { type, text } = await metrics.page();
    expect(type).toContain('text/plain');
    expect(text).toContain('hakopod_deliveries_total{forge="github",result="accepted"} 2');
    expect(text).toContain('hakopod_deliveries_total{forge="unknown",result="unauthorized"} 1');
    expect(text).toContain('hakopod_releases_total{outcome="released"} 1');
    expect(text).toContain('hakopod_deploy_grants{state="expiring"} 1');
    expect(text).toContain('hakopod_deploy_grants{state="expired"} 2');
    expect(text).toContain('hakopod_stage_duration_seconds_bucket{le="0.5",stage="plan",outcome="done"} 1');
  });

  it('show depth and age of the queues, and leave them out when they can not be asked', async () => {
    const metrics = createMetrics({ process: false });
    let up = true;
    const queues: QueueInspector = {
      counts: async () =>
        up
          ? ok([{ queue: 'sync', waiting: 3, active: 1, delayed: 2, failed: 4, oldestWaitingMs: 1_500 }])
          : fail(problem('queue_unavailable')),
      dead: async () => ok([]),
    };
    metrics.watchQueues(queues);
    const { text } = await metrics.page();
    expect(text).toContain('hakopod_queue_jobs{queue="sync",state="waiting"} 3');
    expect(text).toContain('hakopod_queue_jobs{queue="sync",state="failed"} 4');
    expect(text).toContain('hakopod_queue_oldest_waiting_seconds{queue="sync"} 1.5');
    up = false;
    expect((await metrics.page()).text).not.toContain('hakopod_queue_jobs{');
  });

  it('keep two instances apart', async () => {
    const [a, b] = [createMetrics(), createMetrics()];
    a.release('released');
    expect((await b.page()).text).not.toContain('hakopod_releases_total{');
    expect((await b.page()).text).toContain('process_cpu_user_seconds_total');
  });
});
