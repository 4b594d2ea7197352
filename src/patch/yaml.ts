import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  parseDocument,
  Scalar,
} from 'yaml';
import { fail, type Json, ok, problem, type Result } from '../kernel/index.ts';
import { plainScalar } from './scalar.ts';

/** Values after aliases are put in; a text of 16 KiB without aliases has fewer. */
const MOST_VALUES = 10_000;
/** Levels of nesting; the deepest field of a pod is at about 15. */
const DEEPEST = 64;
/** Brackets open at once. */
const MOST_BRACKETS = 200;

// What libyaml refuses, and the line breaks of YAML 1.1 that YAML 1.2 does not have, so that both find the same lines.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the refused ones
const STRANGE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

type Walk = {
  readonly text: string;
  readonly anchors: Map<string, Anchor>;
  /** Values so far, with aliases put in. */
  count: number;
};
type Anchor = { readonly value: Json; readonly size: number } | 'open';

/**
 * Reads YAML (or JSON, when the text begins with a brace) as kubectl does. Stricter than kubectl, with a refusal that says so: one
 * document, no tags, no directives, no duplicate keys, no keys that are not text, whole numbers or booleans, no whole numbers beyond
 * 2^53, at most 10,000 values. Errors: `invalid_patch`, with the line of the text.
 */
export function readYaml(text: string): Result<Json> {
  const strange = STRANGE.exec(text);
  if (strange !== null || !text.isWellFormed()) {
    return refused('has a character that YAML does not allow', strange === null ? 1 : lineAt(text, strange.index));
  }
  const isJson = text.trimStart().startsWith('{');
  if (isJson && !parsesAsJson(text)) return refused('begins with a brace but is not valid JSON', 1);
  if (nestsDeeply(text)) return refused('is nested too deeply', 1);
  const document = parseDocument(text, {
    version: '1.1',
    // Scalars come as text; their meaning is decided by plainScalar.
    schema: 'failsafe',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
    keepSourceTokens: true,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const several = error.code === 'MULTIPLE_DOCS';
    return refused(several ? 'has several documents' : 'is not valid YAML', lineAt(text, error.pos[0]));
  }
  if (/^%/m.test(text) && document.directives?.docStart === true) return refused('has a YAML directive', 1);
  const walk: Walk = { text, anchors: new Map(), count: 0 };
  return readNode(walk, (document as Document.Parsed).contents, 0);
}

/** A cheap look before parsing, which takes long over thousands of levels. Brackets in text count too, where nobody has so many. */
function nestsDeeply(text: string): boolean {
  if (/(?:[-?:][ \t]+){65}/.test(text)) return true;
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if ((character === ']' || character === '}') && depth > 0) depth -= 1;
    if (depth > MOST_BRACKETS) return true;
  }
  return false;
}

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function refused(what: string, line: number): Result<never> {
  return fail(problem('invalid_patch', `the patch ${what} (line ${line} of the patch)`));
}

function refusedAt(walk: Walk, node: unknown, what: string): Result<never> {
  return refused(what, lineAt(walk.text, (node as ParsedNode | null)?.range?.[0] ?? 0));
}

function readNode(walk: Walk, node: unknown, depth: number): Result<Json> {
  walk.count += 1;
  if (walk.count > MOST_VALUES) return refusedAt(walk, node, 'has too many values');
  if (depth > DEEPEST) return refusedAt(walk, node, 'is nested too deeply');
  if (node === null || node === undefined) return ok(null);
  if (isAlias(node)) return readAlias(walk, node);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return refusedAt(walk, node, 'is not valid YAML');
  if (node.tag !== undefined) return refusedAt(walk, node, 'has a tag');
  const { anchor } = node;
  if (anchor !== undefined) walk.anchors.set(anchor, 'open');
  const before = walk.count;
  const value = isScalar(node)
    ? readScalar(walk, node)
    : isSeq(node)
      ? readList(walk, node.items, depth)
      : readMap(walk, node.items, depth);
  if (anchor !== undefined && value.ok) {
    walk.anchors.set(anchor, { value: value.value, size: walk.count - before + 1 });
  }
  return value;
}

/** Nothing is copied: what an alias stands for is counted once more and shared. */
function readAlias(walk: Walk, node: Alias): Result<Json> {
  const anchor = walk.anchors.get(node.source);
  if (anchor === undefined) return refusedAt(walk, node, 'has an alias without an anchor');
  if (anchor === 'open') return refusedAt(walk, node, 'has an alias inside its own anchor');
  walk.count += anchor.size;
  return walk.count > MOST_VALUES ? refusedAt(walk, node, 'has too many values') : ok(anchor.value);
}

