import type { Position } from '../kernel/index.ts';
import { closing } from './toml-scanner.ts';

const MASK = '***';
const KEY = /^[ \t]*(?:[A-Za-z0-9_-]+|"[^"\\]*"|'[^']*')(?:[ \t]*\.[ \t]*(?:[A-Za-z0-9_-]+|"[^"\\]*"|'[^']*'))*[ \t]*/;
const LONGEST = 160;

/**
 * The line of a specification at a position, for terminals: table headers and keys are shown, every value (and every comment) is
 * `***`. What does not read as a header or a key at the start of a statement, such as a line inside a multi-line string, is masked whole.
 */
export function maskedLine(text: string, position: Position): string {
  const start = startOfLine(text, position.line);
  if (start === undefined) return '';
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end < 0 ? text.length : end).replace(/\r$/, '');
  if (line.trim() === '') return '';
  return beginsStatement(text, start) ? printable(maskStatement(line)) : MASK;
}

function maskStatement(line: string): string {
  const header = /^[ \t]*\[{1,2}/.exec(line);
  if (header !== null) {
    const key = KEY.exec(line.slice(header[0].length));
    const rest = line.slice(header[0].length + (key?.[0].length ?? 0));
    const close = /^\]{1,2}/.exec(rest);
    return key === null || close === null ? MASK : `${header[0]}${key[0]}${close[0]}`;
  }
  const key = KEY.exec(line);
  return key !== null && line[key[0].length] === '=' ? `${key[0].trimEnd()} = ${MASK}` : MASK;
}

function printable(line: string): string {
  const shown = line.length > LONGEST ? MASK : line;
  return shown.replace(/[^\x20-\x7e]/g, '?');
}

function startOfLine(text: string, line: number): number | undefined {
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let n = 1; n < line; n += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  return start;
}

/** Whether a statement can begin at `target`: not inside a string, an array or an inline table. */
function beginsStatement(text: string, target: number): boolean {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < target) {
    const statement = endOfStatement(text, at);
    if (statement > target) return false;
    at = statement;
  }
  return true;
}

/** Index after the newline that ends the statement at `from`; strings, arrays and inline tables may span lines. */
function endOfStatement(text: string, from: number): number {
  // a header's brackets are no array
  const header = /[ \t]*\[/y;
  header.lastIndex = from;
  const bracket = header.test(text) ? 0 : 1;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const c = text[at] ?? '';
    if (c === '\n' && depth <= 0) return at + 1;
    if ('[{'.includes(c)) depth += bracket;
    if (']}'.includes(c)) depth -= bracket;
    at = endOfToken(text, at, c);
  }
  return at;
}

/** Index after the comment, string or character at `at`; a comment leaves its newline unread. */
function endOfToken(text: string, at: number, c: string): number {
  if (c === '"' || c === "'") return endOfString(text, at, c);
  if (c !== '#') return at + 1;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, at: number, quote: string): number {
  const triple = quote.repeat(3);
  if (text.startsWith(triple, at)) return closing(text, at + 3, triple) + 3;
  const close = closing(text, at + 1, quote);
  const newline = text.indexOf('\n', at);
  // an unclosed one-line string ends with its line
  return newline >= 0 && newline < close ? newline : close + 1;
}
