import type { Result } from '../kernel/index.ts';
import type { Transport } from './client/transport.ts';

/** What the environment says to a client of the API. */
export type ClientEnvironment = {
  readonly apiUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly loginFile: string;
};

/** One check of `doctor`. */
export type Finding = { readonly what: string; readonly ok: boolean; readonly detail: string };

/** What only the wiring can do for the command line. */
export type Runtime = {
  readonly version: string;
  now(): Date;
  /** Runs until a signal; answers the exit code. */
  serve(flags: Readonly<Record<string, unknown>>): Promise<number>;
  demo(flags: Readonly<Record<string, unknown>>): Promise<number>;
  /** The API in this process, over the cluster of the kubeconfig, as an administrator. */
  openApi(flags: Readonly<Record<string, unknown>>): Promise<Result<Transport>>;
  clientEnvironment(): ClientEnvironment;
  /** Lets a person edit a text in the editor of their choice; `undefined` when they changed nothing. */
  edit?(text: string): Promise<Result<string | undefined>>;
  doctor(flags: Readonly<Record<string, unknown>>): Promise<readonly Finding[]>;
  /** `invalid_url` or `ssh_unsupported` for a clone URL that can not be used. */
  checkUrl(url: string, local: boolean): Result<unknown>;
};
