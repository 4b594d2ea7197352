import type { Clock, ForgeBudget } from '../../ports/index.ts';
import type { RedisHandle } from './connect.ts';
import { budgetKey, pauseKey } from './keys.ts';

/** The budgets of forge installations: a bucket of points and a pause each, both gone by themselves once they say nothing. */
export function createForgeBudget(redis: RedisHandle, clock: Clock): ForgeBudget {
  const { prefix } = redis;
  return {
    async take(installation, points, limits) {
      const { capacity = 0, perSecond = 1 } = limits ?? {};
      const numbers = [clock.now().getTime(), points, capacity, perSecond / 1000].map(String);
      const waited = await redis.attempt((c) =>
        c.hakopodTake(2, pauseKey(prefix, installation), budgetKey(prefix, installation), ...numbers),
      );
      return waited.ok ? waited.value : 0;
    },

    async pause(installation, ms) {
      const until = clock.now().getTime() + ms;
      await redis.attempt((c) => c.hakopodPause(1, pauseKey(prefix, installation), String(until), String(ms)));
    },
  };
}
