import { stringify } from 'yaml';
import { EXIT, type Terminal, table } from './io.ts';

/** How an answer is printed: for people, or whole for programs. */
export type Format = 'table' | 'json' | 'yaml';
export const FORMATS: readonly Format[] = ['table', 'json', 'yaml'];

/** Lines for people: a table, or free lines. */
export type Shown =
  | { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | readonly string[];

/** Prints an answer whole in the format of a program, or what `show` makes of it for people. Answers the exit code of success. */
export function print<T>(
  { terminal, format }: { readonly terminal: Terminal; readonly format: Format },
  value: T,
  show: (value: T) => Shown,
): number {
  for (const line of linesOf(format, value, show)) terminal.out(line);
  return EXIT.ok;
}

function linesOf<T>(format: Format, value: T, show: (value: T) => Shown): readonly string[] {
  if (format === 'json') return [JSON.stringify(value, undefined, 2)];
  if (format === 'yaml') return [stringify(value, { lineWidth: 0 }).trimEnd()];
  const shown = show(value);
  return 'header' in shown
    ? table(
        shown.header,
        shown.rows.map((row) => row.map(cell)),
      )
    : shown.map(visible);
}

/** A cell is one line, and an empty one is a dash, so that columns stay columns for `awk`. */
function cell(text: string): string {
  const line = visible(text.replace(/\s*\n\s*/g, ' '));
  return line === '' ? '-' : line;
}

/** What came over the wire can not steer the terminal. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (c) => (c === '\t' ? ' ' : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`));
}

/** `2026-05-01T10:00:00Z` without fractions of seconds; a dash where there is none. */
export function when(time: string | undefined): string {
  return time === undefined ? '-' : time.replace(/\.\d+Z$/, 'Z');
}

/** A commit as people read it. */
export function short(commit: string | undefined): string {
  return commit?.slice(0, 12) ?? '-';
}
