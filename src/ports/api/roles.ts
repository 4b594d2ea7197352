import { z } from 'zod';
import type { Empty, Operation } from './common.ts';
import { Permission, Permissions, Revision } from './common.ts';
import { IdentityName } from './keys.ts';
import type { Deleted } from './projects.ts';

/** A named set of permissions, bound to an identity in a project. */
export const Role = z.strictObject({
  name: IdentityName,
  permissions: z.array(Permission),
  builtin: z.boolean(),
  revision: Revision.meta({ description: '0 for a built-in one' }),
});
export type Role = z.infer<typeof Role>;
export const RolePage = z.strictObject({ items: z.array(Role) });
export type RolePage = z.infer<typeof RolePage>;
export const RoleParams = z.strictObject({ name: IdentityName });
/** `admin` can not be in a custom role. */
export const CreateRole = z.strictObject({ name: IdentityName, permissions: Permissions });
export const PutRole = z.strictObject({ permissions: Permissions, expected_revision: Revision });

/** Roles. Reading is for everybody with a key, the rest for administrators; built-in ones can not change. */
export interface RoleOperations {
  list: Operation<Empty, RolePage>;
  create: Operation<z.infer<typeof CreateRole>, Role>;
  replace: Operation<{ readonly name: string } & z.infer<typeof PutRole>, Role>;
  remove: Operation<{ readonly name: string; readonly confirm_name: string }, Deleted>;
}
