import { type CommitSha, fail, ok, problem, type RepoPath, type Result } from '../../kernel/index.ts';
import {
  type GitObject,
  MODE,
  type ObjectFormat,
  pathParts,
  type TreeEntry,
  treeEntries,
  treeOfCommit,
} from './objects.ts';
import { malformed } from './pkt-line.ts';
import { loadOne } from './read-file.ts';
import type { Repository } from './repository.ts';

/** One thing an export writes. Paths are relative, their bytes read as latin1, so that any name is kept exactly. */
export type Exported =
  | { readonly kind: 'folder'; readonly path: string; readonly oid: string }
  | { readonly kind: 'file'; readonly path: string; readonly oid: string; readonly executable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly oid: string };

export type ListRequest = {
  readonly commit: CommitSha;
  readonly path: RepoPath | '.';
  /** Files, links and folders together: a tree that repeats itself is stopped while it unfolds. */
  readonly maxFiles: number;
};

/** Folders in folders; more is no source tree. */
const MAX_DEPTH = 64;
/** Bytes of a path and of one name, as Linux has them. */
const MAX_PATH = 3072;
const MAX_NAME = 255;

/** Lists a folder of a commit, parents before what is in them. All trees of one depth are one request. */
export async function listTree(
  repository: Repository,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Result<readonly Exported[]>> {
  const commits = [request.commit];
  const root = await findFolder(repository, request, signal);
  if (!root.ok) return root;
  const found: Exported[] = [];
  let level: readonly Folder[] = [{ path: '', oid: root.value }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return tooLarge('the build context has too many folders in folders');
    const oids = [...new Set(level.map(({ oid }) => oid))];
    const loaded = await repository.load({ kind: 'tree', oids, commits }, signal);
    const start = found.length;
    for (const folder of level) {
      const listed = listFolder(folder, loaded.get(folder.oid) ?? malformed('no answer'), repository.format);
      if (!listed.ok) return listed;
      if (found.length + listed.value.length > request.maxFiles)
        return tooLarge(`the build context has more than ${request.maxFiles} files and folders`);
      found.push(...listed.value);
    }
    level = found.slice(start).filter((entry) => entry.kind === 'folder');
  }
  return ok(found);
}

type Folder = { readonly path: string; readonly oid: string };

function listFolder(folder: Folder, tree: Result<GitObject>, format: ObjectFormat): Result<readonly Exported[]> {
  if (!tree.ok) return tree;
  if (tree.value.type !== 'tree') return malformed('a folder of a tree is no tree');
  const entries = treeEntries(tree.value.data, format);
  if (!entries.ok) return entries;
  const found: Exported[] = [];
  for (const entry of entries.value.values()) {
    const one = exported(folder.path, entry);
    if (!one.ok) return one;
    found.push(one.value);
  }
  return ok(found);
}

/** The answer to a context over one of its caps. */
export function tooLarge(message: string): Result<never> {
  return fail(problem('context_too_large', message));
}

function exported(folder: string, entry: TreeEntry): Result<Exported> {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
  if (!validName(entry.name) || path.length > MAX_PATH)
    return fail(problem('invalid_path', 'the build context has a file whose name can not be used', { cause: path }));
  const { oid, mode } = entry;
  if (mode === MODE.tree) return ok({ kind: 'folder', path, oid });
  if (mode === MODE.symlink) return ok({ kind: 'link', path, oid });
  if (mode === MODE.submodule)
    return fail(
      problem('submodule_refused', 'the build context has a submodule; submodules are not supported', { cause: path }),
    );
  if ((mode & 0o170000) !== 0o100000) return malformed('a tree has an entry of an unknown mode');
  return ok({ kind: 'file', path, oid, executable: (mode & 0o111) !== 0 });
}

/** Git itself refuses such names when it checks out; a server may still send them. */
function validName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    name.length <= MAX_NAME &&
    name.toLowerCase() !== '.git' &&
    !/[/\0]/.test(name)
  );
}

async function findFolder(repository: Repository, request: ListRequest, signal: AbortSignal): Promise<Result<string>> {
  const commits = [request.commit];
  const commit = await loadOne(repository, { kind: 'commit', oids: commits, commits }, signal);
  if (!commit.ok) return commit;
  if (commit.value.type !== 'commit') return fail(problem('commit_not_found', 'the id is not that of a commit'));
  const root = treeOfCommit(commit.value.data, repository.format);
  if (!root.ok || request.path === '.') return root;
  let tree = root.value;
  for (const part of pathParts(request.path)) {
    const loaded = await loadOne(repository, { kind: 'tree', oids: [tree], commits }, signal);
    if (!loaded.ok) return loaded;
    if (loaded.value.type !== 'tree') return malformed('a folder of a tree is no tree');
    const entries = treeEntries(loaded.value.data, repository.format, new Set([part]));
    if (!entries.ok) return entries;
    const entry = entries.value.get(part);
    if (entry?.mode === MODE.symlink) return fail(problem('symlink_refused'));
    if (entry?.mode === MODE.submodule) return fail(problem('submodule_refused'));
    if (entry?.mode !== MODE.tree)
      return fail(problem('file_not_found', 'the build context is no folder at this commit'));
    tree = entry.oid;
  }
  return ok(tree);
}
