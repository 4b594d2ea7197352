import type { Clock } from '../ports/index.ts';

export type BucketLimits = {
  /** Tokens of a full bucket. */
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Buckets at a time. When there are that many, those idle for a minute go; if none is, strangers get no token. */
  readonly maxBuckets: number;
};

/** Facts 7.1: 60 at once, 3 a second, 1,024 addresses. */
export const DEFAULT_LIMITS: BucketLimits = { capacity: 60, refillPerSecond: 3, maxBuckets: 1_024 };

const IDLE_MS = 60_000;

/** Token buckets by key, bounded in number. */
export type TokenBuckets = { take(key: string): boolean };

/** Makes buckets that start full. `take` is true while the key has a token, and uses it up. */
export function createTokenBuckets(limits: BucketLimits, clock: Clock): TokenBuckets {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(key) {
      const now = clock.now().getTime();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        if (buckets.size >= limits.maxBuckets) dropIdle(buckets, now);
        if (buckets.size >= limits.maxBuckets) return false;
        bucket = { tokens: limits.capacity, at: now };
      } else {
        // Back to the end: the map is in the order of use.
        buckets.delete(key);
      }
      const refilled = bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * limits.refillPerSecond;
      bucket.tokens = Math.min(limits.capacity, refilled);
      bucket.at = now;
      buckets.set(key, bucket);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}

function dropIdle(buckets: Map<string, { readonly at: number }>, now: number): void {
  for (const [key, { at }] of buckets) {
    if (now - at < IDLE_MS) return;
    buckets.delete(key);
  }
}
