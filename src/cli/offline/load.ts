import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { envFilePaths, parseSpec, withPosition } from '../../spec/index.ts';
import { readEnvFiles, readText, specFilesIn } from './read.ts';
import type { Loaded } from './source.ts';

/** Where an application is read from: `path` on disk, `name` for people. */
export type Place = { readonly path: string; readonly name: string };

/** Parses one file with the env files beside it. */
export async function loadFile({ path, name }: Place): Promise<Loaded> {
  const folder = basename(dirname(path));
  const read = await readText(path);
  if (!read.ok) return unread({ path, name }, read.problem);
  const source = { name, text: read.value };
  const envFiles = await readEnvFiles(dirname(path), envFilePaths(source.text));
  const parsed = parseSpec(source.text, { envFiles });
  const locate = (found: Problem): { source: typeof source; problem: Problem } => ({
    source,
    problem: withPosition(found, source.text),
  });
  const request =
    Object.keys(envFiles).length === 0 ? { toml: read.value } : { toml: read.value, env_files: { ...envFiles } };
  const common = { name, folder, locate, request };
  return parsed.ok
    ? {
        ...common,
        title: parsed.application.name,
        application: parsed.application,
        problems: [],
        notes: parsed.warnings,
      }
    : { ...common, title: undefined, application: undefined, problems: parsed.problems.map(locate), notes: [] };
}

/** What stands for an application that could not be read. */
export function unread({ path, name }: Place, found: Problem): Loaded {
  const source = { name, text: '' };
  const locate = (p: Problem): { source: typeof source; problem: Problem } => ({ source, problem: p });
  const folder = basename(path);
  return {
    name,
    folder,
    title: undefined,
    application: undefined,
    problems: [locate(found)],
    notes: [],
    locate,
    request: { spec: {} },
  };
}

/** What somebody means by a path: one file, or a folder of applications. */
export type Meant = { readonly kind: 'file' | 'tree'; readonly place: Place };

/**
 * Without a path, the `hakopod.toml` of the current folder (facts 8.1: in any case). A folder with such a file means that file; any other
 * folder is a tree of applications. Codes: `file_not_found`, `invalid_request` (two spellings of the file).
 */
export async function findPlace(current: string, path: string | undefined): Promise<Result<Meant>> {
  const at = resolve(current, path ?? '.');
  const isDirectory = (await stat(at).catch(() => undefined))?.isDirectory() === true;
  if (path !== undefined && !isDirectory) return ok({ kind: 'file', place: { path: at, name: path } });
  const names = await specFilesIn(at);
  const [name] = names;
  if (names.length > 1) return fail(problem('invalid_request', TWO_SPELLINGS));
  if (name !== undefined) {
    return ok({ kind: 'file', place: { path: join(at, name), name: path === undefined ? name : join(path, name) } });
  }
  if (path !== undefined) return ok({ kind: 'tree', place: { path: at, name: path } });
  return fail(problem('file_not_found', 'there is no hakopod.toml in the current folder'));
}

/** Which of them is meant can not be known. */
export const TWO_SPELLINGS = 'the folder has hakopod.toml in two spellings';
