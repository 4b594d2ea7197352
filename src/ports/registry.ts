import type { Result } from '../kernel/index.ts';

/** Turns tags into digests. */
export interface ImageResolver {
  /**
   * The reference `registry/repository@sha256:...` for an image reference (default tag `latest`). A reference that already
   * carries a digest is answered without asking. Idempotent; deadline two minutes in total (facts 3.8).
   */
  resolve(image: string, signal?: AbortSignal): Promise<Result<string>>;
}
