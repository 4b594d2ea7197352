import { resolve } from 'node:path';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { unsupportedFeatures } from '../../plan/index.ts';
import { specDigest } from '../../spec/index.ts';
import { EXIT, type Terminal, unwrap } from '../io.ts';
import { print } from '../output.ts';
import { findPlace, loadFile, type Place } from './load.ts';
import { withPatchChecks } from './patches.ts';
import { printable, publicProblems, reportLines } from './report.ts';
import { inFileOrder, type Loaded, type Located } from './source.ts';
import { loadTree, type Tree } from './tree.ts';

/** What to read, as commander gives it. */
export type SpecFlags = {
  readonly dir?: string;
  readonly only?: string;
  /** The path again, as a flag. */
  readonly file?: string;
  readonly output?: string;
};

/** Reads what somebody named: a file, a folder with a `hakopod.toml`, or a tree of applications. */
export async function loadSpecs(current: string, given: string | undefined, flags: SpecFlags): Promise<Result<Tree>> {
  const { dir, file } = flags;
  const path = given ?? file;
  const only = flags.only?.split(',').filter((name) => name !== '');
  if (only?.length === 0) return fail(problem('invalid_request', 'names no application', { at: '--only' }));
  if (given !== undefined && file !== undefined)
    return fail(problem('invalid_request', 'say the path once', { at: '--file' }));
  if (dir !== undefined && path !== undefined) {
    return fail(problem('invalid_request', 'can not be combined with a file', { at: '--dir' }));
  }
  const meant =
    dir === undefined
      ? await findPlace(current, path)
      : ok({ kind: 'tree' as const, place: { path: resolve(current, dir), name: dir } });
  if (!meant.ok) return meant;
  const { kind, place } = meant.value;
  if (kind === 'tree') return ok(await checkedTree(place, only));
  if (only !== undefined) return fail(problem('invalid_request', 'is for folders of applications', { at: '--only' }));
  return ok({ applications: [withPatchChecks(await loadFile(place))], problems: [], isTree: false });
}

async function checkedTree(place: Place, only: readonly string[] | undefined): Promise<Tree> {
  const tree = await loadTree(place, only);
  return { ...tree, applications: tree.applications.map(withPatchChecks) };
}

/** `hakopod validate`: every problem of every file at once. Exit code 2 when there is one; what plan will refuse is a warning. */
export async function validate(terminal: Terminal, path: string | undefined, flags: SpecFlags): Promise<number> {
  return unwrap(terminal, await loadSpecs(terminal.folder ?? '.', path, flags), (tree) => {
    const problems = allProblems(tree);
    const warnings = tree.applications.flatMap(refusedLater);
    printVerdict(terminal, tree, { problems, warnings, output: flags.output });
    return problems.length === 0 ? EXIT.ok : EXIT.input;
  });
}

/** Problems of the tree itself and of each application. */
export function allProblems({ problems, applications }: Tree): readonly Located[] {
  return inFileOrder([...problems, ...applications.flatMap((one) => one.problems)]);
}

/** What is valid, but no plan lets through. */
function refusedLater({ application, locate }: Loaded): readonly Located[] {
  if (application === undefined) return [];
  return unsupportedFeatures(application).map((found) =>
    locate({ ...found, message: `is valid, but a plan will refuse it: ${NOT_RUN}` }),
  );
}

const NOT_RUN = 'this installation does not run what it needs';

type Found = {
  readonly problems: readonly Located[];
  readonly warnings: readonly Located[];
  readonly output: SpecFlags['output'];
};

/** Prints what keeps the files from being released, if anything does, and tells whether. */
export function printProblemsOf(terminal: Terminal, tree: Tree): boolean {
  const problems = allProblems(tree);
  if (problems.length === 0) return false;
  printVerdict(terminal, { ...tree, applications: [] }, { problems, warnings: [], output: 'table' });
  return true;
}

/** Prints what was found, for people or for programs. */
export function printVerdict(terminal: Terminal, tree: Tree, found: Found): void {
  const { output } = found;
  if (output === 'json' || output === 'yaml') print({ terminal, format: output }, verdictOf(tree, found), () => []);
  else printText(terminal, tree, found);
}

function printText(terminal: Terminal, tree: Tree, { problems, warnings }: Found): void {
  const isColoured = terminal.colour === true;
  for (const line of reportLines(problems, 'error', isColoured)) terminal.err(line);
  for (const line of reportLines(inFileOrder(warnings), 'warning', isColoured)) terminal.err(line);
  for (const { name, application, notes } of tree.applications) {
    if (application === undefined) continue;
    for (const note of notes) terminal.err(`${printable(name)}: warning: ${note}`);
    terminal.out(`${printable(name)}: valid, ${summary(application)}`);
  }
  if (problems.length === 0) return;
  const files = new Set(problems.map(({ source }) => source.name)).size;
  terminal.err(`${count(problems.length, 'problem')} in ${count(files, 'file')}`);
}

function verdictOf(tree: Tree, { problems, warnings }: Found): unknown {
  const applications = tree.applications.flatMap(({ name, application, notes }) =>
    application === undefined
      ? []
      : [
          {
            file: printable(name),
            name: application.name,
            services: Object.keys(application.services).sort(),
            spec_digest: specDigest(application),
            notes,
          },
        ],
  );
  return {
    valid: problems.length === 0,
    applications,
    problems: publicProblems(problems),
    warnings: publicProblems(warnings),
  };
}

function summary(application: NonNullable<Loaded['application']>): string {
  return `application ${application.name} with ${count(Object.keys(application.services).length, 'service')}`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
