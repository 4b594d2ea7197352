import type { QueueName } from '../src/ports/index.ts';
import type { Handler } from './definition.ts';

/** The pipeline's functions, one per queue; handed in by main.ts, so that a queue without a handler does not compile. */
export type Handlers = { readonly [Q in QueueName]: Handler<Q> };
