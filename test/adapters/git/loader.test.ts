import { describe, expect, it } from 'vitest';
import { SharedFlights, withDeadline } from '../../../src/adapters/git/flight.ts';
import { BATCH, type FetchBatch, Loader } from '../../../src/adapters/git/loader.ts';
import { ok } from '../../../src/kernel/index.ts';
import { code } from './support.ts';

const want = (...oids: string[]) => ({ kind: 'tree', oids, limit: 10 }) as const;
const answerAll: FetchBatch = async ({ oids }) =>
  new Map(oids.map((oid) => [oid, ok({ type: 'tree', data: Buffer.from(oid) } as const)]));

describe('Loader', () => {
  it('fetches an object once for all who want it at the same time, and all together', async () => {
    const batches: (readonly string[])[] = [];
    const loader = new Loader((wanted, signal) => {
      batches.push(wanted.oids);
      return answerAll(wanted, signal);
    });
    const never = new AbortController().signal;
    const loads = await Promise.all([loader.load(want('a', 'b'), never), loader.load(want('b', 'c', 'c'), never)]);
    expect(loads.map((loaded) => [...loaded.keys()])).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('never has more than four requests under way, nor more than a batch in one', async () => {
    let active = 0;
    let most = 0;
    const sizes: number[] = [];
    const loader = new Loader(async (wanted, signal) => {
      active += 1;
      most = Math.max(most, active);
      sizes.push(wanted.oids.length);
      await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
      return answerAll(wanted, signal);
    });
    const oids = Array.from({ length: 6 * BATCH + 1 }, (_, i) => String(i));
    const loaded = await loader.load(want(...oids), new AbortController().signal);
    expect(loaded.size).toBe(oids.length);
    expect(most).toBe(4);
    expect(Math.max(...sizes)).toBe(BATCH);
  });

  it('aborts a request only when the last waiter has left', async () => {
    let inner: AbortSignal | undefined;
    const loader = new Loader((_wanted, signal) => {
      inner = signal;
      return new Promise(() => {});
    });
    const [one, two] = [new AbortController(), new AbortController()];
    const loads = [loader.load(want('a'), one.signal), loader.load(want('a', 'b'), two.signal)];
    await new Promise((resolve) => setImmediate(resolve));
    one.abort();
    expect(code((await loads[0]!).get('a')!)).toBe('git_unavailable');
    expect(inner?.aborted).toBe(false);
    two.abort();
    expect(code((await loads[1]!).get('b')!)).toBe('git_unavailable');
    expect(inner?.aborted).toBe(true);
  });
});

describe('SharedFlights and withDeadline', () => {
  it('run once for all, and again for who comes after', async () => {
    const flights = new SharedFlights<number>();
    let runs = 0;
    const work = async () => ok(++runs);
    const never = new AbortController().signal;
    const both = await Promise.all([flights.run('k', never, work), flights.run('k', never, work)]);
    expect(both).toEqual([ok(1), ok(1)]);
    expect(await flights.run('k', never, work)).toEqual(ok(2));
  });

  it('answer in time when the work does not', async () => {
    expect(code(await withDeadline(20, [], () => new Promise(() => {})))).toBe('git_unavailable');
    let ran = false;
    const gone = withDeadline(1000, [AbortSignal.abort()], async () => {
      ran = true;
      return ok(1);
    });
    expect(code(await gone)).toBe('git_unavailable');
    expect(ran).toBe(false);
  });
});
