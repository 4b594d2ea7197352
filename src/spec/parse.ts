import { parse as parseToml, TomlError } from 'smol-toml';
import { canonicalJson, LIMITS, type Position, type Problem, problem } from '../kernel/index.ts';
import type { Application } from './application.ts';
import { check } from './check.ts';
import { missingHook, translateIssues } from './issues.ts';
import { type Locator, locateKeys } from './locate.ts';
import { normalise } from './normalise.ts';
import { type Finding, formatPath, parsePath } from './path.ts';
import { SpecFile } from './schema.ts';
import { unsafeKeys } from './unsafe-keys.ts';
import { isTable, stripUnsupported } from './unsupported.ts';

/** An application, or every independent problem of the file in its order. */
export type ParseResult =
  | { readonly ok: true; readonly application: Application; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Nesting of inline tables and lists; the schema needs five. */
const DEEPEST = 32;

/**
 * Parses a specification in TOML (facts 1). A leading byte order mark is ignored. Every problem names its field and its line and
 * column, never a value. Codes: `spec_too_large` (over 256 KiB of text or canonical JSON), `unsupported_feature`, `invalid_spec`.
 */
export function parseSpec(text: string): ParseResult {
  if (Buffer.byteLength(text) > LIMITS.specBytes) return { ok: false, problems: [problem('spec_too_large')] };
  if (!text.isWellFormed()) return { ok: false, problems: [problem('invalid_spec', 'the file is not valid Unicode')] };
  const document = withoutMark(text);
  let raw: unknown;
  try {
    raw = parseToml(document, { maxDepth: DEEPEST });
  } catch (error) {
    return { ok: false, problems: [syntaxProblem(error)] };
  }
  return interpret(raw, { mayBeUnsafe: MAY_BE_UNSAFE.test(document), locate: () => locateKeys(document) });
}

/** Parses a specification that is JSON already (facts 1: same fields). Same rules; problems have no line and column. */
export function parseSpecJson(value: unknown): ParseResult {
  return interpret(value, { mayBeUnsafe: true, locate: () => undefined });
}

/**
 * Adds line and column to a problem that later stages found by path, such as a refusal of the grant. The problem itself when it has a
 * position already or the text does not mention its field.
 */
export function withPosition(found: Problem, text: string): Problem {
  const path = found.at === undefined || found.position !== undefined ? undefined : parsePath(found.at);
  if (path === undefined) return found;
  const document = withoutMark(text);
  try {
    parseToml(document, { maxDepth: DEEPEST });
  } catch {
    return found;
  }
  const position = locateKeys(document).position(path);
  return position === undefined ? found : { ...found, position };
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The parser's own message quotes the text, so only its position is kept. */
function syntaxProblem(error: unknown): Problem {
  if (!(error instanceof TomlError)) throw error;
  const position: Position = { line: error.line, column: error.column };
  return problem('invalid_spec', 'the file is not valid TOML', { position });
}

type Source = {
  /** False when no key can be `__proto__`, which saves the search. */
  readonly mayBeUnsafe: boolean;
  readonly locate: () => Locator | undefined;
};

/** Quoted keys may spell it with escapes. */
const MAY_BE_UNSAFE = /__proto__|\\[xuU]/;

function interpret(raw: unknown, source: Source): ParseResult {
  const stripped = stripUnsupported(raw);
  const parsed = SpecFile.safeParse(stripped.value, { error: missingHook });
  const { findings: schema, unknown, unknownCount } = translateIssues(parsed.success ? [] : parsed.error.issues);
  const cross = parsed.success
    ? check({ application: normalise(parsed.data), file: parsed.data, broken: new Set(), networksKnown: true })
    : checkWhatRemains(stripped.value, [...schema, ...unknown]);
  const known = [...stripped.findings, ...schema, ...cross];
  const unsafe = source.mayBeUnsafe ? unsafeKeys(raw) : [];
  const strange = { some: [...unsafe, ...unknown], count: unsafe.length + unknownCount };
  if (known.length + strange.count > 0 || !parsed.success) {
    return { ok: false, problems: toProblems(known, strange, source.locate()) };
  }
  const application = normalise(parsed.data);
  if (Buffer.byteLength(canonicalJson(application)) > LIMITS.specBytes) {
    return { ok: false, problems: [problem('spec_too_large')] };
  }
  return { ok: true, application, warnings: stripped.warnings.map((w) => `${formatPath(w.path)}: ${w.message}`) };
}

/**
 * The cross-field checks over the parts the schema accepted, so that one pass reports all independent problems. A service with a
 * finding is left out but known to exist.
 */
function checkWhatRemains(raw: unknown, findings: readonly Finding[]): readonly Finding[] {
  if (!isTable(raw) || !isTable(raw.services)) return [];
  const broken = new Set<string>();
  const roots = new Set<string>();
  for (const { path } of findings) {
    if (path[0] === 'services' && path[1] !== undefined) broken.add(String(path[1]));
    else roots.add(String(path[0]));
  }
  if (roots.has('services')) return [];
  const services = Object.entries(raw.services).filter(([name]) => !broken.has(name));
  const rest = SpecFile.safeParse({
    name: 'a',
    services: Object.fromEntries(services),
    ...(roots.has('networks') ? {} : { networks: raw.networks }),
    ...(roots.has('domains') ? {} : { domains: raw.domains }),
  });
  if (!rest.success) return [];
  const application = normalise(rest.data);
  return check({ application, file: rest.data, broken, networksKnown: !roots.has('networks') });
}

/** Problems in the order of the file; of unknown keys at most 16 are listed, the last one says how many more there are. */
function toProblems(
  known: readonly Finding[],
  unknown: { readonly some: readonly Finding[]; readonly count: number },
  locator: Locator | undefined,
): readonly Problem[] {
  const ordered = (findings: readonly Finding[]): readonly Finding[] =>
    locator === undefined
      ? findings
      : findings
          .map((finding) => ({ finding, offset: locator.offset(finding.path) }))
          .sort((a, b) => a.offset - b.offset)
          .map(({ finding }) => finding);
  const listed = ordered(unknown.some).slice(0, LIMITS.unknownKeysListed);
  const more = unknown.count - listed.length;
  const problems = ordered([...known, ...listed]).map((finding) => toProblem(finding, locator));
  return more > 0 ? [...problems, problem('invalid_spec', `${more} more unknown keys are not listed`)] : problems;
}

function toProblem({ path, message, code }: Finding, locator: Locator | undefined): Problem {
  const position = locator?.position(path);
  return problem(code ?? 'invalid_spec', message, {
    ...(path.length === 0 ? {} : { at: formatPath(path) }),
    ...(position === undefined ? {} : { position }),
  });
}
