import { expect, it } from 'vitest';
import { followReleases } from '../../../src/pipeline/operations/index.ts';
import { apiWorld } from '../../support/api-world.ts';
import { until } from '../../support/redis.ts';
import { ADMIN, NO_LIMIT, startApi } from './harness.ts';

const ID = 'acme.production.shop.3';

it('costs one watch of a release however many follow it, and none when they are gone', async () => {
  const { memory, operations } = await apiWorld();
  const { store } = memory.deps;
  let [open, begun] = [0, 0];
  const releases = {
    ...store.releases,
    watch: (...args: Parameters<typeof store.releases.watch>) => {
      open += 1;
      begun += 1;
      const stop = store.releases.watch(...args);
      return () => {
        open -= 1;
        stop();
      };
    },
  };
  const world = await startApi({
    operations,
    follower: followReleases({ store: { ...store, releases } }),
    limits: { ...NO_LIMIT, inFlight: 1000, stream: { ...NO_LIMIT.stream, streams: 500 } },
  });
  try {
    const headers = { authorization: `Bearer ${world.login(ADMIN)}` };
    const path = `${world.origin}/api/v1/deployments/${ID}/events`;
    const answers = await Promise.all(Array.from({ length: 500 }, () => fetch(path, { headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await until(() => open === 1, 'the watch');
    await memory.releases.updateStatus(ID, ({ status }) => ({
      ...status,
      state: 'succeeded',
      finishedAt: memory.now.toISOString(),
    }));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('"type":"succeeded"');
    expect([begun, open]).toEqual([1, 0]);
  } finally {
    await world.stop();
  }
});