function readScalar(walk: Walk, node: Scalar): Result<string | number | boolean | null> {
  const source = typeof node.value === 'string' ? node.value : '';
  if (!source.isWellFormed()) return refusedAt(walk, node, 'has a broken character');
  if (!isClosed(node)) return refusedAt(walk, node, 'has a quote that is not closed');
  if (node.type !== Scalar.PLAIN) return ok(endsText(walk.text, node) ? source.replace(/\n$/, '') : source);
  const value = plainScalar(source);
  if (typeof value !== 'number') return ok(value);
  if (Number.isNaN(value)) return refusedAt(walk, node, 'has a number that JSON does not have');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return refusedAt(walk, node, 'has a number beyond 2^53');
  }
  return ok(value);
}

/** Our parser takes an escaped quote at the end of the text for the closing one. */
function isClosed({ type, srcToken }: Scalar): boolean {
  const source = srcToken !== undefined && 'source' in srcToken ? srcToken.source : '';
  if (type === Scalar.QUOTE_SINGLE) return /^'(?:[^']|'')*'$/.test(source);
  return type !== Scalar.QUOTE_DOUBLE || /^"(?:[^"\\]|\\[\s\S])*"$/.test(source);
}

/** Whether a block scalar ends with the text, without a line break: our parser adds one, go-yaml does not. */
function endsText(text: string, node: Scalar): boolean {
  const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
  if (!isBlock || node.range?.[1] !== text.length || text.endsWith('\n')) return false;
  // A last line of spaces counts only where it is longer than the indentation.
  return !/\n[ \t]*$/.test(text) || /[ \t]\n$/.test(String(node.value));
}

function readList(walk: Walk, nodes: readonly unknown[], depth: number): Result<Json> {
  const list: Json[] = [];
  for (const node of nodes) {
    const value = readNode(walk, node, depth + 1);
    if (!value.ok) return value;
    list.push(value.value);
  }
  return ok(list);
}

/**
 * Keys in their order, also merge keys: go-yaml 2 lets a later `<<` win over what stands before it, and an earlier one lose, and so
 * does kubectl.
 */
function readMap(walk: Walk, pairs: readonly unknown[], depth: number): Result<Json> {
  const map: Record<string, Json> = {};
  const own = new Set<string>();
  for (const pair of pairs) {
    if (!isPair(pair)) return refused('is not valid YAML', 1);
    // After such a key our parser drops what go-yaml refuses.
    if ((pair as Pair).srcToken?.start.some(({ type }) => type === 'explicit-key-ind') === true) {
      return refusedAt(walk, pair.key, 'has a key after a question mark');
    }
    if (isMergeKey(pair.key)) {
      const merged = readMerge(walk, pair.value, depth);
      if (!merged.ok) return merged;
      for (const part of merged.value) Object.assign(map, part);
      continue;
    }
    const key = readKey(walk, pair.key, depth);
    if (!key.ok) return key;
    if (own.has(key.value)) return refusedAt(walk, pair.key, 'has a key twice');
    own.add(key.value);
    const value = readNode(walk, pair.value, depth + 1);
    if (!value.ok) return value;
    map[key.value] = value.value;
  }
  return ok(map);
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN && key.tag === undefined;
}

function readKey(walk: Walk, node: unknown, depth: number): Result<string> {
  const key = readNode(walk, node, depth + 1);
  if (!key.ok) return key;
  const { value } = key;
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (typeof value !== 'string' && typeof value !== 'boolean' && !isWhole) {
    return refusedAt(walk, node, 'has a key that is not text, a whole number or a boolean');
  }
  const name = String(value);
  return name === '__proto__' ? refusedAt(walk, node, 'has a key that is never allowed') : ok(name);
}

/** The maps of a merge key in the order they are laid over one another: of a list, the first wins. */
function readMerge(walk: Walk, node: unknown, depth: number): Result<readonly { readonly [key: string]: Json }[]> {
  const value = readNode(walk, node, depth + 1);
  if (!value.ok) return value;
  const isList = isSeq(node);
  const parts = isList && Array.isArray(value.value) ? [...(value.value as readonly Json[])].reverse() : [value.value];
  const maps = parts.filter((part) => part !== null && typeof part === 'object' && !Array.isArray(part));
  if (maps.length < parts.length) return refusedAt(walk, node, 'merges something that is not a mapping');
  return ok(maps as readonly { readonly [key: string]: Json }[]);
}
