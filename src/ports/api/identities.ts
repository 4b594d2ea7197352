import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { Name, PageQuery, Permission, pageOf, Revision, ScopeFields, Timestamp } from './common.ts';
import { IdentityName } from './keys.ts';
import type { Deleted } from './projects.ts';

const Bindings = z
  .array(z.strictObject({ project: Name, role: IdentityName }))
  .max(100)
  .meta({ description: 'roles by project' });
const HeldPermissions = z
  .array(Permission)
  .max(20)
  .meta({ description: 'held directly, within the scope of the identity' });

/** Who can hold keys. */
export const Identity = z.strictObject({
  name: IdentityName,
  kind: z.enum(['person', 'machine', 'local']),
  permissions: HeldPermissions,
  ...ScopeFields,
  bindings: Bindings,
  disabled: z.boolean(),
  revision: Revision,
  created_at: Timestamp,
});
export type Identity = z.infer<typeof Identity>;
export const IdentityPage = pageOf(Identity);
export const IdentityQuery = z.strictObject(PageQuery);
export const IdentityParams = z.strictObject({ name: IdentityName });

const Content = {
  permissions: HeldPermissions.optional(),
  ...ScopeFields,
  bindings: Bindings.optional(),
  disabled: z.boolean().optional(),
};
export const CreateIdentity = z.strictObject({
  name: IdentityName,
  kind: z.enum(['person', 'machine']),
  ...Content,
});
export type CreateIdentity = z.infer<typeof CreateIdentity>;
/** Replaces all of it; what is absent is empty. */
export const PutIdentity = z.strictObject({ ...Content, expected_revision: Revision });
export type PutIdentity = z.infer<typeof PutIdentity>;

/** Identities. All are for administrators; deleting one revokes its keys. */
export interface IdentityOperations {
  list: Operation<PageInput, Page<Identity>>;
  create: Operation<CreateIdentity, Identity>;
  show: Operation<{ readonly name: string }, Identity>;
  replace: Operation<{ readonly name: string } & PutIdentity, Identity>;
  remove: Operation<{ readonly name: string; readonly confirm_name: string }, Deleted>;
}
