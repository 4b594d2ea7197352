import type { Result } from '../kernel/index.ts';
import type { Clock, CredentialStore, Random, SecretStore, Store } from '../ports/index.ts';

/** What the commands work on: the cluster's state, opened for one command. */
export type Workbench = {
  readonly store: Store;
  readonly secrets: SecretStore;
  readonly credentials: CredentialStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Where forges reach the receiver, when configured. */
  readonly publicUrl: string | undefined;
  close(): Promise<void>;
};

/** One check of `doctor`. */
export type Finding = { readonly what: string; readonly ok: boolean; readonly detail: string };

/** What only the wiring can do for the command line. */
export type Runtime = {
  readonly version: string;
  /** Runs until a signal; answers the exit code. */
  serve(flags: Readonly<Record<string, unknown>>): Promise<number>;
  demo(flags: Readonly<Record<string, unknown>>): Promise<number>;
  open(flags: Readonly<Record<string, unknown>>): Promise<Result<Workbench>>;
  doctor(flags: Readonly<Record<string, unknown>>): Promise<readonly Finding[]>;
  /** `invalid_url` or `ssh_unsupported` for a clone URL that can not be used. */
  checkUrl(url: string, local: boolean): Result<unknown>;
};
