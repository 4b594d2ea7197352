import type { Result } from '../kernel/index.ts';

/** Reads TXT records of the public DNS, for the challenges of custom domains. Not the cluster's name service, which tenants may bend. */
export interface TxtResolver {
  /** Each record as one text; empty when the name or the record does not exist. `dns_unavailable` when that can not be told. */
  txt(name: string): Promise<Result<readonly string[]>>;
}
