import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { HexId, Name, PageQuery, Permission, Permissions, pageOf, ScopeFields, Timestamp } from './common.ts';

/** Names of identities and custom roles. */
export const IdentityName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/)
  .meta({ description: 'lower case letters, digits, dots and hyphens' });

/** A key without its secret (facts 7.9, 9.1). */
export const Key = z.strictObject({
  id: HexId,
  identity_id: z.string(),
  name: z.string(),
  kind: z.enum(['machine', 'cli']),
  prefix: z.string().meta({ description: '`hp_` and 8 characters' }),
  permissions: z.array(Permission),
  ...ScopeFields,
  created_at: Timestamp,
  expires_at: Timestamp,
  revoked_at: Timestamp.optional(),
  last_used_at: Timestamp.optional(),
});
export type Key = z.infer<typeof Key>;
export const KeyPage = pageOf(Key);
export const KeyQuery = z.strictObject({ identity: IdentityName.optional(), ...PageQuery });
export const KeyParams = z.strictObject({ id: HexId });

const KeyLabel = z.string().trim().min(1).max(100);
const ExpiresAt = Timestamp.meta({ description: 'from 1 minute to 90 days ahead' });
export const CreateKey = z.strictObject({
  identity: IdentityName.optional().meta({ description: 'whose key it is; the caller when absent' }),
  name: KeyLabel,
  kind: z.enum(['machine', 'cli']).optional(),
  permissions: Permissions,
  project: Name.optional(),
  environment: Name.optional(),
  application: Name.optional(),
  expires_at: ExpiresAt,
});
export type CreateKey = z.infer<typeof CreateKey>;
export const RotateKey = z.strictObject({ expires_at: ExpiresAt });
/** What `login` sends: the caller's key becomes a CLI key of this scope. What is not named is not in it. */
export const ExchangeKey = z.strictObject({
  name: KeyLabel.optional(),
  project: Name.optional(),
  environment: Name.optional(),
  permissions: Permissions.optional().meta({
    description: 'what the caller has, without kubernetes:patch and pods:exec, when absent',
  }),
  expires_at: ExpiresAt.optional(),
});
export type ExchangeKey = z.infer<typeof ExchangeKey>;

const Raw = z
  .string()
  .regex(/^hp_[0-9a-f]{32}_[0-9a-f]{64}$/)
  .meta({ description: 'the key itself, shown once' });
export const CreatedKey = z.strictObject({ key: Raw, metadata: Key });
export type CreatedKey = z.infer<typeof CreatedKey>;
export const RotatedKey = CreatedKey.extend({ previous_key_expires_within_seconds: z.int() });
export type RotatedKey = z.infer<typeof RotatedKey>;
export const RevokedKey = z.strictObject({ status: z.literal('revoked') });

/** Keys. All but `exchange` are for administrators, and `revoke` for the key itself too. Revoking twice is fine. */
export interface KeyOperations {
  list: Operation<PageInput & { readonly identity?: string | undefined }, Page<Key>>;
  create: Operation<CreateKey, CreatedKey>;
  show: Operation<{ readonly id: string }, Key>;
  rotate: Operation<{ readonly id: string } & z.infer<typeof RotateKey>, RotatedKey>;
  revoke: Operation<{ readonly id: string }, z.infer<typeof RevokedKey>>;
  exchange: Operation<ExchangeKey, CreatedKey>;
}
