import type { Position } from '../kernel/index.ts';
import type { Path } from './path.ts';

/** A key or array element seen in the text; children by key or index. A tree, so that long names cost their length once. */
type Node = { offset: number; children: Map<string, Node> | undefined; items: number };

/** Finds places in one TOML text. */
export type Locator = {
  /** The position of the key or element, or of the nearest table around it that the text mentions. */
  readonly position: (path: Path) => Position | undefined;
  /** Document order of two paths, for sorting problems. */
  readonly offset: (path: Path) => number;
};

/**
 * Reads where each key of a TOML document stands: tables, dotted and quoted keys, arrays of tables, inline tables, array elements. Only
 * for documents the parser accepted: values are skipped, not checked. One pass, linear in the text.
 */
export function locateKeys(text: string): Locator {
  const root = new Scanner(text).document();
  const lines = lineStarts(text);
  const offset = (path: Path): number => nearest(root, path).offset;
  return {
    offset,
    position: (path) => {
      const at = offset(path);
      return at < 0 ? undefined : positionAt(lines, at);
    },
  };
}

function nearest(root: Node, path: Path): Node {
  let node = root;
  for (const part of path) {
    const next = node.children?.get(String(part));
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): Position {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

const ELEMENTS = 256;

function newNode(offset: number): Node {
  return { offset, children: undefined, items: 0 };
}

function child(parent: Node, key: string, offset: number): Node {
  const known = parent.children?.get(key);
  if (known !== undefined) return known;
  const made = newNode(offset);
  parent.children ??= new Map();
  parent.children.set(key, made);
  return made;
}

type Segment = { readonly key: string; readonly offset: number };

/** A cursor over one text; lives for one scan. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Node {
    const root = newNode(-1);
    let table = root;
    this.#skipVoid();
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '[') table = this.#header(root);
      else this.#keyValue(table);
      this.#skipVoid();
    }
    return root;
  }

  /** `[a.b]` or `[[a.b]]`; the table that follows. */
  #header(root: Node): Node {
    const array = this.#text[this.#at + 1] === '[';
    this.#at += array ? 2 : 1;
    const segments = this.#key(']');
    this.#at += array ? 2 : 1;
    let node = root;
    for (const [i, { key, offset }] of segments.entries()) {
      const known = node.children?.has(key) === true;
      node = child(node, key, offset);
      const last = i === segments.length - 1;
      // an own header says more than a mention in the header of a table below it
      if (last && known && !array) node.offset = offset;
      if (last && array) {
        node.items += 1;
        node = child(node, String(node.items - 1), offset);
      } else if (node.items > 0) {
        node = child(node, String(node.items - 1), offset);
      }
    }
    return node;
  }

  #keyValue(table: Node): void {
    const before = this.#at;
    let node = table;
    for (const { key, offset } of this.#key('=')) node = child(node, key, offset);
    this.#at += 1;
    this.#skipBlank();
    this.#value(node);
    if (this.#at === before) this.#at += 1;
  }

  /** Segments of a possibly dotted key up to `end`, which stays unread. */
  #key(end: string): readonly Segment[] {
    const segments: Segment[] = [];
    while (this.#at < this.#text.length) {
      const c = this.#text[this.#at];
      if (c === end || c === '\n') break;
      if (c === '"' || c === "'") {
        const offset = this.#at;
        segments.push({ key: this.#quoted(c), offset });
      } else if (c === '.' || c === ' ' || c === '\t' || c === '\r') this.#at += 1;
      else segments.push(this.#bare());
    }
    return segments;
  }

  #bare(): Segment {
    const offset = this.#at;
    const pattern = /[A-Za-z0-9_-]*/y;
    pattern.lastIndex = offset;
    const key = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += Math.max(key.length, 1);
    return { key, offset };
  }

  #quoted(quote: string): string {
    const start = this.#at + 1;
    this.#string(quote);
    const raw = this.#text.slice(start, this.#at - 1);
    return quote === "'" ? raw : unescapeBasic(raw);
  }

  #value(node: Node): void {
    const c = this.#text[this.#at];
    if (c === '"' || c === "'") this.#string(c);
    else if (c === '[') this.#array(node);
    else if (c === '{') this.#inlineTable(node);
    else {
      const end = /[,\]}\n#]/g;
      end.lastIndex = this.#at;
      this.#at = end.exec(this.#text)?.index ?? this.#text.length;
    }
  }

  #array(node: Node): void {
    this.#at += 1;
    for (;;) {
      this.#skipVoid();
      const c = this.#text[this.#at];
      if (c === undefined || c === ']') break;
      if (c === ',') this.#at += 1;
      else {
        const before = this.#at;
        // lists have far lower limits, so no finding is about a later element
        this.#value(node.items < ELEMENTS ? child(node, String(node.items), before) : newNode(before));
        node.items += 1;
        if (this.#at === before) this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #inlineTable(node: Node): void {
    this.#at += 1;
    for (;;) {
      this.#skipVoid();
      const c = this.#text[this.#at];
      if (c === undefined || c === '}') break;
      if (c === ',') this.#at += 1;
      else this.#keyValue(node);
    }
    this.#at += 1;
  }

  #string(quote: string): void {
    const triple = quote.repeat(3);
    if (!this.#text.startsWith(triple, this.#at)) {
      this.#at = closing(this.#text, this.#at + 1, quote) + 1;
      return;
    }
    this.#at = closing(this.#text, this.#at + 3, triple) + 3;
    // up to two quotes may stand right before the closing three
    while (this.#text[this.#at] === quote) this.#at += 1;
  }

  #skipBlank(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1;
  }

  /** White space, newlines and comments. */
  #skipVoid(): void {
    for (;;) {
      const c = this.#text[this.#at];
      if (c === ' ' || c === '\t' || c === '\n' || c === '\r') this.#at += 1;
      else if (c === '#') {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else return;
    }
  }
}

/** Index of the closing delimiter at or after `from`, or the end of the text. Backslashes escape in basic strings only. */
export function closing(text: string, from: number, delimiter: string): number {
  if (delimiter.startsWith("'")) {
    const end = text.indexOf(delimiter, from);
    return end < 0 ? text.length : end;
  }
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(delimiter, at)) return at;
  }
  return text.length;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' };

function unescapeBasic(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(
    /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g,
    (_all, x?: string, u?: string, long?: string, plain = '') => {
      const hex = x ?? u ?? long;
      if (hex === undefined) return ESCAPES[plain] ?? plain;
      const code = Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
