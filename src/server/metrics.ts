import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics, QueueInspector } from '../ports/index.ts';

/** What counts, and how to show it. */
export type MetricsRegistry = Metrics & {
  /** The page for Prometheus. Queues that can not be asked are left out. */
  page(): Promise<{ readonly type: string; readonly text: string }>;
  /** Whose depth and age each page shows. Set once the queues are open. */
  watchQueues(queues: QueueInspector): void;
};

/**
 * Deliveries by forge and result, releases by outcome, durations of stages, depth and age of queues, and the process's own numbers.
 * Labels are ours and few: never a repository, a ref or an address.
 */
export function createMetrics(
  options: { readonly registry?: Registry; readonly process?: boolean } = {},
): MetricsRegistry {
  const registry = options.registry ?? new Registry();
  const registers = [registry];
  const deliveries = new Counter({
    name: 'hakopod_deliveries_total',
    help: 'Webhook deliveries by forge and result.',
    labelNames: ['forge', 'result'],
    registers,
  });
  const releases = new Counter({
    name: 'hakopod_releases_total',
    help: 'Releases that ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const stages = new Histogram({
    name: 'hakopod_stage_duration_seconds',
    help: 'Duration of stages and jobs by outcome.',
    labelNames: ['stage', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  const grants = new Gauge({
    name: 'hakopod_deploy_grants',
    help: 'Deploy grants by state; expiring ones end within the days that are set, expired ones deploy nothing.',
    labelNames: ['state'],
    registers,
  });
  const depth = new Gauge({
    name: 'hakopod_queue_jobs',
    help: 'Jobs in a queue by state; failed ones are dead and wait for people.',
    labelNames: ['queue', 'state'],
    registers,
  });
  const age = new Gauge({
    name: 'hakopod_queue_oldest_waiting_seconds',
    help: 'How long the oldest job of a queue has waited.',
    labelNames: ['queue'],
    registers,
  });
  if (options.process !== false) collectDefaultMetrics({ register: registry });
  // A label lookup per delivery is dear on the receiver's path, so its children are kept; their number is that of the results.
  const children = new Map<string, Counter.Internal>();
  let queues: QueueInspector | undefined;

  async function readQueues(): Promise<void> {
    depth.reset();
    age.reset();
    const counts = await queues?.counts();
    if (counts === undefined || !counts.ok) return;
    for (const { queue, oldestWaitingMs, waiting, active, delayed, failed } of counts.value) {
      for (const [state, value] of Object.entries({ waiting, active, delayed, failed }))
        depth.set({ queue, state }, value);
      age.set({ queue }, oldestWaitingMs / 1_000);
    }
  }

  return {
    delivery(forge, result) {
      const key = `${forge} ${result}`;
      let child = children.get(key);
      if (child === undefined) {
        child = deliveries.labels(forge, result);
        children.set(key, child);
      }
      child.inc();
    },
    stage: (stage, outcome, seconds) => stages.labels(stage, outcome).observe(seconds),
    release: (outcome) => releases.labels(outcome).inc(),
    grants(counts) {
      for (const [state, value] of Object.entries(counts)) grants.set({ state }, value);
    },
    async page() {
      await readQueues();
      return { type: registry.contentType, text: await registry.metrics() };
    },
    watchQueues(inspector) {
      queues = inspector;
    },
  };
}
