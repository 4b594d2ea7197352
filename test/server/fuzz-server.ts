/**
 * The receiver in a process of its own, so that its heap is its own: real HTTP server, dialects, Redis intake and queue. Asked over IPC how
 * it is; started by receiver-fuzz.slow.test.ts with the URL of a Redis, and `--expose-gc`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createJobQueue } from '../../queues/runtime/index.ts';
import { createGithubDialect } from '../../src/adapters/github/index.ts';
import { createGitlabDialect } from '../../src/adapters/gitlab/index.ts';
import { createLog } from '../../src/adapters/log/index.ts';
import { connectRedis, createDeliveryIntake } from '../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../src/adapters/system/index.ts';
import { createHttpServer, createReceiver } from '../../src/server/index.ts';
import { noMetrics } from '../support/redis.ts';
import { ENTRIES } from './fuzz-deliveries.ts';

/** What the process says of itself. Bytes are after a full collection. */
export type Health = {
  readonly heapUsed: number;
  readonly external: number;
  /** Longest and 99th percentile delay of the event loop since the last question, in milliseconds. */
  readonly maxDelayMs: number;
  readonly p99DelayMs: number;
  /** The first lines of the log at level error. */
  readonly errors: readonly string[];
  /** What anything has put on every object. */
  readonly polluted: readonly string[];
  readonly connections: number;
};

const errors: string[] = [];
const log = createLog('error', (line) => {
  if (errors.length < 5) errors.push(line);
});
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (reason: unknown) => errors.push(`${event}: ${String(reason)}`));

const url = process.argv[2] ?? '';
const clock = createSystemClock();
const redis = connectRedis(url);
const queue = createJobQueue({ url, prefix: 'hakopod', log });
await Promise.all([redis.waitUntilReady(10_000), queue.waitUntilReady(10_000)]);
const receiver = createReceiver({
  directory: { ready: true, find: (id) => ENTRIES.get(id) },
  dialects: { github: createGithubDialect(), gitlab: createGitlabDialect() },
  intake: createDeliveryIntake({ redis, queue, clock, log }),
  metrics: noMetrics(),
  clock,
  log,
  // Strangers come from many addresses: the buckets of failures must stay bounded too.
  trustedProxies: 1,
});
const server = createHttpServer({
  listen: { host: '127.0.0.1', port: 0 },
  receiver,
  readiness: [],
  log,
  // As in production but for the time a slow sender gets.
  limits: { headersMs: 1_000, requestMs: 1_500 },
});
const started = await server.start();
if (!started.ok) throw new Error(started.problem.message);
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

async function health(): Promise<Health> {
  const [maxDelayMs, p99DelayMs] = [delay.max / 1e6, delay.percentile(99) / 1e6];
  for (let round = 0; round < 8; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  delay.reset();
  const { heapUsed, external } = process.memoryUsage();
  const polluted = Object.keys(Object.prototype);
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  return { heapUsed, external, maxDelayMs, p99DelayMs, errors, polluted, connections };
}

process.on('message', (message) => {
  if (message === 'health') void health().then((said) => process.send?.(said));
});
process.send?.({ port: started.value.port });
