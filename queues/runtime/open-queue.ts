import { type JobsOptions, Queue, type RedisQueueBackend } from 'bullmq';
import type { Log, QueueName } from '../../src/ports/index.ts';
import { QUEUES } from '../index.ts';
import { producerConnection } from './connection.ts';

/** One queue with what is needed to ask it something without ever waiting for a connection. */
export type OpenQueue = {
  readonly queue: Queue;
  readonly status: () => string;
  /** Moves those of these keys whose job waits for a retry to the front of the line. */
  readonly promote: (keys: readonly string[]) => Promise<void>;
};

/**
 * The ids of the jobs that hold these deduplication keys and wait for a later time. BullMQ drops a hint for such a job, so we
 * bring it forward instead: the hint is newer than the reason to pause.
 */
const DELAYED_OF_KEYS = `
local found = {}
for _, key in ipairs(ARGV) do
  local id = redis.call('GET', key)
  if id and redis.call('ZSCORE', KEYS[1], id) then found[#found + 1] = id end
end
return found`;

/** Opens one queue; it connects in the background, for ever. */
export function openQueue(name: QueueName, options: { url: string; prefix: string; log: Log }): OpenQueue {
  const queue = new Queue(name, {
    connection: producerConnection(options.url),
    prefix: options.prefix,
    // The client is usable (and fails fast) from the start, also when Redis is down when we are constructed.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  });
  let reachable = true;
  queue.on('error', (error) => {
    if (reachable) options.log.warn('a queue lost Redis', { queue: name, error: error.message });
    reachable = false;
  });
  const backend = queue.getBackend() as RedisQueueBackend;
  let client: Awaited<RedisQueueBackend['client']> | undefined;
  void backend.client.then((ready) => {
    client = ready;
    client.on('ready', () => {
      reachable = true;
    });
    client.defineCommand('hakopodDelayedOfKeys', { numberOfKeys: 1, lua: DELAYED_OF_KEYS });
  });
  return {
    queue,
    status: () => client?.status ?? 'connecting',
    promote: async (keys) => {
      const redisKeys = keys.map((key) => queue.toKey(`de:${key}`));
      const ids = await client?.runCommand('hakopodDelayedOfKeys', [queue.toKey('delayed'), ...redisKeys]);
      // It may have begun to run meanwhile; then the hint is stored for a run after it.
      await Promise.all((ids as readonly string[]).map((id) => backend.promote(id).catch(() => undefined)));
    },
  };
}

/** What BullMQ does with a job of this queue when it fails or ends. No stack traces: of a failure only its code is stored. */
export function jobOptions(queue: QueueName): JobsOptions {
  const { attempts, keepDead } = QUEUES[queue];
  return {
    attempts,
    backoff: { type: 'by-queue' },
    removeOnComplete: true,
    removeOnFail: { count: keepDead, age: 7 * 24 * 3600 },
    stackTraceLimit: 0,
  };
}
