import { sha256 } from '../kernel/index.ts';
import { type DotenvEntry, parseDotenv } from './dotenv.ts';
import { cleanRelative } from './file-paths.ts';
import type { Finding, Path } from './path.ts';
import { looksSensitive } from './sensitive.ts';
import { isTable, type Table } from './tables.ts';

/** A variable of an env file that must not be plain text. */
export type ImportedEntry = {
  /** The service whose `env_file` it came by; empty for the application's. */
  readonly scope: string;
  readonly key: string;
  readonly value: string;
};

/** A secret to store before the application can run. The value is never shown or logged. */
export type ImportedSecret = { readonly ref: string; readonly value: string };

export type EnvFileOptions = {
  /** The text of each env file by its path as written; one that is absent was not found. */
  readonly envFiles: Readonly<Record<string, string>>;
  /** Names the secret of a sensitive entry; must match the pattern of names. */
  readonly secretName: (entry: ImportedEntry) => string;
};

const PATH_TEXT = 'must be a clean relative path of at most 200 characters without ..';
const WRONG_TYPE = 'must be a path or a list of paths';

/** Files of one field and of one application (facts 1.16). */
const MAX_FILES = 8;
/** Bytes of the env files of one application together, so also of one alone. */
export const ENV_FILE_BYTES = 128 * 1024;

/** One mention of an env file. */
export type EnvFileUse = { readonly file: string; readonly path: Path };

/** The env files a raw document names: the application's first, then the services' in their order. Nothing for what the schema refuses. */
export function envFileUses(raw: unknown): readonly EnvFileUse[] {
  return tablesOf(raw).flatMap(({ path, table }) =>
    listOf(table.env_file).map((file, i): EnvFileUse => {
      const field = [...path, 'env_file'];
      return { file, path: Array.isArray(table.env_file) ? [...field, i] : field };
    }),
  );
}

/** One refusal for each `env_file` of a document that is not imported from a file (facts 1.1: import-time only). */
export function refuseEnvFiles(raw: unknown): readonly Finding[] {
  return tablesOf(raw)
    .filter(({ table }) => Object.hasOwn(table, 'env_file'))
    .map(({ path }) => ({ path: [...path, 'env_file'], message: 'can only be read beside a TOML file' }));
}

/**
 * Puts the variables of the env files into the tables that name them (facts 1.16). What a table says itself wins;
 * of two files of one table the later wins. Sensitive entries become secret references and come back in `imported`, each reference once. The
 * input stays as it is. With findings, `value` is as far as it was understood.
 */
export function expandEnvFiles(
  raw: unknown,
  options: EnvFileOptions,
): { readonly value: unknown; readonly findings: readonly Finding[]; readonly imported: readonly ImportedSecret[] } {
  const uses = envFileUses(raw);
  const findings: Finding[] = [...checkShapes(raw), ...checkUses(uses, options)];
  if (findings.length > 0) return { value: raw, findings, imported: [] };
  const files = readAll(uses, options, findings);
  const imported = new Map<string, string>();
  const value = withTables(raw, (place) => {
    if (listOf(place.table.env_file).length === 0) return place.table;
    const expanded = expand(place, { files, options, findings, imported });
    if (place.scope === '' && expanded.inject_env === false)
      findings.push({ path: ['inject_env'], message: 'can not be false together with an env_file of the application' });
    return place.scope === '' && expanded.inject_env === undefined ? { ...expanded, inject_env: true } : expanded;
  });
  return { value, findings, imported: [...imported].map(([ref, secret]) => ({ ref, value: secret })) };
}

/** The secret's name when nothing keys it: from where the entry stands, never from its value. */
export function defaultSecretName({ scope, key }: ImportedEntry): string {
  return `env-${sha256(`${scope}\n${key}`).slice(0, 32)}`;
}

type Place = { readonly scope: string; readonly path: Path; readonly table: Table };

/** More services than any file may have are the schema's to refuse. */
const MOST_SERVICES = 100;

/** The tables that may have an `env_file`. */
function tablesOf(raw: unknown): readonly Place[] {
  if (!isTable(raw)) return [];
  const services = isTable(raw.services) ? Object.entries(raw.services).slice(0, MOST_SERVICES) : [];
  return [
    { scope: '', path: [], table: raw },
    ...services.flatMap(([name, table]) =>
      isTable(table) && name !== '' ? [{ scope: name, path: ['services', name], table }] : [],
    ),
  ];
}

/** A copy of the document with its tables replaced; tables that stay the same are shared. */
function withTables(raw: unknown, change: (place: Place) => Table): unknown {
  const [root, ...services] = tablesOf(raw);
  if (root === undefined) return raw;
  const changed = new Map(services.map((place) => [place.scope, change(place)]));
  const table = change(root);
  if (!isTable(table.services)) return table;
  const all = Object.entries(table.services).map(([name, service]) => [name, changed.get(name) ?? service]);
  return { ...table, services: Object.fromEntries(all) };
}

