import { createJobQueue, startWorkers } from '../../../queues/runtime/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { describeJobQueue } from '../../contracts/job-queue.contract.ts';
import { noMetrics, silentLog, testRedis } from '../../support/redis.ts';

describeJobQueue(
  'BullMQ on a real Redis',
  async () => {
    const redis = await testRedis();
    let opened = 0;
    return {
      open: async () => {
        opened += 1;
        const shared = { url: redis.url, prefix: `t${opened}`, log: silentLog() };
        const queue = createJobQueue(shared);
        await queue.waitUntilReady(5_000);
        return {
          queue,
          work: (handlers) => startWorkers({ ...shared, handlers, metrics: noMetrics(), clock: createSystemClock() }),
          close: () => queue.close(),
        };
      },
      close: () => redis.stop(),
    };
  },
  { races: 300 },
);
