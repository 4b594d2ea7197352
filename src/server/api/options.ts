import type { Principal } from '../../access/index.ts';
import type { Result } from '../../kernel/index.ts';
import type { Operations, ReleaseFollower } from '../../ports/api/index.ts';
import type { Clock, Log, Random } from '../../ports/index.ts';
import { type BucketLimits, DEFAULT_LIMITS as RATE_LIMITS } from '../token-buckets.ts';
import { STREAM_LIMITS, type StreamLimits } from './stream.ts';

/** Limits of the API (facts 7.1). */
export type ApiLimits = {
  readonly bodyBytes: number;
  readonly inFlight: number;
  /** Requests of one address. */
  readonly rate: BucketLimits;
  readonly stream: StreamLimits;
};
export const API_LIMITS: ApiLimits = {
  bodyBytes: 512 * 1024,
  inFlight: 64,
  rate: RATE_LIMITS,
  stream: STREAM_LIMITS,
};

export type ApiOptions = {
  readonly operations: Operations;
  /** Who this `Authorization` header is from now, or `unauthorized`. Asked with every request, and every 3 s of a stream. */
  readonly authenticate: (header: string | undefined) => Promise<Result<Principal>>;
  readonly follower: ReleaseFollower;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly limits: ApiLimits;
  /** Proxies of ours in front, so that the right address is counted. */
  readonly trustedProxies: number;
  /** Tests check every answer against its schema. */
  readonly checkAnswers?: boolean;
};