/** The paths of an `env_file`; none when it is unset or one of them is not right. All are clean and relative. */
function listOf(field: unknown): readonly string[] {
  return field === undefined || field === '' || shapeFindings(field).length > 0 ? [] : [field].flat().map(String);
}

/** What is wrong with an `env_file` itself; paths are relative to it. That it is a text or a list of texts is the schema's to say. */
function shapeFindings(field: unknown): readonly Finding[] {
  if (field === undefined || field === '') return [];
  const isList = Array.isArray(field);
  const files: readonly unknown[] = isList ? field : [field];
  if (!files.every((file): file is string => typeof file === 'string')) return [{ path: [], message: WRONG_TYPE }];
  if (files.length === 0 || files.length > MAX_FILES)
    return [{ path: [], message: `must name 1 to ${MAX_FILES} files` }];
  return files.flatMap((file, i): readonly Finding[] => {
    const path = isList ? [i] : [];
    if (!cleanRelative(file)) return [{ path, message: PATH_TEXT }];
    return files.indexOf(file) === i ? [] : [{ path, message: 'is listed twice' }];
  });
}

function checkShapes(raw: unknown): readonly Finding[] {
  return tablesOf(raw).flatMap(({ path, table }) =>
    shapeFindings(table.env_file)
      .filter(({ message }) => message !== WRONG_TYPE)
      .map((finding) => ({ ...finding, path: [...path, 'env_file', ...finding.path] })),
  );
}

function checkUses(uses: readonly EnvFileUse[], { envFiles }: EnvFileOptions): readonly Finding[] {
  const files = new Set<string>();
  let bytes = 0;
  return uses.flatMap(({ file, path }): readonly Finding[] => {
    if (files.has(file)) return [];
    files.add(file);
    if (files.size > MAX_FILES) return [{ path, message: `is one file more than the ${MAX_FILES} of an application` }];
    if (!Object.hasOwn(envFiles, file)) return [{ path, message: 'the file does not exist', code: 'env_file_missing' }];
    bytes += Buffer.byteLength(envFiles[file] ?? '');
    const isTooMuch = bytes > ENV_FILE_BYTES;
    return isTooMuch ? [{ path, message: `the env files are over ${ENV_FILE_BYTES / 1024} KiB together` }] : [];
  });
}

type Files = ReadonlyMap<string, readonly DotenvEntry[]>;

/** Each file is read once; its errors are told where it is named first. */
function readAll(uses: readonly EnvFileUse[], { envFiles }: EnvFileOptions, findings: Finding[]): Files {
  const files = new Map<string, readonly DotenvEntry[]>();
  for (const { file, path } of uses) {
    if (files.has(file)) continue;
    const { entries, errors } = parseDotenv(envFiles[file] ?? '');
    findings.push(...errors.map(({ line, message }) => ({ path, message: `line ${line} of the env file ${message}` })));
    files.set(file, errors.length > 0 ? [] : entries);
  }
  return files;
}

type Expansion = {
  readonly files: Files;
  readonly options: EnvFileOptions;
  readonly findings: Finding[];
  readonly imported: Map<string, string>;
};

function expand(place: Place, { files, options, findings, imported }: Expansion): Table {
  const { scope, path, table } = place;
  const { env = {}, secrets = {} } = table;
  // what is no table is the schema's to refuse
  if (!isTable(env) || !isTable(secrets)) return table;
  const names = listOf(table.env_file);
  const found = new Map<string, DotenvEntry & { readonly index: number }>();
  for (const [index, file] of names.entries())
    for (const entry of files.get(file) ?? []) found.set(entry.name, { ...entry, index });
  const plain: [string, unknown][] = [];
  const references: [string, unknown][] = [];
  for (const { name: key, value, line, index } of found.values()) {
    if (Object.hasOwn(env, key) || Object.hasOwn(secrets, key)) continue;
    if (!looksSensitive(key, value)) plain.push([key, value]);
    else if (value === '') {
      const field = Array.isArray(table.env_file) ? ['env_file', index] : ['env_file'];
      const message = `line ${line} of the env file has no value for what looks like a secret by its name`;
      findings.push({ path: [...path, ...field], message });
    } else {
      const ref = options.secretName({ scope, key, value });
      imported.set(ref, value);
      references.push([key, { ref }]);
    }
  }
  return {
    ...table,
    env: Object.fromEntries([...plain, ...Object.entries(env)]),
    secrets: Object.fromEntries([...references, ...Object.entries(secrets)]),
  };
}
