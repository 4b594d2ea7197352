/*
 * Where keys stand in a TOML text. The parser tells values without places; this tells places without values.
 */

/** A key or array element that is looked for; children by key or index. `offset` is -1 until the text mentions it. */
export type Node = { offset: number; readonly children: Map<string, Node>; items: number };

/** A node nothing has mentioned yet. */
export function newNode(): Node {
  return { offset: -1, children: new Map(), items: 0 };
}

/** The node below, marked as mentioned; nothing when nobody looks for it. */
function child(parent: Node | undefined, key: string, offset: number): Node | undefined {
  const node = parent?.children.get(key);
  if (node !== undefined && node.offset < 0) node.offset = offset;
  return node;
}

/** The last element of an array of tables; another node itself. */
function lastElement(node: Node | undefined, offset: number): Node | undefined {
  return node === undefined || node.items === 0 ? node : child(node, String(node.items - 1), offset);
}

/** Whether a character code is one of bare keys: letters, digits, hyphen, underscore. */
function isBare(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f;
}

/** What can follow a number, a date or a word. */
const ENDS = ',]}\n#';

type Segment = { readonly key: string; readonly offset: number };

/** A cursor over one text; lives for one scan. */
export class Scanner {
  readonly #text: string;
  readonly #deepest: number;
  #at = 0;
  /** Where the first key of more than `deepest` parts begins. */
  deep: number | undefined;

  constructor(text: string, deepest = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#deepest = deepest;
  }

  /** Marks the nodes below `root` that the text mentions. */
  document(root: Node): void {
    let table: Node | undefined = root;
    this.#skipVoid();
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '[') table = this.#header(root);
      else this.#keyValue(table);
      this.#skipVoid();
    }
  }

  /** `[a.b]` or `[[a.b]]`; the table that follows. */
  #header(root: Node): Node | undefined {
    const array = this.#text[this.#at + 1] === '[';
    this.#at += array ? 2 : 1;
    let node: Node | undefined = root;
    let known = false;
    const start = this.#at;
    let offset = start;
    let parts = 0;
    for (let segment = this.#segment(']'); segment !== undefined; segment = this.#segment(']')) {
      parts += 1;
      this.#count(parts, start);
      node = lastElement(node, segment.offset);
      known = (node?.children.get(segment.key)?.offset ?? -1) >= 0;
      node = child(node, segment.key, segment.offset);
      offset = segment.offset;
    }
    this.#at += array ? 2 : 1;
    if (node === undefined) return undefined;
    if (array) node.items += 1;
    // an own header says more than a mention in the header of a table below it
    else if (known) node.offset = offset;
    return lastElement(node, offset);
  }

  #keyValue(table: Node | undefined): void {
    const before = this.#at;
    let node = table;
    let parts = 0;
    for (let segment = this.#segment('='); segment !== undefined; segment = this.#segment('=')) {
      parts += 1;
      this.#count(parts, before);
      node = child(node, segment.key, segment.offset);
    }
    this.#at += 1;
    this.#skipBlank();
    this.#value(node);
    if (this.#at === before) this.#at += 1;
  }

  #count(parts: number, start: number): void {
    if (parts > this.#deepest) this.deep ??= start;
  }

  /** The next part of a possibly dotted key; nothing at `end`, which stays unread, or at the end of the line. */
  #segment(end: string): Segment | undefined {
    while (this.#at < this.#text.length) {
      const offset = this.#at;
      const c = this.#text[offset] ?? '';
      if (c === end || c === '\n') return undefined;
      if (c === '"' || c === "'") return { key: this.#quoted(c), offset };
      if (c === '.' || c === ' ' || c === '\t' || c === '\r') this.#at += 1;
      else return { key: this.#bare(), offset };
    }
    return undefined;
  }

  #bare(): string {
    const start = this.#at;
    while (isBare(this.#text.charCodeAt(this.#at))) this.#at += 1;
    const key = this.#text.slice(start, this.#at);
    if (key === '') this.#at += 1;
    return key;
  }

  #quoted(quote: string): string {
    const start = this.#at + 1;
    this.#string(quote);
    const raw = this.#text.slice(start, this.#at - 1);
    return quote === "'" ? raw : unescapeBasic(raw);
  }

  #value(node: Node | undefined): void {
    const c = this.#text[this.#at];
    if (c === '"' || c === "'") this.#string(c);
    else if (c === '[') this.#array(node);
    else if (c === '{') this.#inlineTable(node);
    else {
      while (this.#at < this.#text.length && !ENDS.includes(this.#text[this.#at] ?? '')) this.#at += 1;
    }
  }

  #array(node: Node | undefined): void {
    this.#at += 1;
    for (let items = 0; ; ) {
      this.#skipVoid();
      const c = this.#text[this.#at];
      if (c === undefined || c === ']') break;
      if (c === ',') this.#at += 1;
      else {
        const before = this.#at;
        this.#value(node === undefined ? undefined : child(node, String(items), before));
        items += 1;
        if (this.#at === before) this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #inlineTable(node: Node | undefined): void {
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
