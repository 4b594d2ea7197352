import { canBindGit, canManageGit, denied, type Principal, type Scope } from '../../../access/index.ts';
import { type ApplicationKey, fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { AuditEvent, GitSource } from '../../../ports/index.ts';
import type { GitDeps } from './context.ts';

/** The scope of an application. */
export function targetOf({ project, environment, name }: ApplicationKey): Required<Scope> {
  return { project, environment, application: name };
}

/** What the audit says a source is. */
export function resourceOf(source: Pick<GitSource, 'name' | 'spec'>): AuditEvent['resource'] {
  const { project, environment, name } = source.spec.application;
  return { kind: 'GitSource', project, environment, application: name, name: source.name };
}

/** Facts 9.3: binding takes managing Git there, and deploying. */
export function bindRefusal(principal: Principal, target: Scope): Problem | undefined {
  if (canBindGit(principal, target)) return undefined;
  return denied(canManageGit(principal, target) ? 'deployments:write' : 'git:manage', target);
}

/** Facts 7.2: `not_found` for what does not exist, the refusal for what exists out of scope. */
export async function findSource(
  deps: Pick<GitDeps, 'store'>,
  id: string,
  refused: (target: Scope) => Problem | undefined,
): Promise<Result<GitSource>> {
  const read = await deps.store.sources.get(id);
  if (!read.ok) return read;
  if (read.value === undefined) return fail(problem('not_found', 'there is no such source'));
  const denial = refused(targetOf(read.value.spec.application));
  return denial === undefined ? ok(read.value) : fail(denial);
}
