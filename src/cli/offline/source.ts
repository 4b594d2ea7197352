import type { Problem } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';

/** A file as it was read. `name` is the path people see; `text` is empty when it could not be read. */
export type Source = {
  readonly name: string;
  readonly text: string;
  /** No specification, so that no field of one is meant. */
  readonly isOther?: boolean;
};

/** A problem in the file it belongs to. Its message is ours and never contains a value. */
export type Located = { readonly source: Source; readonly problem: Problem };

/** A specification as a request of the API carries it. */
export type SpecRequest =
  | { readonly toml: string; readonly env_files?: Record<string, string> }
  | { readonly spec: Record<string, unknown> };

/** What was read of one application: a file, or a folder whose files are merged. */
export type Loaded = {
  /** Path people see: the file, or the folder. */
  readonly name: string;
  /** Of the folder it stands in, for trees. */
  readonly folder: string;
  /** Name the files give the application, as far as they can be read. */
  readonly title: string | undefined;
  readonly application: Application | undefined;
  /** What to send to the API for it: the text with its env files, or the merged specification. */
  readonly request: SpecRequest;
  /** Empty exactly when there is an application. */
  readonly problems: readonly Located[];
  /** Warnings of the parser, `path: text`. */
  readonly notes: readonly string[];
  /** Finds the file and line of a problem that was found later, by its path. */
  readonly locate: (problem: Problem) => Located;
};

/** Orders problems by file, then line and column; what has no position comes first. */
export function inFileOrder(problems: readonly Located[]): readonly Located[] {
  const files = [...new Set(problems.map(({ source }) => source.name))];
  const key = ({ source, problem }: Located): readonly number[] => [
    files.indexOf(source.name),
    problem.position?.line ?? 0,
    problem.position?.column ?? 0,
  ];
  return problems
    .map((located) => ({ located, key: key(located) }))
    .sort((a, b) => a.key.reduce((order, n, i) => order || n - (b.key[i] ?? 0), 0))
    .map(({ located }) => located);
}
