import { canManageGit, denied, isAdmin, type Principal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { CreateRepository, RepositoryOperations, RepositorySaved } from '../../../ports/api/index.ts';
import type { GitRepository } from '../../../ports/index.ts';
import { removeHook } from '../../hooks/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { mayManage } from './may-manage.ts';
import { saveRepository, type Wanted } from './save-repository.ts';
import { repositoryView, webhookView } from './view.ts';

/**
 * Git repositories over the API (facts 4.1). One belongs to the environment it was made for, and whoever manages Git there may bind, change and
 * remove it; without an environment it is the administrators'.
 */
export function repositoryOperations(deps: GitDeps): Pick<RepositoryOperations, 'list' | 'create' | 'show' | 'remove'> {
  return {
    list: async (principal, page) => {
      const items = deps.store.repositories
        .all()
        .filter((repository) => mayManage(principal, repository))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const found = deps.pager.of({ name: 'repositories', items, keyOf: ({ name }) => name }, page);
      return found.ok ? ok({ ...found.value, items: found.value.items.map(repositoryView) }) : found;
    },
    create: (principal, input, info) => createRepository(deps, { principal, info }, input),
    show: async (principal, { name }) => {
      const found = await findRepository(deps, principal, name);
      return found.ok ? ok(repositoryView(found.value)) : found;
    },
    remove: async (principal, { name }, info) => {
      const found = await findRepository(deps, principal, name);
      if (!found.ok) return found;
      const { spec, uid } = found.value;
      if (deps.store.sources.all().some((source) => source.spec.repository === name))
        return fail(problem('not_empty', 'sources use this repository; remove them first'));
      await removeHook(deps, found.value);
      for (const secret of [spec.webhookSecret, spec.credentialsSecret]) {
        const removed = secret === undefined ? ok(undefined) : await deps.credentials.remove(secret);
        if (!removed.ok) return removed;
      }
      const removed = await deps.store.repositories.delete(name, uid);
      if (!removed.ok) return removed;
      const resource = { kind: 'GitRepository', ...spec.scope, name };
      await audited(deps, { principal, info }, { action: 'repository.delete', resource, before: spec });
      return ok({ status: 'deleted' });
    },
  };
}

/** Facts 7.2: `not_found` for what does not exist, `permission_denied` for what is somebody else's. */
export async function findRepository(
  deps: Pick<GitDeps, 'store'>,
  principal: Principal,
  name: string,
): Promise<Result<GitRepository>> {
  const read = await deps.store.repositories.get(name);
  if (!read.ok) return read;
  if (read.value === undefined) return fail(problem('not_found', 'there is no such repository'));
  return mayManage(principal, read.value) ? ok(read.value) : fail(denied('git:manage', read.value.spec.scope ?? {}));
}

async function createRepository(deps: GitDeps, by: By, input: CreateRepository): Promise<Result<RepositorySaved>> {
  const wanted = checked(deps, by.principal, input);
  if (!wanted.ok) return wanted;
  const saved = await saveRepository(deps, by.principal, wanted.value);
  if (!saved.ok) return saved;
  const { repository, created, secret } = saved.value;
  const resource = { kind: 'GitRepository', ...repository.spec.scope, name: repository.name };
  const action = created ? 'repository.create' : 'repository.update';
  await audited(deps, by, { action, resource, after: repository.spec });
  return ok({
    ...repositoryView(repository),
    created,
    webhook: webhookView(deps, repository, true),
    ...(secret === undefined ? {} : { webhook_secret: secret }),
  });
}

/** Everything that can be said without looking at what exists. */
function checked(deps: GitDeps, principal: Principal, input: CreateRepository): Result<Wanted> {
  const refuse = (at: string, message: string): Result<never> => fail(problem('invalid_request', message, { at }));
  if ((input.project === undefined) !== (input.environment === undefined))
    return refuse(
      input.project === undefined ? 'project' : 'environment',
      'name both project and environment, or none',
    );
  const scope = scopeOf(principal, input);
  if (!canManageGit(principal, scope ?? {})) return fail(denied('git:manage', scope ?? {}));
  // Plain http, loopback and another API address reach into the installation's own network.
  for (const at of ['local', 'api_url'] as const) {
    const isSet = input[at] !== undefined && input[at] !== false;
    if (isSet && !isAdmin(principal)) return fail({ ...denied('admin', {}), at });
  }
  const usable = deps.checkUrl(input.url, input.local === true);
  if (!usable.ok) return fail({ ...usable.problem, at: 'url' });
  if (input.api_url !== undefined && !URL.canParse(input.api_url))
    return refuse('api_url', 'must be an http or https URL');
  const [mismatch] = mismatches(input).filter(([, , isFound]) => isFound);
  if (mismatch !== undefined) return refuse(mismatch[0], mismatch[1]);
  return ok({ ...input, scope });
}

/** Fields that do not go with each other: the field, what to say, whether it is so. */
function mismatches(input: CreateRepository): readonly (readonly [string, string, boolean])[] {
  const { provider, signing_token: signing, app, oauth, token, username } = input;
  return [
    ['signing_token', 'is for GitLab; GitHub signs by itself', signing === true && provider !== 'gitlab'],
    ['app', 'is for GitHub', app !== undefined && provider !== 'github'],
    ['app', 'goes without a token', app !== undefined && token !== undefined],
    [
      'oauth',
      'is for GitLab; a token of OAuth that GitHub gave is a token',
      oauth !== undefined && provider !== 'gitlab',
    ],
    ['oauth', 'goes without a token', oauth !== undefined && token !== undefined],
    ['username', 'goes with a token', username !== undefined && token === undefined],
  ];
}

function scopeOf({ key }: Principal, { project, environment }: CreateRepository): Wanted['scope'] {
  const own = key?.scope ?? {};
  const [p, e] = project === undefined ? [own.project, own.environment] : [project, environment];
  return p === undefined || e === undefined ? undefined : { project: p, environment: e };
}
