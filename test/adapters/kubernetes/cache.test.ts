import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectCache, WatchEvent } from '../../../src/ports/index.ts';
import { json, status } from '../../support/fake-api.ts';
import { expired, type FakeWatch, fakeWatch } from '../../support/fake-watch.ts';
import { clientOf, eventually } from '../../support/kubernetes.ts';

const QUERY = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns' };
const TUNING = { backoffMs: 5, backoffMaxMs: 40, idleMs: 60_000, timeoutSeconds: 300 };

describe('a cache survives', () => {
  let fake: FakeWatch;
  let client: ReturnType<typeof clientOf>;
  let cache: ObjectCache;
  let events: string[];

  beforeEach(async () => {
    fake = await fakeWatch();
    fake.put('a', '1');
  });
  afterEach(async () => {
    await cache.stop();
    expect(client.log.lines.filter((line) => line.level === 'error')).toEqual([]);
    await client.close();
    await fake.api.kill();
  });

  async function start(tuning: object = {}): Promise<void> {
    client = clientOf(fake.api.url, { ...TUNING, ...tuning });
    cache = client.cluster.cache(QUERY);
    events = [];
    cache.onChange((event: WatchEvent) => events.push(`${event.type} ${event.object.metadata.name}`));
    await cache.whenSynced();
    await eventually(() => fake.watches() === 1, 'the watch');
  }
  const names = (): string[] =>
    cache
      .items()
      .map((item) => item.metadata.name)
      .sort();

  it('a watch that ends as agreed, going on where it was without a new list', async () => {
    await start();
    fake.put('b');
    await eventually(() => names().length === 2);
    fake.endWatches();
    await eventually(() => fake.watches() === 1, 'a new watch');
    fake.put('c');
    await eventually(() => names().join() === 'a,b,c');
    expect(fake.lists()).toBe(1);
    const from = fake.api.requests
      .filter((r) => r.url.includes('watch=true'))
      .map((r) => /resourceVersion=(\d+)/.exec(r.url)?.[1]);
    expect(from).toEqual(['101', '102']);
  });

  it('an API server that restarts, telling what changed meanwhile', async () => {
    await start();
    fake.silently(() => {
      fake.remove('a');
      fake.put('b');
    });
    await fake.restart();
    await eventually(() => names().join() === 'b');
    expect(events).toEqual(['added a', 'added b', 'deleted a']);
    await eventually(() => fake.watches() === 1);
    fake.put('c');
    await eventually(() => names().join() === 'b,c');
  });

  it('an API server that dies in the middle of an event', async () => {
    await start();
    fake.half();
    await fake.restart();
    fake.put('b');
    await eventually(() => names().join() === 'a,b');
  });

  it('an API server that is away for a while, without a busy loop', async () => {
    await start();
    let refused = 0;
    fake.mood = (_, response) => {
      refused += 1;
      response.destroy();
      return true;
    };
    await fake.restart();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(refused).toBeGreaterThan(2);
    expect(refused).toBeLessThan(60); // each round asks at most twice and pauses at least 20 ms once the backoff is reached
    fake.mood = () => false;
    fake.put('b');
    await eventually(() => names().join() === 'a,b');
    const said = (): string => client.log.lines.map((line) => line.message).join();
    await eventually(() => said() === 'watch interrupted, trying again,watch recovered');
  });

  it('HTTP 410, with a new list', async () => {
    await start();
    let once = true;
    fake.mood = (url, response) => {
      if (!once || url.searchParams.get('watch') !== 'true') return false;
      once = false;
      return expired(response);
    };
    fake.silently(() => {
      fake.remove('a');
      fake.put('b');
    });
    fake.endWatches();
    await eventually(() => names().join() === 'b');
    expect(fake.lists()).toBe(2);
  });

  it('an ERROR event with 410, with a new list', async () => {
    await start();
    fake.silently(() => fake.put('b'));
    fake.event('ERROR', status(410, 'Expired', 'too old resource version'));
    await eventually(() => names().join() === 'a,b');
    expect(fake.lists()).toBe(2);
    expect(client.log.lines).toEqual([]); // ordinary life, nothing to warn of
  });

  it('410 for ever, without a busy loop', async () => {
    await start();
    fake.mood = (url, response) => url.searchParams.get('watch') === 'true' && expired(response);
    fake.endWatches();
    const before = fake.lists();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(fake.lists() - before).toBeGreaterThan(2);
    expect(fake.lists() - before).toBeLessThan(40);
  });

  it('a connection that is silently dead', async () => {
    await start({ idleMs: 150 });
    fake.silently(() => fake.put('b')); // the event never arrives
    await eventually(() => names().join() === 'a,b');
  });

  it('a bookmark keeps a quiet watch alive and moves its position', async () => {
    await start();
    fake.event('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '555' } });
    fake.endWatches();
    await eventually(() => fake.api.requests.some((r) => r.url.includes('resourceVersion=555')));
    expect(names()).toEqual(['a']);
  });

  it('errors, garbage and unknown events', async () => {
    await start();
    fake.event('ERROR', status(500, 'InternalError', 'x'));
    await eventually(() => fake.lists() === 2);
    await eventually(() => fake.watches() === 1);
    fake.event('SURPRISE', { metadata: { name: 'x', resourceVersion: '1' } });
    await eventually(() => fake.lists() === 3);
    await eventually(() => fake.watches() === 1);
    fake.put('b');
    await eventually(() => names().join() === 'a,b');
  });

  it('a list that expires in the middle, once', async () => {
    let page = 0;
    fake.mood = (url, response) => {
      if (url.searchParams.get('watch') === 'true') return false;
      page += 1;
      if (page === 2) return expired(response);
      if (page === 1) json(response, 200, { metadata: { resourceVersion: '7', continue: 'next' }, items: [] });
      return page === 1;
    };
    await start();
    expect(names()).toEqual(['a']);
    expect(page).toBe(3);
  });

  it('stop, at once and for good, with no connection left', async () => {
    await start();
    const waiting = client.cluster.cache({ ...QUERY, namespace: 'other' });
    await cache.stop();
    await waiting.stop();
    await eventually(() => fake.watches() === 0);
    const before = fake.api.requests.length;
    fake.put('b');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fake.api.requests.length).toBe(before);
    await expect(client.cluster.cache(QUERY).whenSynced(AbortSignal.abort())).rejects.toThrow();
  });

  it('stores no managed fields', async () => {
    await start();
    expect(cache.get('a')).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'ns', uid: 'uid-a', resourceVersion: '101' },
      data: { v: '1' },
    });
  });
});
