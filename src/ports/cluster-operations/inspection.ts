import { z } from 'zod';
import type { Result } from '../../kernel/index.ts';
import type { PodContainer } from './snapshot.ts';
import { Label, parsed, Uuid } from './words.ts';

/** One Deployment by name and UID. */
export const InspectionTarget = z.strictObject({ namespace: Label, name: Label, uid: Uuid });
export type InspectionTarget = z.infer<typeof InspectionTarget>;

export type InspectedPod = {
  readonly name: string;
  readonly uid: string;
  readonly phase: string;
  /** Images and image ids are blank. */
  readonly containers: readonly PodContainer[];
};

/** A Deployment and its pods as they are now, or that it is gone. Recreated under the name, it carries its own UID. */
export type Inspection =
  | { readonly missing: true }
  | {
      readonly missing: false;
      readonly observedAt: string;
      readonly uid: string;
      readonly generation: number;
      readonly observedGeneration: number;
      readonly desired: number;
      readonly updated: number;
      readonly ready: number;
      readonly available: number;
      readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
      readonly pods: readonly InspectedPod[];
    };

/** Validates a target: `invalid_request`. */
export function parseInspectionTarget(input: unknown): Result<InspectionTarget> {
  return parsed(InspectionTarget, input);
}
