import { z } from 'zod';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { Label } from './words.ts';

/** Names one workload or pod: a kind in lower case, and labels (a pod whose name has dots or is longer can not be addressed). */
export const WorkloadRef = z.strictObject({
  namespace: Label,
  kind: z.enum(['deployment', 'statefulset', 'daemonset', 'pod']),
  name: Label,
});
export type WorkloadRef = z.infer<typeof WorkloadRef>;
export type WorkloadKind = 'deployment' | 'statefulset' | 'daemonset';

/** A workload whose template can be read and changed; pods can not. */
export const EditableRef = WorkloadRef.extend({ kind: z.enum(['deployment', 'statefulset', 'daemonset']) });
export type EditableRef = z.infer<typeof EditableRef>;

/** Parses `<namespace>/<kind>/<name>`, exactly three parts (cluster operations 0.2); `invalid_request` otherwise. */
export function parseWorkloadRef(text: string): Result<WorkloadRef> {
  const parts = text.split('/');
  const [namespace, kind, name] = parts;
  const outcome = WorkloadRef.safeParse({ namespace, kind, name });
  return parts.length === 3 && outcome.success ? ok(outcome.data) : fail(problem('invalid_request'));
}

/** The text form of a reference. */
export function formatWorkloadRef(ref: WorkloadRef): string {
  return `${ref.namespace}/${ref.kind}/${ref.name}`;
}
