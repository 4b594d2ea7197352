/** A worker process that begins its job, says so, and never ends it. Settings come over the IPC channel. */
import { startWorkers } from '../../../queues/runtime/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { handling } from '../../contracts/handling.ts';
import { noMetrics, silentLog } from '../../support/redis.ts';

process.on(
  'message',
  (settings: { url: string; prefix: string; timing: { lockMs: number; stalledCheckMs: number } }) => {
    startWorkers({
      ...settings,
      handlers: handling(() => {
        process.send?.('began');
        return new Promise(() => {});
      }),
      log: silentLog(),
      metrics: noMetrics(),
      clock: createSystemClock(),
    });
  },
);
process.send?.('up');
