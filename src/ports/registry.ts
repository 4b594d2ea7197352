import type { Result } from '../kernel/index.ts';
import type { NamedCredentials } from './registries.ts';

/** An image by digest, and what opened it. */
export type ResolvedImage = {
  /** `registry/repository@sha256:...`; the tag is dropped. */
  readonly image: string;
  /** Name of the saved credentials it was read with; absent when anybody may read it. */
  readonly credential?: string;
};

export type ResolveOptions = {
  /** Architectures the image must support for linux, all of them; none: any will do. */
  readonly architectures?: readonly string[];
  /** Saved credentials in the order they are tried. Those of another host are never used. */
  readonly credentials?: readonly NamedCredentials[];
  /** Name of the credentials that are tried first, before reading anonymously. */
  readonly selected?: string;
  readonly signal?: AbortSignal;
};

/** Turns tags into digests. */
export interface ImageResolver {
  /**
   * Asks the registry for the image (default tag `latest`), also when the reference carries a digest already, which the content is then held
   * against (facts 3.8). Order: the selected credentials, anonymous, saved ones of the same host; a registry that is away ends it. Idempotent;
   * deadline two minutes in total.
   */
  resolve(image: string, options?: ResolveOptions): Promise<Result<ResolvedImage>>;
}
