import type { QueueName } from '../src/ports/index.ts';
import { build } from './build.ts';
import type { QueueDefinition } from './definition.ts';
import { plan } from './plan.ts';
import { poll } from './poll.ts';
import { preview } from './preview.ts';
import { reconcile } from './reconcile.ts';
import { report } from './report.ts';
import { sync } from './sync.ts';

/** Every queue by name; a member of `Job` without a queue does not compile. */
export const QUEUES: { readonly [Q in QueueName]: QueueDefinition<Q> } = {
  poll,
  sync,
  plan,
  preview,
  build,
  reconcile,
  report,
};

/** In the order a commit meets them. */
export const QUEUE_NAMES: readonly QueueName[] = ['poll', 'sync', 'plan', 'preview', 'build', 'reconcile', 'report'];
