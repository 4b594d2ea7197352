import { evaluateGrant, type Granted } from '../../src/grant/index.ts';
import { type Plan, planRelease } from '../../src/plan/index.ts';
import type { Application } from '../../src/spec/index.ts';
import { question } from '../grant/support.ts';
import { application } from '../spec/support.ts';

type Options = {
  readonly previous?: string;
  readonly missing?: readonly string[];
  readonly request?: { readonly trigger: 'pull_request'; readonly fork?: boolean };
};

/** A file a generous grant allows; a patch of `file` counts as released before. */
export function granted(file: string, request: Options['request'] = undefined): Granted<Application> {
  const result = evaluateGrant(
    question({ file, previous: file, grant: { domains: ['**'] }, ...(request ? { request } : {}) }),
  );
  if (!result.ok) throw new Error(result.problem.code);
  return result.value;
}

/** The plan of a file over a previous one. */
export function planOf(file: string, { previous, missing, request }: Options = {}): Plan {
  return planRelease({
    granted: granted(file, request),
    previous: previous === undefined ? undefined : application(previous),
    missingSecrets: missing,
  });
}
