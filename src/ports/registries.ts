import type { Result } from '../kernel/index.ts';

/** Where registry credentials belong (facts 5.8). */
export type RegistryScope = { readonly project: string; readonly environment: string };

/** Registry credentials without what they open. */
export type RegistryEntry = RegistryScope & {
  readonly name: string;
  /** Canonical host, with a port when it is not the usual one. */
  readonly server: string;
  readonly username: string;
  readonly updatedAt: string;
};

export type RegistryCredentials = { readonly server: string; readonly username: string; readonly password: string };

/** Credentials under their name. */
export type NamedCredentials = RegistryCredentials & { readonly name: string };

/** Registry credentials of environments, in Secrets of the control namespace. A password goes in and comes out for a pull only. */
export interface RegistryStore {
  /** By name. */
  list(scope: RegistryScope): Promise<Result<readonly RegistryEntry[]>>;
  /** `already_exists` when the name is taken. */
  create(scope: RegistryScope, name: string, value: RegistryCredentials): Promise<Result<RegistryEntry>>;
  /** `not_found` when there is none of the name. */
  replace(scope: RegistryScope, name: string, value: RegistryCredentials): Promise<Result<RegistryEntry>>;
  /** False when there was none. */
  remove(scope: RegistryScope, name: string): Promise<Result<boolean>>;
  /** All of an environment with their passwords, by name: what a release tries, in this order. */
  credentials(scope: RegistryScope): Promise<Result<readonly NamedCredentials[]>>;
}
