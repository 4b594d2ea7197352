import { createHash } from 'node:crypto';
import { ok, type Result } from '../../kernel/index.ts';
import { malformed } from './pkt-line.ts';

/** The hash a repository names its objects with. */
export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export type GitObject = { readonly type: ObjectType; readonly data: Buffer };

/** One entry of a tree. `name` holds the entry's bytes as latin1, so that any name compares exactly. */
export type TreeEntry = { readonly mode: number; readonly name: string; readonly oid: string };

/** Modes of tree entries (git-fast-import(1) lists them); a regular file is any other mode of type 0100000. */
export const MODE = { tree: 0o040000, symlink: 0o120000, submodule: 0o160000 } as const;

/** Hex digits of an object id. */
export function oidLength(format: ObjectFormat): number {
  return format === 'sha256' ? 64 : 40;
}

/** The object id: hash of `type size NUL data`. */
export function hashObject(object: GitObject, format: ObjectFormat): string {
  return createHash(format).update(`${object.type} ${object.data.length}\0`).update(object.data).digest('hex');
}

/** The id of a commit's root tree; `git_protocol` when its first line is not a tree. */
export function treeOfCommit(commit: Buffer, format: ObjectFormat): Result<string> {
  const length = oidLength(format);
  const match = /^tree ([0-9a-f]+)\n/.exec(commit.toString('latin1', 0, 6 + length));
  return match?.[1]?.length === length ? ok(match[1]) : malformed('a commit does not start with its tree');
}

/**
 * The entries of a tree whose latin1 name is in `names` (every entry when left out), by name. Walks the bytes once and makes
 * strings only for names of a wanted length, since folders of tens of thousands of entries exist. `git_protocol` when malformed.
 */
export function treeEntries(
  tree: Buffer,
  format: ObjectFormat,
  names?: ReadonlySet<string>,
): Result<ReadonlyMap<string, TreeEntry>> {
  const lengths = names === undefined ? undefined : new Set([...names].map((name) => name.length));
  const width = oidLength(format) / 2;
  const entries = new Map<string, TreeEntry>();
  let at = 0;
  while (at < tree.length) {
    const space = tree.indexOf(0x20, at);
    const nul = space < 0 ? -1 : tree.indexOf(0, space);
    if (nul < 0 || space - at > 6 || nul + 1 + width > tree.length) return malformed('a tree is cut off');
    if (lengths === undefined || lengths.has(nul - space - 1)) {
      const name = tree.toString('latin1', space + 1, nul);
      if (names === undefined || names.has(name)) {
        const digits = tree.toString('latin1', at, space);
        if (!/^[0-7]{5,6}$/.test(digits)) return malformed('a tree entry has no valid mode');
        const oid = tree.toString('hex', nul + 1, nul + 1 + width);
        entries.set(name, { mode: Number.parseInt(digits, 8), name, oid });
      }
    }
    at = nul + 1 + width;
  }
  return ok(entries);
}

/** The parts of a path as `TreeEntry` names them: UTF-8 bytes read as latin1. */
export function pathParts(path: string): readonly string[] {
  return path.split('/').map((part) => Buffer.from(part, 'utf8').toString('latin1'));
}
