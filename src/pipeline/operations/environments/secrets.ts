import { type Principal, refusal } from '../../../access/index.ts';
import { type ApplicationKey, applicationName, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { RequestInfo, SecretOperations, SecretScope, Secret as SecretView } from '../../../ports/api/index.ts';
import { requiredSecrets } from '../../../spec/index.ts';
import { audited } from '../audited.ts';
import type { EnvironmentDeps } from './context.ts';
import { requireEnvironment } from './require-environment.ts';
import { standingRevisions } from './standing-revisions.ts';

const GENERATED_BYTES = 32;

/**
 * Secrets of one application (facts 6.6, 7.6). A value goes in, or is generated here, and never comes out again: it stands in no answer, no log
 * and, as a digest would let a guess be confirmed, in no audit record.
 */
export function secretOperations(deps: EnvironmentDeps): SecretOperations {
  return {
    list: async (principal, scope) => {
      const target = targetOf(scope);
      const refused = refusal(principal, 'deployments:read', target);
      if (refused !== undefined && refusal(principal, 'secrets:write', target) !== undefined) return fail(refused);
      const listed = await deps.secrets.list(keyOf(scope));
      if (!listed.ok) return listed;
      const used = await usesOf(deps, keyOf(scope));
      if (!used.ok) return used;
      const items = listed.value.map(
        ({ name, updatedAt }): SecretView => ({ name, updated_at: updatedAt, used_by: used.value.get(name) ?? [] }),
      );
      return ok({ items });
    },
    create: async (principal, { name, ...input }, info) => {
      const allowed = mayWrite(principal, input);
      if (!allowed.ok) return allowed;
      const value = contentOf(deps, input);
      if (!value.ok) return value;
      const there = await requireEnvironment(deps, { principal, info }, { key: input, write: true });
      if (!there.ok) return there;
      const made = await deps.secrets.create(keyOf(input), name, value.value);
      return made.ok ? written(deps, { principal, info }, { scope: input, name, ...made.value }) : made;
    },
    replace: async (principal, { name, ...input }, info) => {
      const allowed = mayWrite(principal, input);
      if (!allowed.ok) return allowed;
      const value = contentOf(deps, input);
      if (!value.ok) return value;
      const made = await deps.secrets.replace(keyOf(input), name, value.value);
      return made.ok ? written(deps, { principal, info }, { scope: input, name, ...made.value }) : made;
    },
    remove: async (principal, { name, ...scope }, info) => {
      const refused = refusal(principal, 'secrets:write', targetOf(scope));
      if (refused !== undefined) return fail(refused);
      const removed = await deps.secrets.delete(keyOf(scope), name);
      if (!removed.ok) return removed;
      if (!removed.value) return fail(problem('not_found', 'there is no secret of this name'));
      const resource = { kind: 'Secret', ...targetOf(scope), name };
      await audited(deps, { principal, info }, { action: 'secret.delete', resource });
      return ok({ status: 'deleted' });
    },
  };
}

function keyOf({ project, environment, application }: SecretScope): ApplicationKey {
  return { project, environment, name: application };
}

function targetOf({ project, environment, application }: SecretScope): SecretScope {
  return { project, environment, application };
}

function mayWrite(principal: Principal, scope: SecretScope): Result<void> {
  const refused = refusal(principal, 'secrets:write', targetOf(scope));
  return refused === undefined ? ok(undefined) : fail(refused);
}

type Content = {
  readonly value?: string | undefined;
  readonly generate?: true | undefined;
  readonly format?: 'base64url' | 'hex' | undefined;
};

function contentOf(deps: EnvironmentDeps, { value, generate, format }: Content): Result<string> {
  const refuse = (at: string, message: string): Result<never> => fail(problem('invalid_request', message, { at }));
  if ((value === undefined) === (generate === undefined)) return refuse('value', 'send either value or generate');
  if (value !== undefined)
    return format === undefined ? ok(value) : refuse('format', 'is for a value that is generated');
  const hex = deps.random.hex(GENERATED_BYTES);
  return ok(format === 'hex' ? hex : Buffer.from(hex, 'hex').toString('base64url'));
}

async function written(
  deps: EnvironmentDeps,
  by: { readonly principal: Principal; readonly info: RequestInfo },
  made: { readonly scope: SecretScope; readonly name: string; readonly updatedAt: string },
): Promise<Result<SecretView>> {
  const resource = { kind: 'Secret', ...targetOf(made.scope), name: made.name };
  await audited(deps, by, { action: 'secret.write', resource });
  const used = await usesOf(deps, keyOf(made.scope));
  // The change is made; not knowing who uses it is no reason to say that it failed.
  const services = used.ok ? (used.value.get(made.name) ?? []) : [];
  return ok({ name: made.name, updated_at: made.updatedAt, used_by: services });
}

/** Which services refer to each secret: in the revision that runs and in the newest accepted one. */
async function usesOf(deps: EnvironmentDeps, key: ApplicationKey): Promise<Result<ReadonlyMap<string, string[]>>> {
  const standing = await standingRevisions(deps, applicationName(key));
  if (!standing.ok) return standing;
  const uses = new Map<string, Set<string>>();
  for (const application of standing.value)
    for (const [service, content] of Object.entries(application.services))
      for (const secret of requiredSecrets({ ...application, services: { [service]: content } }))
        uses.set(secret, (uses.get(secret) ?? new Set()).add(service));
  return ok(new Map([...uses].map(([secret, services]) => [secret, [...services].sort()])));
}
