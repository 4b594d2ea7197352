import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, status } from '../../support/fake-api.ts';
import { type FakeWatch, fakeWatch } from '../../support/fake-watch.ts';
import { clientOf, eventually } from '../../support/kubernetes.ts';

const QUERY = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns' };
const soon = (ms: number): Date => new Date(Date.now() + ms);

describe('waitFor', () => {
  let fake: FakeWatch;
  let client: ReturnType<typeof clientOf>;
  beforeEach(async () => {
    fake = await fakeWatch();
    client = clientOf(fake.api.url, { backoffMs: 5, backoffMaxMs: 50 });
  });
  afterEach(async () => {
    await eventually(() => fake.watches() === 0, 'closing the watches');
    await client.close();
    await eventually(() => fake.api.open() === 0, 'closing the sockets');
    await fake.api.kill();
  });

  it('judges at once what is there, before any watch answers', async () => {
    fake.put('a');
    const result = await client.cluster.waitFor({
      queries: [QUERY, QUERY],
      judge: (objects) => (objects.length === 2 ? 'both' : undefined),
      deadline: soon(5000),
    });
    expect(result).toEqual({ ok: true, value: 'both' });
  });

  it('reads again after two seconds what a watch did not tell', async () => {
    const wait = client.cluster.waitFor({
      queries: [QUERY],
      judge: (objects) => (objects.length === 1 ? 'seen' : undefined),
      deadline: soon(10_000),
    });
    await eventually(() => fake.watches() === 1);
    const started = performance.now();
    fake.silently(() => fake.put('a'));
    expect(await wait).toEqual({ ok: true, value: 'seen' });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('never asks anything when the deadline has passed or the signal aborted', async () => {
    const judge = () => 'never';
    expect(await client.cluster.waitFor({ queries: [QUERY], judge, deadline: soon(-1) })).toEqual({
      ok: true,
      value: undefined,
    });
    const signal = AbortSignal.abort();
    const aborted = await client.cluster.waitFor({ queries: [QUERY], judge, deadline: soon(5000), signal });
    expect(aborted).toEqual({ ok: true, value: undefined });
    expect(fake.api.requests).toEqual([]);
  });

  it('goes on through an outage', async () => {
    const wait = client.cluster.waitFor({
      queries: [QUERY],
      judge: (objects) => (objects.length === 1 ? 'seen' : undefined),
      deadline: soon(10_000),
    });
    await eventually(() => fake.watches() === 1);
    await fake.restart();
    fake.put('a');
    expect(await wait).toEqual({ ok: true, value: 'seen' });
  });

  it('answers what a person must mend, and an outage only when the time is over', async () => {
    fake.mood = (_, response) => {
      json(
        response,
        403,
        status(403, 'Forbidden', 'configmaps is forbidden: User "x" cannot list resource "configmaps" in API group ""'),
      );
      return true;
    };
    const request = { queries: [QUERY], judge: () => undefined };
    const forbidden = await client.cluster.waitFor({ ...request, deadline: soon(10_000) });
    expect(forbidden.ok ? 'ok' : forbidden.problem.code).toBe('forbidden');
    fake.mood = (_, response) => {
      json(response, 503, {});
      return true;
    };
    const away = await client.cluster.waitFor({ ...request, deadline: soon(2500) });
    expect(away.ok ? 'ok' : away.problem.code).toBe('cluster_unavailable');
  });

  it('lets a throwing judge through as the bug it is', async () => {
    const judge = (): never => {
      throw new Error('a bug');
    };
    await expect(client.cluster.waitFor({ queries: [QUERY], judge, deadline: soon(5000) })).rejects.toThrow('a bug');
  });
});
