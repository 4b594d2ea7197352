import { describe, expect, it } from 'vitest';
import { createTokenBuckets, DEFAULT_LIMITS } from '../../src/server/token-buckets.ts';
import { testClock } from './harness.ts';

describe('token buckets', () => {
  it('have the limits of facts 7.1 by default', () => {
    expect(DEFAULT_LIMITS).toEqual({ capacity: 60, refillPerSecond: 3, maxBuckets: 1_024 });
  });

  it('start full, run empty, refill at their rate and never beyond their size', () => {
    const clock = testClock();
    const buckets = createTokenBuckets({ capacity: 3, refillPerSecond: 2, maxBuckets: 10 }, clock);
    const take = (n: number): boolean[] => Array.from({ length: n }, () => buckets.take('a'));
    expect(take(4)).toEqual([true, true, true, false]);
    clock.advance(1_000);
    expect(take(3)).toEqual([true, true, false]);
    clock.advance(3_600_000);
    expect(take(4)).toEqual([true, true, true, false]);
    expect(buckets.take('b')).toBe(true);
  });

  it('are bounded: when full, those idle for a minute go, else strangers get nothing', () => {
    const clock = testClock();
    const buckets = createTokenBuckets({ capacity: 1, refillPerSecond: 0, maxBuckets: 2 }, clock);
    expect([buckets.take('a'), buckets.take('b'), buckets.take('c')]).toEqual([true, true, false]);
    clock.advance(59_000);
    buckets.take('b');
    clock.advance(1_000);
    expect(buckets.take('c')).toBe(true);
    // `a` went, being idle; `b` was in use and is still empty.
    expect(buckets.take('b')).toBe(false);
  });
});
