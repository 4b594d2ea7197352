import { ok, type Result } from '../kernel/index.ts';
import type { Release } from '../ports/index.ts';
import type { Application } from '../spec/index.ts';
import { unpackSpec } from './release-body.ts';

/**
 * The specification whose Kubernetes patches a release may keep without a permission of its own: that of the newest release before
 * `revision`, passing over cancelled ones. A release that was cancelled because somebody lost the right to its patch, or because the setting
 * was switched off, must not hand that patch on to whoever deploys the same file next.
 */
export function keptPatches(
  releases: readonly Release[],
  revision = Number.POSITIVE_INFINITY,
): Result<Application | undefined> {
  const kept = releases.find(({ spec, status }) => spec.revision < revision && status.state !== 'cancelled');
  return kept === undefined ? ok(undefined) : unpackSpec(kept.spec.spec);
}
