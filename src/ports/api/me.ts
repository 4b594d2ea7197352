import { z } from 'zod';
import type { Empty, Operation } from './common.ts';
import { Permission, ScopeFields } from './common.ts';
import { Key } from './keys.ts';

/** Who asks and what they may do, with what the command line needs to know beforehand (facts 7.9). */
export const Me = z.strictObject({
  identity: z.string(),
  kind: z.enum(['person', 'machine', 'local']),
  key: Key.optional().meta({ description: 'absent in local mode' }),
  permissions: z.array(Permission).meta({ description: 'what key and identity both have' }),
  ...ScopeFields,
  is_admin: z.boolean(),
  can_manage_git: z.boolean(),
  can_manage_applications: z.boolean(),
});
export type Me = z.infer<typeof Me>;

export interface MeOperations {
  show: Operation<Empty, Me>;
}
