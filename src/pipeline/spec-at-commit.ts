import { createHmac } from 'node:crypto';
import {
  type ApplicationKey,
  type CommitSha,
  canonicalJson,
  LIMITS,
  ok,
  type Problem,
  problem,
  type Result,
  repoPath,
} from '../kernel/index.ts';
import type { GitSource, Remote } from '../ports/index.ts';
import {
  ENV_FILE_BYTES,
  envFileMentions,
  type ImportedEntry,
  type ParseResult,
  parseSpec,
  requiredSecrets,
  withPosition,
} from '../spec/index.ts';
import { type Deps, storedPath } from './context.ts';

/** A source's specification as one commit has it, with the env files it names. */
export type SpecAtCommit = {
  readonly text: string;
  readonly parsed: ParseResult;
  /** Where the env files are in the repository, whether or not they could be read: a commit that changes one is planned too. */
  readonly envFiles: readonly string[];
};

/** A specification that can be planned. */
export type ValidSpec = Extract<ParseResult, { readonly ok: true }>;

/**
 * Reads and parses a source's file and its env files, all at the same commit and all as Git objects. An env file that can not be read is a
 * problem of the specification, at the field that names it; a failure is about the file itself, or worth another try. The secrets of a
 * fork's env files are named without their values, so that a fork's plan confirms no guess about a value that was accepted.
 */
export async function readSpecAt(
  deps: Deps,
  request: {
    readonly source: GitSource;
    readonly remote: Remote;
    readonly commit: CommitSha;
    readonly fork: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Result<SpecAtCommit>> {
  const { source, remote, commit, signal } = request;
  const path = storedPath(source.spec.path);
  const file = await deps.git.readFile({ remote, commit, path, maxBytes: LIMITS.specBytes, signal });
  if (!file.ok) return file;
  const { text } = file.value;
  const mentions = envFileMentions(text);
  const envFiles: Record<string, string> = {};
  const unreadable: Problem[] = [];
  for (const { file: name, at } of mentions) {
    const place = repoPath(inFolderOf(source.spec.path, name));
    const read = place.ok
      ? await deps.git.readFile({ remote, commit, path: place.value, maxBytes: ENV_FILE_BYTES, signal })
      : place;
    if (read.ok) envFiles[name] = read.value.text;
    else if (read.problem.kind !== 'rejected') return read;
    // what is missing is the parser's to tell
    else if (read.problem.code !== 'file_not_found')
      unreadable.push(withPosition(problem(read.problem.code, read.problem.message, { at }), text));
  }
  const parsed: ParseResult =
    unreadable.length > 0
      ? { ok: false, problems: unreadable }
      : parseSpec(text, {
          envFiles,
          ...(request.fork ? {} : { secretName: importedNames(deps.options.snapshotKey, source.spec.application) }),
        });
  return ok({ text, parsed, envFiles: mentions.map(({ file: name }) => inFolderOf(source.spec.path, name)) });
}

/** The secrets an accepted release reads that must exist before: all but the ones its own env files bring. */
export function secretsToHave(parsed: ValidSpec): readonly string[] {
  const imported = new Set(parsed.imported.map(({ ref }) => ref));
  return requiredSecrets(parsed.application).filter((name) => !imported.has(name));
}

/**
 * Names the secrets of env files by their values: a new value is a new secret and so a new release, and a release that is rolled back to
 * still finds its own. Keyed with the installation's key, because the names are in plans and releases.
 */
export function importedNames(
  snapshotKey: string,
  { project, environment, name }: ApplicationKey,
): (entry: ImportedEntry) => string {
  return (entry) => {
    const hmac = createHmac('sha256', snapshotKey);
    return `env-${hmac
      .update(canonicalJson(['env file', project, environment, name, entry]))
      .digest('hex')
      .slice(0, 32)}`;
  };
}

/** The status with the env files of a plan; itself when they are the same. */
export function withEnvFiles(status: GitSource['status'], envFiles: readonly string[]): GitSource['status'] {
  const known = status.envFiles ?? [];
  const isSame = known.length === envFiles.length && known.every((path, i) => path === envFiles[i]);
  return isSame ? status : { ...status, envFiles: [...envFiles] };
}

/** Env files are named from the folder of the specification, and their paths never lead out of it. */
function inFolderOf(path: string, name: string): string {
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${name}`;
}
