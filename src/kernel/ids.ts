import { problem } from './problem.ts';
import { fail, ok, type Result } from './result.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A full Git object id: 40 (SHA-1) or 64 (SHA-256) lowercase hex digits. */
export type CommitSha = Branded<'CommitSha'>;
/** A full ref name such as `refs/heads/main`. */
export type RefName = Branded<'RefName'>;
/** A clean relative path inside a repository. */
export type RepoPath = Branded<'RepoPath'>;

/** Facts 1: names of applications, services, networks, secrets, projects and environments; 1 to 40 characters. */
export const NAME = /^(?:[a-z][a-z0-9-]{0,38}[a-z0-9]|[a-z])$/;
/** Facts 1: environment variable names, at most 128 characters. */
export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Facts 1: an image digest. */
export const DIGEST = /^sha256:[a-f0-9]{64}$/;

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Parses a full object id. */
export function commitSha(text: string): Result<CommitSha> {
  return COMMIT.test(text) ? ok(text as CommitSha) : fail(problem('commit_not_found', 'not a full commit id'));
}

/**
 * Parses a full ref under `refs/` by the rules of git-check-ref-format(1); at most 255 bytes. What passes can not be mistaken
 * for an option, a revision expression or a path elsewhere.
 */
export function refName(text: string): Result<RefName> {
  const bad =
    !/^refs\/(?:heads|tags|pull|merge-requests)\/./.test(text) ||
    Buffer.byteLength(text) > 255 ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids control characters in refs
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/.test(text) ||
    text.split('/').some((part) => part.startsWith('.') || part.startsWith('-') || part.endsWith('.lock'));
  return bad ? fail(problem('invalid_ref')) : ok(text as RefName);
}

/** Parses a path: relative, clean, `/`-separated, at most 256 characters, no `.git` folder (facts 4.2). */
export function repoPath(text: string): Result<RepoPath> {
  const bad =
    text === '' ||
    text.length > 256 ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a path
    /[\u0000-\u001f\u007f\\:]/.test(text) ||
    text.split('/').some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git');
  return bad ? fail(problem('invalid_path')) : ok(text as RepoPath);
}
