import { z } from 'zod';
import type { Operation, Page } from './common.ts';
import { Name, pageOf, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

/** Names and times; a value is never answered (facts 7.6). */
export const Secret = z.strictObject({
  name: Name,
  updated_at: Timestamp,
  used_by: z.array(z.string()).optional().meta({ description: 'services whose accepted or running revision reads it' }),
});
export type Secret = z.infer<typeof Secret>;
export const SecretPage = pageOf(Secret);
export const SecretQuery = z.strictObject({ project: Name, environment: Name, application: Name });
export const SecretParams = z.strictObject({ name: Name });

const Content = {
  value: z.string().min(1).max(65_536).optional().meta({ description: 'the value; exactly one of value and generate' }),
  generate: z.literal(true).optional().meta({ description: 'let the server make 32 random bytes' }),
  format: z.enum(['base64url', 'hex']).optional().meta({ description: 'of a generated value' }),
};
export const SecretContent = z.strictObject(Content);
export const CreateSecret = z.strictObject({ name: Name, ...Content });

export type SecretScope = z.infer<typeof SecretQuery>;
type Named = { readonly name: string } & z.infer<typeof SecretContent>;

/** Secrets of one application. `create` refuses a name that exists with `secret_exists`; `replace` needs one that does. */
export interface SecretOperations {
  list: Operation<SecretScope, Page<Secret>>;
  create: Operation<SecretScope & Named, Secret>;
  replace: Operation<SecretScope & Named, Secret>;
  remove: Operation<SecretScope & { readonly name: string }, Deleted>;
}
