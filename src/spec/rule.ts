import type { Application, Service } from './application.ts';
import type { Known } from './known.ts';
import type { Finding, Path } from './path.ts';
import type { ServiceFile, SpecFile } from './schema.ts';

/** What the checks over the whole application look at. */
export type Checked = {
  readonly application: Application;
  /** The file in its own order, so that findings name the file's list indexes. */
  readonly file: SpecFile;
  /** What the schema refused of it. */
  readonly known: Known;
};

/** One service before and after normalisation. */
export type Subject = {
  readonly name: string;
  readonly service: Service;
  readonly file: ServiceFile;
  readonly application: Application;
};

type Field = keyof ServiceFile;

/** A check inside one service. It runs only when no field it reads was refused. Paths are relative to the service. */
export type Rule = {
  readonly reads: readonly Field[];
  /** Fields of the application it reads. */
  readonly roots: readonly (keyof SpecFile)[];
  readonly run: (subject: Subject) => readonly Finding[];
};

/** A rule; `roots` are the fields of the application it reads beside those of the service. */
export function rule(
  reads: readonly Field[],
  run: (subject: Subject) => readonly Finding[],
  roots: readonly (keyof SpecFile)[] = [],
): Rule {
  return { reads, roots, run };
}

/** One finding, as a list. */
export function at(path: Path, message: string): readonly Finding[] {
  return [{ path, message }];
}

/** A finding when something is so. */
export function when(so: boolean, path: Path, message: string): readonly Finding[] {
  return so ? [{ path, message }] : [];
}

/** The rules over one service; their findings get their full paths. */
export function runRules(rules: readonly Rule[], { application, file, known }: Checked): readonly Finding[] {
  return Object.entries(application.services).flatMap(([name, service]) => {
    const own = file.services[name];
    if (own === undefined) return [];
    return rules
      .filter(({ reads, roots }) => known.fields(name, reads) && known.root(...roots))
      .flatMap(({ run }) => run({ name, service, file: own, application }))
      .map((finding) => ({ ...finding, path: ['services', name, ...finding.path] }));
  });
}

/** Whether a normalised value of a service says something: it is not absent, empty, zero or false. */
export function says(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.keys(value).length > 0;
}
