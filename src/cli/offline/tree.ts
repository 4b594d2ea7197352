import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Problem, problem } from '../../kernel/index.ts';
import { parseDocument, parseSpecJson } from '../../spec/index.ts';
import { loadFile, type Place, TWO_SPELLINGS, unread } from './load.ts';
import { mergeParts, type Part, partOf } from './merge.ts';
import { loadNetworks, type Networks } from './networks.ts';
import { readText, specFilesIn } from './read.ts';
import { inFileOrder, type Loaded, type Located } from './source.ts';

/** The applications of a tree that were asked for, and what is wrong with the tree itself. */
export type Tree = {
  readonly applications: readonly Loaded[];
  readonly problems: readonly Located[];
  /** A folder of applications, not one file. */
  readonly isTree: boolean;
};

/**
 * Reads a folder of applications (facts 8.5): each folder directly in it that is not hidden is one. With `only`, those named by folder or
 * application; folders that are not asked for need not be readable.
 */
export async function loadTree(root: Place, only: readonly string[] | undefined): Promise<Tree> {
  const entries = await readdir(root.path, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const loaded = await Promise.all(
    folders.sort().map((name) => loadFolder({ path: join(root.path, name), name: join(root.name, name) })),
  );
  const isAsked = ({ folder, title }: Loaded): boolean =>
    only === undefined || only.includes(folder) || (title !== undefined && only.includes(title));
  const applications = loaded.filter(isAsked);
  const networks = await loadNetworks(root);
  return {
    applications: applications.map((one, i) => withNameOfItsOwn(withGrants(one, networks), applications.slice(0, i))),
    problems: [...networks.problems, ...missing(root, applications, only)],
    isTree: true,
  };
}

/** One application of a tree: its `hakopod.toml` alone, or all its TOML files merged. */
async function loadFolder(place: Place): Promise<Loaded> {
  const names = await specFilesIn(place.path);
  const [name] = names;
  if (names.length > 1) return unread(place, problem('invalid_request', TWO_SPELLINGS));
  if (name === undefined) return loadMerged(place);
  return loadFile({ path: join(place.path, name), name: join(place.name, name) });
}

async function loadMerged(place: Place): Promise<Loaded> {
  const entries = await readdir(place.path, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => !entry.isDirectory() && /^[^.].*\.toml$/.test(entry.name))
    .map(({ name }) => name);
  if (names.length === 0) return unread(place, problem('file_not_found', 'the folder has no TOML file'));
  const read = await Promise.all(names.sort().map((name) => readPart(place, name)));
  const folder = basename(place.path);
  const parts = read.flatMap((one) => ('value' in one ? [one] : []));
  const unreadable = read.flatMap((one) => ('value' in one ? [] : one));
  const merged = mergeParts(folder, parts);
  const parsed = parseSpecJson(merged.document);
  const found = parsed.ok ? [] : parsed.problems.map(merged.locate);
  const problems = inFileOrder([...unreadable, ...merged.problems, ...found]);
  return {
    name: place.name,
    folder,
    title: folder,
    application: parsed.ok && problems.length === 0 ? parsed.application : undefined,
    // what a file that can not be read would have said is not held against the others
    problems: unreadable.length > 0 ? inFileOrder([...unreadable, ...merged.problems]) : problems,
    notes: parsed.ok ? parsed.warnings : [],
    locate: merged.locate,
    request: { spec: parsed.ok ? { ...parsed.application } : {} },
  };
}

async function readPart(place: Place, name: string): Promise<Part | readonly Located[]> {
  const source = { name: join(place.name, name), text: '' };
  const text = await readText(join(place.path, name));
  if (!text.ok) return [{ source, problem: text.problem }];
  const document = parseDocument(text.value);
  const read = { ...source, text: text.value };
  return document.ok
    ? partOf(read, document.value, name.slice(0, -'.toml'.length))
    : document.problems.map((found) => ({ source: read, problem: found }));
}

function withGrants(loaded: Loaded, networks: Networks): Loaded {
  return loaded.application === undefined ? loaded : refused(loaded, networks.refusals(loaded.application));
}

/** Two folders of one name take turns on one application when they are released to the same place. */
function withNameOfItsOwn(loaded: Loaded, before: readonly Loaded[]): Loaded {
  const isTaken = loaded.title !== undefined && before.some(({ title }) => title === loaded.title);
  return isTaken
    ? { ...loaded, notes: [...loaded.notes, 'name: another folder has an application of this name'] }
    : loaded;
}

function refused(loaded: Loaded, problems: readonly Problem[]): Loaded {
  if (problems.length === 0) return loaded;
  return { ...loaded, application: undefined, problems: [...loaded.problems, ...problems.map(loaded.locate)] };
}

function missing(root: Place, found: readonly Loaded[], only: readonly string[] | undefined): readonly Located[] {
  const at = (refusal: Problem): Located => ({ source: { name: root.name, text: '' }, problem: refusal });
  if (only === undefined) {
    return found.length > 0 ? [] : [at(problem('file_not_found', 'no folder in it holds an application'))];
  }
  const absent = only.filter((name) => !found.some(({ folder, title }) => folder === name || title === name));
  return absent.length === 0 ? [] : [at(problem('not_found', '--only names an application that is not there'))];
}
