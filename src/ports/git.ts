import type { CommitSha, RefName, RepoPath, Result } from '../kernel/index.ts';
import type { Renewal } from './secrets.ts';

/** Where a repository is and how it may be read. */
export type Remote = {
  /** http(s) URL without user information. */
  readonly url: string;
  /** Plain http and loopback addresses are allowed. */
  readonly local: boolean;
  /** Sent as basic authentication (user and token). Only ever to the URL's own host. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** The credentials that a refused password may have been replaced in. */
  readonly renewal?: Renewal;
};

export type GitFile = {
  readonly commit: CommitSha;
  readonly path: RepoPath;
  readonly oid: string;
  readonly text: string;
};

/** What an export wrote. */
export type GitExport = { readonly files: number; readonly bytes: number };

/**
 * Reads remote repositories. All calls are idempotent, keep to a deadline of their own (30 s) besides the signal, and answer
 * with the catalogue's Git codes. Nothing is ever checked out and no link is followed.
 */
export interface GitReader {
  /**
   * One ls-refs: the commit each of these exact refs points to now (tags peeled). Missing refs are absent. A pattern of tags is answered
   * with every tag it matches.
   */
  listRefs(
    remote: Remote,
    refs: readonly RefName[],
    signal?: AbortSignal,
  ): Promise<Result<ReadonlyMap<RefName, CommitSha>>>;
  /** The UTF-8 text of one regular file at a commit, at most `maxBytes`. */
  readFile(request: {
    readonly remote: Remote;
    readonly commit: CommitSha;
    readonly path: RepoPath;
    readonly maxBytes: number;
    readonly signal?: AbortSignal;
  }): Promise<Result<GitFile>>;
  /** The message of a commit, at most its first 64 KiB; bytes that are no UTF-8 are replaced. Read together with the commit's file it costs no request. */
  commitMessage(request: {
    readonly remote: Remote;
    readonly commit: CommitSha;
    readonly signal?: AbortSignal;
  }): Promise<Result<string>>;
  /**
   * Writes the files of one folder of a commit into `into`, an existing folder that is emptied first. Only what a build may see is
   * written: regular files with their executable bit, and symbolic links that stay inside the exported folder. `symlink_refused` for a
   * link that leads out of it, `submodule_refused`, `lfs_pointer`, `invalid_path` for names such as `..` and `.git`,
   * `context_too_large` past either cap, `file_not_found` when the path is no folder. Deadline five minutes. What is
   * in `into` after a failure is undefined.
   */
  exportTree(request: {
    readonly remote: Remote;
    readonly commit: CommitSha;
    /** The folder to export; `.` is the whole tree. */
    readonly path: RepoPath | '.';
    readonly into: string;
    readonly maxBytes: number;
    readonly maxFiles: number;
    readonly signal?: AbortSignal;
  }): Promise<Result<GitExport>>;
  /**
   * Which of these paths differ between two commits (content, mode, appearance or disappearance). `undefined` when it can not be
   * computed, for example because the server no longer has `base`; callers then treat every path as changed.
   */
  changedPaths(request: {
    readonly remote: Remote;
    readonly base: CommitSha;
    readonly head: CommitSha;
    readonly paths: readonly RepoPath[];
    readonly signal?: AbortSignal;
  }): Promise<Result<ReadonlySet<RepoPath> | undefined>>;
}
