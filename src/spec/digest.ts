import { digestOf } from '../kernel/index.ts';
import type { Application } from './application.ts';

/** `sha256:...` of the canonical JSON: two files that mean the same have the same digest. */
export function specDigest(application: Application): string {
  return digestOf(application);
}
