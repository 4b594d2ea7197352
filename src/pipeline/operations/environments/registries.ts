import { type Principal, refusal } from '../../../access/index.ts';
import { fail, LIMITS, ok, problem, type Result } from '../../../kernel/index.ts';
import type { RegistryOperations, Registry as RegistryView, RequestInfo } from '../../../ports/api/index.ts';
import type { RegistryEntry, RegistryScope } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import type { EnvironmentDeps } from './context.ts';
import { requireEnvironment } from './require-environment.ts';

/** Registry credentials of an environment (facts 5.8, 7.6). A password goes in and is never answered, nor digested. */
export function registryOperations(deps: EnvironmentDeps): RegistryOperations {
  return {
    list: async (principal, scope) => {
      const refused = refusal(principal, 'deployments:read', placeOf(scope));
      if (refused !== undefined) return fail(refused);
      const listed = await deps.registries.list(scope);
      return listed.ok ? ok({ items: listed.value.map(registryView) }) : listed;
    },
    create: async (principal, { name, server, username, password, ...scope }, info) => {
      const place = placeOf(scope);
      const allowed = mayWrite(principal, place);
      if (!allowed.ok) return allowed;
      const there = await requireEnvironment(deps, { principal, info }, { key: place, write: true });
      if (!there.ok) return there;
      const listed = await deps.registries.list(place);
      if (!listed.ok) return listed;
      if (listed.value.length >= LIMITS.registriesPerEnvironment) return fail(problem('limit_reached'));
      const value = { server: canonicalHost(server), username, password };
      const made = await deps.registries.create(place, name, value);
      if (!made.ok) return made;
      await recorded(deps, { principal, info }, { action: 'registry.create', after: made.value });
      return ok(registryView(made.value));
    },
    replace: async (principal, { name, server, username, password, ...scope }, info) => {
      const place = placeOf(scope);
      const allowed = mayWrite(principal, place);
      if (!allowed.ok) return allowed;
      const before = await existing(deps, place, name);
      if (!before.ok) return before;
      const value = { server: canonicalHost(server), username, password };
      const written = await deps.registries.replace(place, name, value);
      if (!written.ok) return written;
      const change = { action: 'registry.replace', before: before.value, after: written.value };
      await recorded(deps, { principal, info }, change);
      return ok(registryView(written.value));
    },
    remove: async (principal, { name, ...scope }, info) => {
      const place = placeOf(scope);
      const allowed = mayWrite(principal, place);
      if (!allowed.ok) return allowed;
      const before = await existing(deps, place, name);
      if (!before.ok) return before;
      const removed = await deps.registries.remove(place, name);
      if (!removed.ok) return removed;
      await recorded(deps, { principal, info }, { action: 'registry.delete', before: before.value });
      return ok({ status: 'deleted' });
    },
  };
}

function placeOf({ project, environment }: RegistryScope): RegistryScope {
  return { project, environment };
}

function mayWrite(principal: Principal, place: RegistryScope): Result<void> {
  const refused = refusal(principal, 'deployments:write', place);
  return refused === undefined ? ok(undefined) : fail(refused);
}

async function existing(deps: EnvironmentDeps, place: RegistryScope, name: string): Promise<Result<RegistryEntry>> {
  const listed = await deps.registries.list(place);
  if (!listed.ok) return listed;
  const found = listed.value.find((entry) => entry.name === name);
  return found === undefined ? fail(problem('not_found', 'there are no registry credentials of this name')) : ok(found);
}

/** Docker Hub goes by several names; images name it by the first. */
const DOCKER_HUB = new Set<string>(['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);

function canonicalHost(server: string): string {
  const host = server.toLowerCase();
  return DOCKER_HUB.has(host) ? 'docker.io' : host;
}

async function recorded(
  deps: EnvironmentDeps,
  by: { readonly principal: Principal; readonly info: RequestInfo },
  change: { readonly action: string; readonly before?: RegistryEntry; readonly after?: RegistryEntry },
): Promise<void> {
  const { action, before, after } = change;
  const entry = after ?? before;
  if (entry === undefined) return;
  const { project, environment, name } = entry;
  const sides = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  await audited(deps, by, { action, resource: { kind: 'Registry', project, environment, name }, ...sides });
}

function registryView({ project, environment, name, server, username, updatedAt }: RegistryEntry): RegistryView {
  return { name, project, environment, server, username, updated_at: updatedAt };
}
