import { type Problem, problem } from '../../kernel/index.ts';

/** One answer of the preflight. */
export type PreflightCheck = {
  readonly code: 'nodes' | 'service_capacity' | 'node_capacity' | 'shared_volume_capacity' | 'resources' | 'disk';
  readonly status: 'passed' | 'blocked' | 'unknown';
  readonly message: string;
  /** The field it is about. */
  readonly at?: string;
};

/** Facts 11.1: the error of a blocked check is `code: message`. */
export function blockedProblem({ code, message, at }: PreflightCheck): Problem {
  return problem('delivery_unavailable', `${code}: ${message}`, at === undefined ? {} : { at });
}

/** What is not known is a warning in the plan. */
export function unknownWarning({ code, message, at }: PreflightCheck): string {
  return at === undefined ? `${code}: ${message}` : `${at}: ${code}: ${message}`;
}
