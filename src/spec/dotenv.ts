import { ENV_NAME, LIMITS } from '../kernel/index.ts';

/** One variable of an env file; `line` is where its name stands. */
export type DotenvEntry = { readonly name: string; readonly value: string; readonly line: number };

/** What is wrong with an env file, in our words: no name and no value of the file. */
export type DotenvError = { readonly line: number; readonly message: string };

export type Dotenv = { readonly entries: readonly DotenvEntry[]; readonly errors: readonly DotenvError[] };

/** Variables of one file (facts 1.16), and errors told of one. */
const MAX_ENTRIES = 128;
const MAX_ERRORS = 16;

/**
 * Reads an env file (facts 1.16): `NAME=value` lines, also after `export`, comments, values in double quotes with the escapes
 * `\n \r \t \" \\`, in single quotes as they stand, both over several lines. Without quotes a value ends with the line or before a `#` that
 * follows white space. Nothing is expanded. A byte order mark is ignored and CRLF is a line end. Errors: anything else, a name twice, more
 * than 128 variables, a value over 4096 bytes. One pass, linear in the text; `entries` means nothing when there are errors.
 */
export function parseDotenv(text: string): Dotenv {
  if (!text.isWellFormed()) return { entries: [], errors: [{ line: 1, message: 'is not valid Unicode' }] };
  return new Reader(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')).read();
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** A cursor over one text; lives for one read. */
class Reader {
  readonly #text: string;
  readonly #entries = new Map<string, DotenvEntry>();
  readonly #errors: DotenvError[] = [];
  #at = 0;
  #line = 1;
  /** An error after which the rest can not be understood. */
  #isLost = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Dotenv {
    while (this.#at < this.#text.length && this.#errors.length < MAX_ERRORS && !this.#isLost) {
      this.#statement();
      this.#nextLine();
    }
    return { entries: [...this.#entries.values()], errors: this.#errors };
  }

  /** Everything of one line, or of several when a quoted value spans them; leaves the cursor at or before the line end. */
  #statement(): undefined {
    this.#blanks();
    if (this.#isEnd() || this.#peek() === '#') return undefined;
    const line = this.#line;
    if (this.#take(/export[ \t]+(?![ \t=])/y) !== '') this.#blanks();
    const name = this.#take(/[^=\s#'"]*/y);
    // as everywhere in a specification, since an object could not hold it safely
    if (!ENV_NAME.test(name) || name === '__proto__') return this.#wrong(line, 'does not begin with a variable name');
    this.#blanks();
    if (this.#peek() !== '=') return this.#wrong(line, 'has no equals sign after the name');
    this.#at += 1;
    const value = this.#value();
    if (value !== undefined) this.#keep({ name, value, line });
  }

  #keep(entry: DotenvEntry): undefined {
    const { name, value, line } = entry;
    const known = this.#entries.get(name);
    if (known !== undefined) return this.#wrong(line, `names the variable of line ${known.line} again`);
    if (value.includes('\0')) return this.#wrong(line, 'has a NUL character');
    if (Buffer.byteLength(value) > LIMITS.envValueBytes)
      return this.#wrong(line, `has a value over ${LIMITS.envValueBytes} bytes`);
    if (this.#entries.size === MAX_ENTRIES) {
      this.#isLost = true;
      return this.#wrong(line, `has one variable more than the ${MAX_ENTRIES} of a file`);
    }
    this.#entries.set(name, entry);
  }

  #wrong(line: number, message: string): undefined {
    this.#errors.push({ line, message });
  }

  /** `undefined` after an error. */
  #value(): string | undefined {
    const spaced = this.#blanks();
    const quote = this.#peek();
    if (quote !== '"' && quote !== "'") return this.#plain(spaced);
    const opened = this.#line;
    this.#at += 1;
    const value = quote === '"' ? this.#escaped(opened) : this.#quoted(/'/g, opened);
    if (value === undefined) return undefined;
    this.#blanks();
    if (this.#isEnd() || this.#peek() === '#') return value;
    return this.#wrong(this.#line, 'goes on after the closing quote');
  }

  /** Up to the line end or a comment. A `#` inside a word, as in a URL or a colour, is part of it. */
  #plain(spaced: boolean): string {
    const rest = this.#take(/[^\n]*/y);
    if (spaced && rest.startsWith('#')) return '';
    const comment = rest.search(/[ \t]#/);
    return (comment < 0 ? rest : rest.slice(0, comment)).trim();
  }

  #escaped(opened: number): string | undefined {
    let value = '';
    let strange: number | undefined;
    for (;;) {
      const part = this.#quoted(/["\\]/g, opened);
      if (part === undefined) return undefined;
      value += part;
      if (this.#text[this.#at - 1] === '"') break;
      const escaped = ESCAPES[this.#peek()];
      if (escaped === undefined) strange ??= this.#line;
      else {
        value += escaped;
        this.#at += 1;
      }
    }
    return strange === undefined ? value : this.#wrong(strange, 'has an escape other than \\n \\r \\t \\" \\\\');
  }

  /** The text up to the next character that `stop` matches, and past it. */
  #quoted(stop: RegExp, opened: number): string | undefined {
    stop.lastIndex = this.#at;
    const found = stop.exec(this.#text);
    if (found !== null) return this.#advance(found.index);
    this.#isLost = true;
    return this.#wrong(opened, 'opens a quote that is never closed');
  }

  /** The text up to `end`; the cursor goes behind the one character there. */
  #advance(end: number): string {
    const taken = this.#text.slice(this.#at, end);
    for (let at = taken.indexOf('\n'); at >= 0; at = taken.indexOf('\n', at + 1)) this.#line += 1;
    this.#at = end + 1;
    return taken;
  }

  #nextLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#line += 1;
  }

  /** Skips blanks; whether there were any. */
  #blanks(): boolean {
    return this.#take(/[ \t]*/y) !== '';
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #isEnd(): boolean {
    return this.#at >= this.#text.length || this.#text[this.#at] === '\n';
  }
}
