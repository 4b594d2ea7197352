import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, LIMITS, ok, problem, type Result } from '../../kernel/index.ts';

const DEFAULT_NAME = 'hakopod.toml';

/** Reads a text file of at most `maxBytes`. Codes: `file_not_found`, `not_a_file`, `spec_too_large`, `binary_file`. */
export async function readText(path: string, maxBytes: number = LIMITS.specBytes): Promise<Result<string>> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return fail(problem('file_not_found', 'the file does not exist'));
  // a device or a pipe may never end
  if (!found.isFile()) return fail(problem('not_a_file', 'the path is not a file'));
  if (found.size > maxBytes) return fail(problem('spec_too_large'));
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return fail(problem('file_not_found', 'the file can not be read'));
  try {
    // a byte order mark is the parser's to pass over
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return fail(problem('binary_file'));
  }
}

/** Names in a folder that mean `hakopod.toml` (facts 8.1: in any case); empty when there is none or no such folder. */
export async function specFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.toLowerCase() === DEFAULT_NAME).sort();
}

/** Whether a path is a folder; symbolic links are not followed, as in a repository. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * The env files a specification names, from beside it, by the names it uses. What does not exist, is no text or goes through a symbolic
 * link, which a repository's file may not either, is left out; the parser then says at which field.
 */
export async function readEnvFiles(
  folder: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const read = await Promise.all(
    names.map(async (name): Promise<readonly (readonly [string, string])[]> => {
      if (await goesThroughLink(folder, name)) return [];
      const text = await readText(join(folder, name));
      return text.ok ? [[name, text.value]] : [];
    }),
  );
  return Object.fromEntries(read.flat());
}

async function goesThroughLink(folder: string, name: string): Promise<boolean> {
  const parts = name.split('/');
  const paths = parts.map((_, i) => join(folder, ...parts.slice(0, i + 1)));
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return found.some((entry) => entry?.isSymbolicLink() === true);
}
