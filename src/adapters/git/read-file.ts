import { type CommitSha, fail, ok, problem, type RepoPath, type Result } from '../../kernel/index.ts';
import type { GitFile } from '../../ports/index.ts';
import { type GitObject, MODE, pathParts, type TreeEntry, treeEntries, treeOfCommit } from './objects.ts';
import { malformed } from './pkt-line.ts';
import type { Repository, Wanted } from './repository.ts';

/** A pointer is shorter than this and starts with one of two versions (Git LFS specification). */
const LFS_BYTES = 1024;
const LFS_START = /^version https:\/\/(?:git-lfs\.github\.com\/spec|hawser\.github\.com\/spec)\/v1\n/;

export type FileRequest = {
  readonly commit: CommitSha;
  readonly path: RepoPath;
  /** Bytes of the file. */
  readonly maxBytes: number;
};

/** Follows a path from a commit down its trees and reads the file, each answer with its own code (catalogue, "git"). */
export async function readFileAt(
  repository: Repository,
  request: FileRequest,
  signal: AbortSignal,
): Promise<Result<GitFile>> {
  const commits = [request.commit];
  const commit = await loadOne(repository, { kind: 'commit', oids: commits, commits }, signal);
  if (!commit.ok) return commit;
  if (commit.value.type !== 'commit') return fail(problem('commit_not_found', 'the id is not that of a commit'));
  const root = treeOfCommit(commit.value.data, repository.format);
  if (!root.ok) return root;
  const entry = await findEntry(repository, { root: root.value, request }, signal);
  if (!entry.ok) return entry;
  const { oid } = entry.value;
  const blob = await loadOne(repository, { kind: 'blob', oids: [oid], commits, blobBytes: request.maxBytes }, signal);
  if (!blob.ok) return blob.problem.code === 'object_too_large' ? fail(tooLarge(request.maxBytes)) : blob;
  if (blob.value.type !== 'blob') return malformed('a file of a tree is no blob');
  const text = textOf(blob.value.data);
  return text.ok ? ok({ commit: request.commit, path: request.path, oid, text: text.value }) : text;
}

function tooLarge(maxBytes: number) {
  return problem('spec_too_large', `the file is larger than ${Math.floor(maxBytes / 1024)} KiB`);
}

async function findEntry(
  repository: Repository,
  from: { readonly root: string; readonly request: FileRequest },
  signal: AbortSignal,
): Promise<Result<TreeEntry>> {
  const parts = pathParts(from.request.path);
  let tree = from.root;
  for (const [i, part] of parts.entries()) {
    const wanted: Wanted = { kind: 'tree', oids: [tree], commits: [from.request.commit] };
    const loaded = await loadOne(repository, wanted, signal);
    if (!loaded.ok) return loaded;
    if (loaded.value.type !== 'tree') return malformed('a folder of a tree is no tree');
    const entries = treeEntries(loaded.value.data, repository.format, new Set([part]));
    if (!entries.ok) return entries;
    const entry = checkEntry(entries.value.get(part), i === parts.length - 1);
    if (!entry.ok || i === parts.length - 1) return entry;
    tree = entry.value.oid;
  }
  return fail(problem('file_not_found'));
}

function checkEntry(entry: TreeEntry | undefined, last: boolean): Result<TreeEntry> {
  if (entry === undefined) return fail(problem('file_not_found'));
  if (entry.mode === MODE.symlink) return fail(problem('symlink_refused'));
  if (entry.mode === MODE.submodule) return fail(problem('submodule_refused'));
  const isTree = entry.mode === MODE.tree;
  if (last && isTree) return fail(problem('not_a_file'));
  if (!last && !isTree) return fail(problem('file_not_found', 'the path goes through a file at this commit'));
  return ok(entry);
}

/** One object, or its problem. */
export async function loadOne(repository: Repository, wanted: Wanted, signal: AbortSignal): Promise<Result<GitObject>> {
  const loaded = await repository.load(wanted, signal);
  return [...loaded.values()][0] ?? malformed('no answer');
}

/** True for what Git LFS commits instead of a file. */
export function isLfsPointer(data: Buffer): boolean {
  return data.length < LFS_BYTES && LFS_START.test(data.toString('latin1', 0, 64));
}

function textOf(data: Buffer): Result<string> {
  if (isLfsPointer(data)) return fail(problem('lfs_pointer'));
  if (data.includes(0)) return fail(problem('binary_file'));
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data));
  } catch {
    return fail(problem('binary_file'));
  }
}
