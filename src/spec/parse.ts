import { parse as parseToml, TomlError } from 'smol-toml';
import { canonicalJson, LIMITS, type Position, type Problem, problem } from '../kernel/index.ts';
import type { Application } from './application.ts';
import {
  defaultSecretName,
  type EnvFileOptions,
  envFileUses,
  expandEnvFiles,
  type ImportedSecret,
  refuseEnvFiles,
} from './env-files.ts';
import { interpret } from './interpret.ts';
import { deepKey, locateKeys } from './locate.ts';
import { formatPath, parsePath } from './path.ts';
import { toProblems, type UnknownKeys } from './report.ts';
import type { Table } from './tables.ts';
import { unsafeKeys } from './unsafe-keys.ts';

/** An application, or every independent problem of the file in its order. */
export type ParseResult =
  | {
      readonly ok: true;
      readonly application: Application;
      /** What of the file has no effect, one line each. */
      readonly warnings: readonly string[];
      /** Secrets that the env files hold, to be stored before the application can run. Never shown or logged. */
      readonly imported: readonly ImportedSecret[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Nesting of inline tables and lists, and parts of a dotted key; the schema needs seven. */
const DEEPEST = 32;

/**
 * Parses a specification in TOML (facts 1) with the env files it names (facts 1.16; see `envFilePaths`). A leading byte order mark is
 * ignored. Every problem names its field and its line and column, never a value. Codes: `spec_too_large` (over 256 KiB of text or
 * canonical JSON), `env_file_missing`, `invalid_spec`.
 */
export function parseSpec(text: string, options: Partial<EnvFileOptions> = {}): ParseResult {
  const read = readToml(text);
  if (!read.ok) return read;
  const { raw, document } = read;
  const unsafe = MAY_BE_UNSAFE.test(document) ? unsafeKeys(raw) : NO_KEYS;
  const { envFiles = {}, secretName = defaultSecretName } = options;
  const expanded = MAY_NAME_ENV_FILES.test(document)
    ? expandEnvFiles(raw, { envFiles, secretName })
    : { value: raw, findings: [], imported: [] };
  const outcome = interpret(expanded.value);
  const known = [...expanded.findings, ...outcome.findings];
  if (outcome.application === undefined || known.length + unsafe.count > 0) {
    const unknown = both(unsafe, outcome.unknown);
    return { ok: false, problems: toProblems(known, unknown, document) };
  }
  return finish(outcome.application, outcome.warnings.map(sentence), expanded.imported);
}

/**
 * Parses a specification that is JSON already (facts 1: same fields). Same rules; problems have no line and column, and there are no env
 * files beside it.
 */
export function parseSpecJson(value: unknown): ParseResult {
  const unsafe = unsafeKeys(value);
  const outcome = interpret(value);
  const known = [...refuseEnvFiles(value), ...outcome.findings];
  if (outcome.application === undefined || known.length + unsafe.count > 0) {
    const unknown = both(unsafe, outcome.unknown);
    return { ok: false, problems: toProblems(known, unknown, undefined) };
  }
  return finish(outcome.application, outcome.warnings.map(sentence), []);
}

/** The env files a specification names, as written, each once. Empty when there are none, or when the text is no TOML. */
export function envFilePaths(text: string): readonly string[] {
  return envFileMentions(text).map(({ file }) => file);
}

/** The same with the field that names each first. */
export function envFileMentions(text: string): readonly { readonly file: string; readonly at: string }[] {
  const read = readToml(text);
  if (!read.ok) return [];
  const first = new Map<string, string>();
  for (const { file, path } of envFileUses(read.raw)) if (!first.has(file)) first.set(file, formatPath(path));
  return [...first].map(([file, at]) => ({ file, at }));
}

/**
 * Adds line and column to a problem that later stages found by path, such as a refusal of the grant. The problem itself when it has a
 * position already or the text does not mention its field.
 */
export function withPosition(found: Problem, text: string): Problem {
  const path = found.at === undefined || found.position !== undefined ? undefined : parsePath(found.at);
  const read = path === undefined ? undefined : readToml(text);
  if (path === undefined || read?.ok !== true) return found;
  const position = locateKeys(read.document, [path]).position(path);
  return position === undefined ? found : { ...found, position };
}

/** The tables of a TOML document whose meaning somebody else knows, such as a part of a specification. Problems as those of `parseSpec`. */
export function parseDocument(
  text: string,
): { readonly ok: true; readonly value: Table } | { readonly ok: false; readonly problems: readonly Problem[] } {
  const read = readToml(text);
  // a document is always a table
  return read.ok ? { ok: true, value: read.raw as Table } : read;
}

/** Searches that most documents need not have. Quoted keys may spell what they look for with escapes. */
const MAY_BE_UNSAFE = /__proto__|\\[xuU]/;
const MAY_NAME_ENV_FILES = /env_file|\\[xuU]/;

const NO_KEYS: UnknownKeys = { listed: [], count: 0 };

function both(a: UnknownKeys, b: UnknownKeys): UnknownKeys {
  return { listed: [...a.listed, ...b.listed], count: a.count + b.count };
}

type Read =
  | { readonly ok: true; readonly raw: unknown; readonly document: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function readToml(text: string): Read {
  if (Buffer.byteLength(text) > LIMITS.specBytes) return { ok: false, problems: [problem('spec_too_large')] };
  if (!text.isWellFormed()) return { ok: false, problems: [problem('invalid_spec', 'the file is not valid Unicode')] };
  const document = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const position = deepKey(document, DEEPEST);
  if (position !== undefined) {
    return { ok: false, problems: [problem('invalid_spec', `a key must have at most ${DEEPEST} parts`, { position })] };
  }
  try {
    return { ok: true, raw: parseToml(document, { maxDepth: DEEPEST }), document };
  } catch (error) {
    return { ok: false, problems: [syntaxProblem(error)] };
  }
}

/** The parser's own message quotes the text, so only its position is kept. */
function syntaxProblem(error: unknown): Problem {
  if (!(error instanceof TomlError)) throw error;
  const position: Position = { line: error.line, column: error.column };
  return problem('invalid_spec', 'the file is not valid TOML', { position });
}

function finish(
  application: Application,
  warnings: readonly string[],
  imported: readonly ImportedSecret[],
): ParseResult {
  if (Buffer.byteLength(canonicalJson(application)) > LIMITS.specBytes) {
    return { ok: false, problems: [problem('spec_too_large')] };
  }
  return { ok: true, application, warnings, imported };
}

function sentence({
  path,
  message,
}: {
  readonly path: readonly (string | number)[];
  readonly message: string;
}): string {
  return `${formatPath(path)}: ${message}`;
}
