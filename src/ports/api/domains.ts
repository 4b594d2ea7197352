import { z } from 'zod';
import { HexId, type Operation, type Page, pageOf, Timestamp } from './common.ts';

const Host = z
  .string()
  .max(244)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);

/** A custom domain of an application, and what proves that it is theirs (facts 7.5). */
export const Domain = z.strictObject({
  host: Host,
  service: z.string().optional().meta({ description: 'that the newest accepted revision leads it to' }),
  status: z.enum(['pending', 'active']).meta({ description: 'a pending domain leads nowhere' }),
  challenge: z.strictObject({
    type: z.literal('TXT'),
    name: z.string(),
    value: z.string().meta({ description: 'public; it proves only who can write the record' }),
  }),
  verified_at: Timestamp.optional(),
  checked_at: Timestamp.optional(),
  code: z.string().optional().meta({ description: 'why the last check did not find the record' }),
});
export type Domain = z.infer<typeof Domain>;
export const DomainPage = pageOf(Domain);
export const DomainsParams = z.strictObject({ id: HexId });
export const DomainParams = z.strictObject({ id: HexId, host: Host });

/** Custom domains of one application. `verify` looks now, and fails with `domain_not_verified` where the record is not there. */
export interface DomainOperations {
  list: Operation<z.infer<typeof DomainsParams>, Page<Domain>>;
  verify: Operation<z.infer<typeof DomainParams>, Domain>;
}
