import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { PageQuery, pageOf, Timestamp } from './common.ts';
import { RepositoryName } from './repositories.ts';

/** Our own id of a delivery on record; the forge's is beside it, where it sent one. */
export const DeliveryId = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: '16 hex digits' });

/** One webhook delivery and what became of it. No payload is kept: a delivery only says where to look. */
export const Delivery = z.strictObject({
  id: DeliveryId,
  delivery_id: z.string().optional().meta({ description: 'the id the forge gave it' }),
  verdict: z.enum(['accepted', 'duplicate', 'ignored', 'refused']),
  reason: z
    .enum(['event', 'malformed', 'repository', 'signature'])
    .optional()
    .meta({ description: 'why it was ignored or refused' }),
  ref: z.string().optional(),
  pull_request: z.int().optional().meta({ description: 'number of the pull or merge request it tells of' }),
  comment: z.string().optional().meta({ description: 'id of the comment it tells of' }),
  commit_sha: z.string().optional(),
  redeliverable: z.boolean().meta({ description: 'whether it says where to look again' }),
  at: Timestamp,
});
export type Delivery = z.infer<typeof Delivery>;
export const DeliveryPage = pageOf(Delivery);

export const DeliveryQuery = z.strictObject(PageQuery);
export const DeliveryParams = z.strictObject({ name: RepositoryName, id: DeliveryId });

/** The newest deliveries of a repository's webhook. Redelivering looks again where an accepted one pointed; nothing in it is believed. */
export interface DeliveryOperations {
  list: Operation<PageInput & { readonly name: string }, Page<Delivery>>;
  redeliver: Operation<{ readonly name: string; readonly id: string }, Delivery>;
}
