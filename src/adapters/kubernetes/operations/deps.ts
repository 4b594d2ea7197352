import type { Clock, Log } from '../../../ports/index.ts';
import type { ClusterApi } from '../api.ts';
import type { PodStreams } from './streams.ts';

/** What the operations are made of. */
export type OperationDeps = {
  readonly api: ClusterApi;
  readonly streams: PodStreams;
  readonly clock: Clock;
  readonly log: Log;
};
