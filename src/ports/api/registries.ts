import { z } from 'zod';
import type { Operation, Page } from './common.ts';
import { Name, pageOf, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

const Server = z
  .string()
  .max(255)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?$/)
  .meta({ description: 'registry host, with a port when it is not the usual one' });
const Username = z.string().min(1).max(256);
const Password = z.string().min(1).max(16_384).meta({ description: 'never answered', writeOnly: true });

/** Credentials for pulling images in one environment (facts 5.8, 7.6). */
export const Registry = z.strictObject({
  name: Name,
  project: Name,
  environment: Name,
  server: z.string(),
  username: z.string(),
  updated_at: Timestamp,
});
export type Registry = z.infer<typeof Registry>;
export const RegistryPage = pageOf(Registry);
export const RegistryQuery = z.strictObject({ project: Name, environment: Name });
export const RegistryParams = z.strictObject({ name: Name });
export const CreateRegistry = z.strictObject({ name: Name, server: Server, username: Username, password: Password });
export const ReplaceRegistry = z.strictObject({ server: Server, username: Username, password: Password });

export type RegistryScope = z.infer<typeof RegistryQuery>;

/** Registry credentials of one environment. */
export interface RegistryOperations {
  list: Operation<RegistryScope, Page<Registry>>;
  create: Operation<RegistryScope & z.infer<typeof CreateRegistry>, Registry>;
  replace: Operation<RegistryScope & { readonly name: string } & z.infer<typeof ReplaceRegistry>, Registry>;
  remove: Operation<RegistryScope & { readonly name: string }, Deleted>;
}
