import { denied, isAdmin } from '../../../access/index.ts';
import { defaultGrant } from '../../../grant/index.ts';
import {
  type ApplicationKey,
  applicationName,
  fail,
  isTagPattern,
  ok,
  type Problem,
  problem,
  type RefName,
  type RepoPath,
  type Result,
  refName,
  repoPath,
  tagPattern,
} from '../../../kernel/index.ts';
import type { CreateSource, Source } from '../../../ports/api/index.ts';
import { type GitRepository, type GitSource, REPORTS_FINALIZER } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import { applicationLimit, requireEnvironment } from '../environments/index.ts';
import type { By, GitDeps } from './context.ts';
import { bindRefusal, resourceOf, targetOf } from './find-source.ts';
import { withChoice } from './grants.ts';
import { previewRefusal, previewSetting } from './source-previews.ts';
import { sourceView } from './view.ts';

/** Binds a repository's ref and path to an application, and grants what a push may do (facts 4.2, 4.3). */
export async function bindSource(deps: GitDeps, by: By, input: CreateSource): Promise<Result<Source>> {
  const key: ApplicationKey = { project: input.project, environment: input.environment, name: input.application };
  const refused = bindRefusal(by.principal, targetOf(key));
  if (refused !== undefined) return fail(refused);
  const binding = readBinding(input);
  if (!binding.ok) return binding;
  const repository = await bindable(deps, by, { name: input.repository, key });
  if (!repository.ok) return repository;
  const name = applicationName(key);
  const existing = await deps.store.sources.get(name);
  if (!existing.ok) return existing;
  if (existing.value !== undefined) return fail(taken(existing.value.deleting));
  const { ref, path } = binding.value;
  const granted = defaultGrant({ ref, path, application: key, owner: by.principal.identity, now: deps.clock.now() });
  const grant = withChoice({ ...granted, identity: by.principal.identity }, input, deps.clock.now());
  const previews = previewChoice(by, input, grant);
  if (!previews.ok) return previews;
  const application = await ensureApplication(deps, by, key);
  if (!application.ok) return application;
  const source = await deps.store.sources.create({
    name,
    finalizers: [REPORTS_FINALIZER],
    spec: {
      repository: repository.value.name,
      ref,
      path,
      application: key,
      ...(input.drift === undefined ? {} : { drift: input.drift }),
      ...(previews.value === undefined ? {} : { previewEnvironments: previews.value }),
      grant,
    },
  });
  if (!source.ok) return source.problem.code === 'already_exists' ? fail(taken(false)) : source;
  await audited(deps, by, { action: 'source.create', resource: resourceOf(source.value), after: source.value.spec });
  return ok(sourceView(deps, source.value));
}

/** Preview environments are asked for on their own, so whoever may only bind is told so at the field. */
function previewChoice(
  { principal }: By,
  input: CreateSource,
  grant: GitSource['spec']['grant'],
): Result<GitSource['spec']['previewEnvironments']> {
  if (input.previews === undefined) return ok(undefined);
  const refused = previewRefusal(principal, input);
  if (refused !== undefined) return fail({ ...refused, at: 'previews' });
  const setting = previewSetting(input.previews, { grant });
  return setting.ok ? setting : fail({ ...setting.problem, at: `previews.${setting.problem.at}` });
}

function taken(leaving: boolean): Problem {
  const text = leaving
    ? 'this application is still losing its former source; try again in a moment'
    : 'this application has a source already; remove it first';
  return problem('already_exists', text, { at: 'application' });
}

function readBinding({ ref, path }: CreateSource): Result<{ readonly ref: RefName; readonly path: RepoPath }> {
  const full = isTagPattern(ref) ? tagPattern(ref) : refName(ref.startsWith('refs/') ? ref : `refs/heads/${ref}`);
  if (!full.ok) return fail({ ...full.problem, at: 'ref' });
  const clean = repoPath(path);
  if (!clean.ok) return fail({ ...clean.problem, at: 'path' });
  if (!path.endsWith('.toml')) return fail(problem('invalid_path', 'the path must end in .toml', { at: 'path' }));
  return ok({ ref: full.value, path: clean.value });
}

/** A repository of the same environment; administrators bind any. What it reads with its token is not for others. */
async function bindable(
  deps: GitDeps,
  { principal }: By,
  input: { readonly name: string; readonly key: ApplicationKey },
): Promise<Result<GitRepository>> {
  const read = await deps.store.repositories.get(input.name);
  if (!read.ok) return read;
  if (read.value === undefined) return fail(problem('not_found', 'there is no such repository', { at: 'repository' }));
  const { scope } = read.value.spec;
  const isOfPlace = scope?.project === input.key.project && scope.environment === input.key.environment;
  return isOfPlace || isAdmin(principal)
    ? ok(read.value)
    : fail({ ...denied(scope === undefined ? 'admin' : 'git:manage', scope ?? {}), at: 'repository' });
}

async function ensureApplication(deps: GitDeps, by: By, key: ApplicationKey): Promise<Result<void>> {
  const there = await requireEnvironment(deps, by, { key, write: true });
  if (!there.ok) return there;
  const name = applicationName(key);
  const known = await deps.store.applications.get(name);
  if (!known.ok) return known;
  if (known.value?.deleting === true)
    return fail(problem('conflict', 'the application is being removed; try again in a moment', { at: 'application' }));
  if (known.value?.spec.preview !== undefined)
    return fail(problem('conflict', 'a preview environment has no source of its own', { at: 'application' }));
  if (known.value !== undefined) return ok(undefined);
  const full = applicationLimit(deps, key);
  if (full !== undefined) return fail(full);
  const made = await deps.store.applications.create({ name, spec: { id: deps.random.hex(16), ...key } });
  return made.ok || made.problem.code === 'already_exists' ? ok(undefined) : made;
}
