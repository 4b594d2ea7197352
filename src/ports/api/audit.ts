import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { HexId, Name, PageQuery, pageOf, ScopeFields, Timestamp } from './common.ts';
import { IdentityName } from './keys.ts';

/** One change: who, with what, from where, of what (facts 9.4). Digests, never contents. */
export const AuditRecord = z.strictObject({
  id: z.string(),
  time: Timestamp,
  identity: z.string(),
  key: z.string().optional(),
  origin: z.enum(['api', 'cli', 'git', 'local']),
  source: z.string().optional(),
  commit: z.string().optional(),
  action: z.string().meta({ description: 'such as deployment.accept or key.revoke' }),
  resource: z.strictObject({ kind: z.string(), ...ScopeFields, name: z.string().optional() }),
  before: z.string().optional().meta({ description: 'digest of what was there' }),
  after: z.string().optional(),
  request_id: z.string().optional(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;
export const AuditPage = pageOf(AuditRecord);

const Filters = {
  identity: IdentityName.optional(),
  key: HexId.optional(),
  action: z
    .string()
    .regex(/^[a-z][a-z.-]{0,63}$/)
    .optional(),
  project: Name.optional(),
  environment: Name.optional(),
  application: Name.optional(),
  since: Timestamp.optional(),
  until: Timestamp.optional(),
};
export const AuditQuery = z.strictObject({ ...Filters, ...PageQuery });
export const AuditExportQuery = z.strictObject({
  ...Filters,
  format: z.enum(['csv', 'jsonl']),
  cursor: PageQuery.cursor,
});
export type AuditFilters = { readonly [K in keyof typeof Filters]?: string | undefined };
/** At most 1,000 rows; `next_cursor` goes into the header X-Hakopod-Next-Cursor (facts 7.8). */
export type AuditExport = {
  readonly type: 'text/csv' | 'application/jsonl';
  readonly text: string;
  readonly next_cursor?: string | undefined;
};

/** The audit trail, newest first, for administrators. */
export interface AuditOperations {
  list: Operation<AuditFilters & PageInput, Page<AuditRecord>>;
  exportRows: Operation<
    AuditFilters & { readonly format: 'csv' | 'jsonl'; readonly cursor?: string | undefined },
    AuditExport
  >;
}
