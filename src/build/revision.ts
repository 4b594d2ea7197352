import { digestOf } from '../kernel/index.ts';
import type { Build } from '../spec/index.ts';

/** The configuration revision: the digest of the build table (DESIGN 1, lifecycle page "Public build-time configuration"). */
export function configurationRevision(build: Build): string {
  return digestOf(build);
}
