import { type Problem, problem } from '../../../kernel/index.ts';
import type { CallFailure } from './api.ts';

/** A failed read as a problem: a missing verb and a missing object by their names, everything else as the cluster not answering. */
export function readProblem({ status }: CallFailure): Problem {
  if (status === 403) return problem('forbidden');
  return status === 404 ? problem('not_found') : problem('cluster_unavailable', undefined, { cause: { status } });
}
