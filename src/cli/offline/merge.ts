import { canonicalJson, NAME, type Problem, problem } from '../../kernel/index.ts';
import { formatPath, withPosition } from '../../spec/index.ts';
import type { Located, Source } from './source.ts';

type Table = Readonly<Record<string, unknown>>;

/** One file of a folder, parsed as TOML but not understood yet. `service` is the name of a file that is one bare service. */
export type Part = { readonly source: Source; readonly value: Table; readonly service?: string };

/** The files of a folder as one document. */
export type Merged = {
  readonly document: Table;
  readonly problems: readonly Located[];
  /** Finds the file of a path of the document, and the line in it. */
  readonly locate: (problem: Problem) => Located;
};

/** Facts 8.5: only one file may set them. */
const SINGLE_OWNER: readonly string[] = ['name', 'recovery', 'inject_env', 'domains', 'volumes'];
/** Facts 8.5: merged entry by entry. */
const PER_KEY: readonly string[] = ['services', 'networks', 'env', 'secrets'];

/** Tells a document, which has `services`, from a bare service, which is named by its file (facts 8.5). */
export function partOf(source: Source, value: Table, baseName: string): Part {
  return Object.hasOwn(value, 'services') ? { source, value } : { source, value, service: baseName };
}

/**
 * Merges the files of a folder into one application named after it, in the order given (facts 8.5). Problems: a key two files set, another
 * name than the folder's, `env_file`, a folder whose name is no name. What a key may hold is the parser's to check.
 */
export function mergeParts(folder: string, parts: readonly Part[]): Merged {
  const merge = new Merge(folder);
  for (const part of parts) {
    if (part.service === undefined) merge.addDocument(part);
    else merge.addService(part.service, part);
  }
  const first = parts[0]?.source ?? { name: folder, text: '' };
  if (!NAME.test(folder)) merge.refuse(first, undefined, `the name of the folder ${NO_NAME}`);
  return merge.finish(first);
}

type Owner = {
  /** Path of the merged document, as text. */
  readonly at: string;
  readonly source: Source;
  /** What to take off the path to have that of the file. */
  readonly prefix: string;
  readonly value: unknown;
};

/** Collects one folder; lives for one merge. */
class Merge {
  readonly #folder: string;
  readonly #problems: Located[] = [];
  readonly #owners = new Map<string, Owner>();
  readonly #tables = new Map<string, Map<string, unknown>>();
  readonly #single = new Map<string, unknown>();

  constructor(folder: string) {
    this.#folder = folder;
    // a folder whose name is none is refused once, not by the parser too
    this.#single.set('name', NAME.test(folder) ? folder : 'a');
  }

  refuse(source: Source, at: string | undefined, message: string): void {
    const found = problem('invalid_spec', message, at === undefined ? {} : { at });
    this.#problems.push({ source, problem: withPosition(found, source.text) });
  }

  addService(name: string, { source, value }: Part): void {
    const at = formatPath(['services', name]);
    const service = this.#withoutEnvFile(value, 'env_file', source);
    if (this.#own(at, { at, source, prefix: at, value })) this.#table('services').set(name, service);
    else this.refuse(source, undefined, 'another file of this folder has a service of this name');
  }

  addDocument({ source, value }: Part): void {
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'env_file') this.refuse(source, key, NO_ENV_FILE);
      else if (PER_KEY.includes(key) && isTable(entry)) this.#addEntries(key, entry, source);
      else this.#addSingle(key, entry, source);
    }
  }

  #addEntries(key: string, entries: Table, source: Source): void {
    this.#table(key);
    for (const [name, value] of Object.entries(entries)) {
      const at = formatPath([key, name]);
      const entry = key === 'services' ? this.#withoutEnvFile(value, `${at}.env_file`, source) : value;
      const before = this.#owners.get(at);
      if (this.#own(at, { at, source, prefix: '', value })) this.#table(key).set(name, entry);
      else if (key === 'services' || !same(before?.value, value)) this.refuse(source, at, TWICE);
    }
  }

  #addSingle(key: string, value: unknown, source: Source): void {
    const at = formatPath([key]);
    if (key === 'name' && value !== this.#folder) {
      this.refuse(source, at, 'must be the name of the folder, or be left out');
      return;
    }
    const before = this.#owners.get(at);
    if (this.#own(at, { at, source, prefix: '', value })) {
      this.#single.set(key, value);
      return;
    }
    // what is neither listed above nor here is unknown, and refused once by the parser
    const mayAgree = key === 'schema_version' && same(version(before?.value), version(value));
    if (!mayAgree && (SINGLE_OWNER.includes(key) || key === 'schema_version')) this.refuse(source, at, TWICE);
  }

  /** Refuses the field and takes it out, so that the parser does not say it again in other words. */
  #withoutEnvFile(service: unknown, at: string, source: Source): unknown {
    if (!isTable(service) || !Object.hasOwn(service, 'env_file')) return service;
    this.refuse(source, at, NO_ENV_FILE);
    return Object.fromEntries(Object.entries(service).filter(([key]) => key !== 'env_file'));
  }

  /** Whether this is the first file that sets the path. */
  #own(at: string, owner: Owner): boolean {
    if (this.#owners.has(at)) return false;
    this.#owners.set(at, owner);
    return true;
  }

  #table(key: string): Map<string, unknown> {
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const made = new Map<string, unknown>();
    this.#tables.set(key, made);
    return made;
  }

  finish(first: Source): Merged {
    this.#table('services');
    const tables = [...this.#tables].map(([key, entries]) => [key, Object.fromEntries(entries)] as const);
    const owners = [...this.#owners.values()].sort((a, b) => b.at.length - a.at.length);
    return {
      document: Object.fromEntries([...this.#single, ...tables]),
      problems: this.#problems,
      locate: (found) => locate(found, owners, first),
    };
  }
}

const NO_NAME =
  'must be 1 to 40 lowercase letters, digits and hyphens, starting with a letter and not ending with a hyphen';
const NO_ENV_FILE = 'can not be used in a folder whose files are merged';
const TWICE = 'is set by another file of this folder too';

/** The file that owns the longest part of the path. The path stays as it is; the line is that of the file. */
function locate(found: Problem, owners: readonly Owner[], first: Source): Located {
  const { at = '' } = found;
  const owner = owners.find((one) => at === one.at || at.startsWith(`${one.at}.`) || at.startsWith(`${one.at}[`));
  if (owner === undefined) return { source: first, problem: found };
  const inFile = at.slice(owner.prefix.length).replace(/^\./, '');
  if (inFile === '') return { source: owner.source, problem: found };
  const { position } = withPosition({ ...found, at: inFile }, owner.source.text);
  return { source: owner.source, problem: position === undefined ? found : { ...found, position } };
}

function version(value: unknown): unknown {
  return value === 0 ? 1 : value;
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
