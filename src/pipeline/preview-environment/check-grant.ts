import { evaluateGrant } from '../../grant/index.ts';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { GitSource } from '../../ports/index.ts';
import { type Application, previewProblems } from '../../spec/index.ts';
import { checkGrantOwner } from '../authority.ts';
import { type Deps, storedPath } from '../context.ts';

/**
 * Whether a source may have this environment, at its grant's current revision (invariant 4): it still wants environments, plans requests and
 * deploys, and the file is one that a preview may be (facts 2.10). `application` has the name of the source's application or of the
 * environment. Patches are refused whatever the application itself has: the environment is new, so all of them would be added (invariant 5).
 */
export function checkPreviewGrant(
  deps: Pick<Deps, 'identities' | 'roles' | 'clock'>,
  source: GitSource,
  asked: { readonly base: string; readonly application: Application },
): Result<void> {
  const { grant, application: key, previewEnvironments } = source.spec;
  if (source.deleting) return refuse('the source was removed, and its grant with it');
  if (previewEnvironments === undefined) return refuse('the source has no preview environments any more');
  if (!grant.permissions.includes('deployments:write'))
    return refuse('the grant lacks deployments:write, which an environment needs', 'grant.permissions');
  const owned = checkGrantOwner(deps, grant, key);
  if (!owned.ok) return owned;
  const granted = evaluateGrant({
    grant,
    request: {
      ref: asked.base,
      path: storedPath(source.spec.path),
      application: key,
      now: deps.clock.now(),
      trigger: 'pull_request',
      fork: false,
    },
    application: { ...asked.application, name: key.name },
    previous: undefined,
  });
  if (!granted.ok) return granted;
  const [limit] = previewProblems(asked.application);
  return limit === undefined ? ok(undefined) : fail(limit);
}

function refuse(message: string, at?: string): Result<never> {
  const refusal: Problem = problem('grant_refused', message, at === undefined ? {} : { at });
  return fail(refusal);
}
