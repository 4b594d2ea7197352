import { type Principal, refusal } from '../access/index.ts';
import { type ApplicationKey, fail, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';
import { type Granted, granted } from './granted.ts';
import { servicesWithNewPatches } from './patches.ts';

/** A release a person or a program asks for over the API. */
export type PermitQuestion = {
  readonly principal: Principal;
  /** The application it is for. */
  readonly key: ApplicationKey;
  readonly application: Application;
  /** The current revision; absent for a new application. */
  readonly previous: Application | undefined;
  /** The setting `kubernetes-patches`. */
  readonly patchesEnabled: boolean;
};

/**
 * Whether a principal may make an application so; what the grant is to a source. Asked at plan, at acceptance and while the release runs.
 * Codes: `permission_denied`, `application_mismatch`, `kubernetes_patches_disabled`.
 */
export function permitRelease(question: PermitQuestion): Result<Granted<Application>> {
  const { principal, key, application } = question;
  const target = { project: key.project, environment: key.environment, application: key.name };
  const first =
    refusal(principal, 'deployments:write', target) ??
    (application.name === key.name ? undefined : problem('application_mismatch', undefined, { at: 'name' })) ??
    patchRefusal(question, target);
  if (first !== undefined) return fail(first);
  return ok(granted({ value: application, purpose: 'release', fork: false, grantRevision: 0 }));
}

/**
 * Spec kubernetes-patches: adding or changing a patch needs the setting and the permission `kubernetes:patch`; keeping one as it is, and
 * removing one, needs neither.
 */
function patchRefusal(
  { principal, application, previous, patchesEnabled }: PermitQuestion,
  target: { readonly project: string; readonly environment: string; readonly application: string },
): Problem | undefined {
  const [changed] = servicesWithNewPatches(application, previous);
  if (changed === undefined) return undefined;
  const at = `services.${changed}.kubernetes`;
  if (!patchesEnabled) return problem('kubernetes_patches_disabled', undefined, { at });
  const missing = refusal(principal, 'kubernetes:patch', target);
  return missing === undefined ? undefined : { ...missing, at };
}
