import { type JobsOptions, Queue, type RedisQueueBackend } from 'bullmq';
import type { Log, QueueName } from '../../src/ports/index.ts';
import { QUEUES } from '../index.ts';
import { producerConnection } from './connection.ts';

/** One queue with what is needed to ask it something without ever waiting for a connection. */
export type OpenQueue = {
  readonly queue: Queue;
  readonly status: () => string;
  /** Drops the connection at once, also one that never stood; BullMQ's own way waits for a Redis that may be away. */
  readonly close: () => void;
  /**
   * Looks at the jobs that hold these keys, brings forward those that wait for a later time, and answers per key whether a job is still to be
   * added. It is not when one waits to be run: it will read what is true then.
   */
  readonly missing: (keys: readonly string[]) => Promise<readonly boolean[]>;
};

/**
 * Per deduplication key: 1 when no job waits (add one), 0 when one does, the job's id when it waits for a later time (bring it forward). BullMQ itself would drop a hint
 * for a delayed job, and would take many times the work to find that a job waits. The holder of a key waits when it
 * exists, is neither active nor delayed, and has not finished. Anything in doubt is 1: BullMQ then decides.
 */
const HOLDERS = `
local answer = {}
for i, key in ipairs(ARGV) do
  answer[i] = 1
  local id = redis.call('GET', KEYS[3] .. 'de:' .. key)
  if id then
    if redis.call('ZSCORE', KEYS[2], id) then
      answer[i] = id
    elseif redis.call('EXISTS', KEYS[3] .. id) == 1 and redis.call('HEXISTS', KEYS[3] .. id, 'finishedOn') == 0
      and not redis.call('LPOS', KEYS[1], id) then
      answer[i] = 0
    end
  end
end
return answer`;

/** A job brought forward is not missing; one that was not delayed any more is. */
const IS_MISSING = [(): boolean => false, (): boolean => true] as const;

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
    client.defineCommand('hakopodHolders', { numberOfKeys: 3, lua: HOLDERS });
  });
  return {
    queue,
    status: () => client?.status ?? 'connecting',
    close: () => client?.disconnect(),
    missing: async (keys) => {
      const names = [queue.toKey('active'), queue.toKey('delayed'), queue.toKey('')];
      const holders = (await client?.runCommand('hakopodHolders', [...names, ...keys])) as readonly (number | string)[];
      const missing = holders.map((holder) => holder === 1);
      for (const [i, holder] of holders.entries()) {
        // When it began to run meanwhile, an add makes another run after it.
        if (typeof holder === 'string') missing[i] = await backend.promote(holder).then(...IS_MISSING);
      }
      return missing;
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
