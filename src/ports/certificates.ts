import type { ApplicationKey, Result } from '../kernel/index.ts';

/** An uploaded certificate without its key. */
export type CertificateEntry = {
  /** `hp-tls-<service[:23]>-<32 hex>` (facts 3.1): what `tls.certificate` of the file names. */
  readonly name: string;
  readonly service: string;
  /** Host names it is for, lower case; `*.` in front stands for one label. */
  readonly hosts: readonly string[];
  readonly notBefore: string;
  readonly notAfter: string;
  readonly uploadedAt: string;
};

/** A certificate with its chain, and the private key, as PEM. */
export type CertificatePair = { readonly certificate: string; readonly key: string };

/** Uploaded certificates of applications, in Secrets of the control namespace. A private key goes in and comes out for a release only. */
export interface CertificateStore {
  /** By name. */
  list(application: ApplicationKey): Promise<Result<readonly CertificateEntry[]>>;
  /** Keeps one that was checked; the same one again is the one there is. `limit_reached` past 64 of one service (facts 3.1). */
  add(
    application: ApplicationKey,
    entry: Omit<CertificateEntry, 'uploadedAt'>,
    pair: CertificatePair,
  ): Promise<Result<CertificateEntry>>;
  /** False when there was none. */
  remove(application: ApplicationKey, name: string): Promise<Result<boolean>>;
  /** `undefined` when there is none of the name, or it is another application's. */
  read(application: ApplicationKey, name: string): Promise<Result<CertificatePair | undefined>>;
}
