import { type CommitSha, fail, ok, problem, type RepoPath, type Result } from '../../kernel/index.ts';
import { MODE, pathParts, type TreeEntry, treeEntries, treeOfCommit } from './objects.ts';
import { malformed } from './pkt-line.ts';
import type { Repository } from './repository.ts';

export type ChangedRequest = {
  readonly base: CommitSha;
  readonly head: CommitSha;
  readonly paths: readonly RepoPath[];
};

/** Two trees at the same place that differ, and the paths to look at below them. An absent side is `undefined`. */
type Pair = { readonly base: string | undefined; readonly head: string | undefined; readonly paths: readonly Wanted[] };
type Wanted = { readonly path: RepoPath; readonly parts: readonly string[] };
type Trees = ReadonlyMap<string, Buffer>;

/**
 * Compares two commits at some paths. Only trees that differ are read, and all trees of one depth in one request. `undefined` when the
 * server no longer has all of `base`; a `head` it does not have is `commit_not_found`.
 */
export async function changedPathsBetween(
  repository: Repository,
  request: ChangedRequest,
  signal: AbortSignal,
): Promise<Result<ReadonlySet<RepoPath> | undefined>> {
  const { base, head } = request;
  if (base === head) return ok(new Set());
  const loaded = await repository.load({ kind: 'commit', oids: [base, head], commits: [base, head] }, signal);
  const roots: string[] = [];
  for (const oid of [head, base]) {
    const commit = loaded.get(oid) ?? fail(problem('commit_not_found'));
    if (!commit.ok) return oid === base && isGone(commit.problem.code) ? ok(undefined) : commit;
    if (commit.value.type !== 'commit') return fail(problem('commit_not_found', 'the id is not that of a commit'));
    const root = treeOfCommit(commit.value.data, repository.format);
    if (!root.ok) return root;
    roots.push(root.value);
  }
  const paths = request.paths.map((path) => ({ path, parts: pathParts(path) }));
  return walk(repository, { request, first: { head: roots[0], base: roots[1], paths } }, signal);
}

/** A base can be gone, or only be had by a fetch that is too large: both mean that it can not be compared. */
function isGone(code: string): boolean {
  return code === 'commit_not_found' || code === 'repository_too_large';
}

async function walk(
  repository: Repository,
  from: { readonly request: ChangedRequest; readonly first: Pair },
  signal: AbortSignal,
): Promise<Result<ReadonlySet<RepoPath> | undefined>> {
  const changed = new Set<RepoPath>();
  let level: readonly Pair[] = from.first.base === from.first.head ? [] : [from.first];
  for (let depth = 0; level.length > 0; depth++) {
    const trees = await loadTrees(repository, { request: from.request, level }, signal);
    if (!trees.ok) return trees;
    if (trees.value === undefined) return ok(undefined);
    const next: Pair[] = [];
    for (const pair of level) {
      const below = comparePair(repository, { pair, trees: trees.value, depth }, changed);
      if (!below.ok) return below;
      next.push(...below.value);
    }
    level = next;
  }
  return ok(changed);
}

async function loadTrees(
  repository: Repository,
  from: { readonly request: ChangedRequest; readonly level: readonly Pair[] },
  signal: AbortSignal,
): Promise<Result<Trees | undefined>> {
  const heads = new Set(from.level.map((pair) => pair.head));
  const oids = [...new Set(from.level.flatMap((pair) => [pair.base, pair.head]))].filter((oid) => oid !== undefined);
  const commits = [from.request.head, from.request.base];
  const loaded = await repository.load({ kind: 'tree', oids, commits }, signal);
  const trees = new Map<string, Buffer>();
  for (const [oid, tree] of loaded) {
    if (!tree.ok) return !heads.has(oid) && isGone(tree.problem.code) ? ok(undefined) : tree;
    if (tree.value.type !== 'tree') return malformed('a folder of a tree is no tree');
    trees.set(oid, tree.value.data);
  }
  return ok(trees);
}

function comparePair(
  repository: Repository,
  at: { readonly pair: Pair; readonly trees: Trees; readonly depth: number },
  changed: Set<RepoPath>,
): Result<readonly Pair[]> {
  const byName = Map.groupBy(at.pair.paths, ({ parts }) => parts[at.depth] ?? '');
  const names = new Set(byName.keys());
  const side = (oid: string | undefined): Result<ReadonlyMap<string, TreeEntry>> =>
    treeEntries(at.trees.get(oid ?? '') ?? Buffer.alloc(0), repository.format, names);
  const before = side(at.pair.base);
  const after = side(at.pair.head);
  if (!before.ok) return before;
  if (!after.ok) return after;
  const below: Pair[] = [];
  for (const [name, paths] of byName) {
    const base = before.value.get(name);
    const head = after.value.get(name);
    if (base?.oid === head?.oid && base?.mode === head?.mode) continue;
    const deeper: Wanted[] = [];
    for (const wanted of paths) {
      if (wanted.parts.length === at.depth + 1) changed.add(wanted.path);
      else deeper.push(wanted);
    }
    const trees = { base: treeOid(base), head: treeOid(head) };
    if (deeper.length > 0 && trees.base !== trees.head) below.push({ ...trees, paths: deeper });
  }
  return ok(below);
}

function treeOid(entry: TreeEntry | undefined): string | undefined {
  return entry?.mode === MODE.tree ? entry.oid : undefined;
}
