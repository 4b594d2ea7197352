import { type CommitSha, ok, type RepoPath, type Result, repoPath } from '../../kernel/index.ts';
import type { GitSource, PullRequest, Remote } from '../../ports/index.ts';
import { type Deps, storedPath } from '../context.ts';

/** What the Git server shows of a pull request now. */
export type Look = {
  readonly head: CommitSha | undefined;
  readonly baseCommit: CommitSha | undefined;
  /** The forge's API and the Git server do not agree yet, and the request changed a moment ago. */
  readonly isSettling: boolean;
};

/** One ls-refs on the base repository, which serves the heads of forks too; no fork is ever contacted. */
export async function lookAtRefs(
  deps: Deps,
  remote: Remote,
  input: { readonly request: PullRequest; readonly signal: AbortSignal },
): Promise<Result<Look>> {
  const { request, signal } = input;
  const listed = await deps.git.listRefs(remote, [request.ref, request.base], signal);
  if (!listed.ok) return listed;
  const head = listed.value.get(request.ref);
  const age = deps.clock.now().getTime() - Date.parse(request.updatedAt);
  return ok({
    head,
    baseCommit: listed.value.get(request.base),
    isSettling: head !== request.head && age < deps.options.mentionGraceMs,
  });
}

/**
 * The sources whose file the request changes: compared with the commit both sides grew from, where the forge names it, else with the base
 * branch as it is now. What can not be compared counts as touched.
 */
export async function touchedBy(
  deps: Deps,
  remote: Remote,
  input: {
    readonly base: CommitSha | undefined;
    readonly head: CommitSha;
    readonly sources: readonly GitSource[];
    readonly signal: AbortSignal;
  },
): Promise<Result<readonly GitSource[]>> {
  const { base, head, sources, signal } = input;
  if (base === undefined || sources.length === 0) return ok(sources);
  const paths = new Set<RepoPath>();
  for (const text of sources.flatMap(pathsOf)) {
    const path = repoPath(text);
    if (path.ok) paths.add(path.value);
  }
  const changed = await deps.git.changedPaths({ remote, base, head, paths: [...paths], signal });
  if (!changed.ok) return changed;
  const set = changed.value;
  return ok(
    set === undefined
      ? sources
      : sources.filter((source) => buildsAll(source) || pathsOf(source).some((path) => set.has(storedPath(path)))),
  );
}

/** The file and the env files it names at the base; what a build reads changes no plan, but what a preview environment runs. */
function pathsOf({ spec, status }: GitSource): readonly string[] {
  const built = spec.previewEnvironments === undefined ? [] : (status.watched ?? []);
  return [spec.path, ...(status.envFiles ?? []), ...built];
}

/** The whole repository is a build context of a preview environment: every commit is another one. */
function buildsAll({ spec, status }: GitSource): boolean {
  return spec.previewEnvironments !== undefined && status.watched?.includes('.') === true;
}
