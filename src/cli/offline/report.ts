import { type JsonSchema, maskedLine, specJsonSchema } from '../../spec/index.ts';
import { hintFor } from './hints.ts';
import { inFileOrder, type Located } from './source.ts';

/** How grave it is: an error refuses the file, a warning does not. */
type Severity = 'error' | 'warning';

const RESET = '\u001b[0m';
const COLOURS = { error: '\u001b[1;31m', warning: '\u001b[1;33m', place: '\u001b[1m', dim: '\u001b[36m' } as const;

/** Writes text in a colour, or plain where colours are not wanted. */
type Paint = (colour: keyof typeof COLOURS, text: string) => string;

/** Colours for terminals; nothing for files and pipes. */
function paintFor(isColoured: boolean): Paint {
  return (colour, text) => (isColoured ? `${COLOURS[colour]}${text}${RESET}` : text);
}

/** So many problems fit a terminal; JSON has them all. */
const SHOWN = 200;

/** All problems as `problemLines`, with an empty line after each. */
export function reportLines(found: readonly Located[], severity: Severity, isColoured: boolean): readonly string[] {
  if (found.length === 0) return [];
  const look = { paint: paintFor(isColoured), schema: specJsonSchema() };
  const lines = found.slice(0, SHOWN).flatMap((one) => [...problemLines(one, severity, look), '']);
  const more = found.length - SHOWN;
  return more > 0 ? [...lines, `${more} more like these; --output json has them all`] : lines;
}

type Look = { readonly paint: Paint; readonly schema: JsonSchema };

/**
 * A problem as a compiler shows one: `file:line:column: error[code]: path: message`, the line with every value masked, a caret, a hint.
 * Keys are all that is shown of the file.
 */
function problemLines({ source, problem }: Located, severity: Severity, look: Look): readonly string[] {
  const { paint, schema } = look;
  const { position, at, code, message } = problem;
  const place = [printable(source.name), ...(position ? [position.line, position.column] : [])].join(':');
  const what = `${at === undefined ? '' : `${at}: `}${message}`;
  const hint = source.isOther === true ? undefined : hintFor(problem, schema);
  return [
    `${paint('place', `${place}:`)} ${paint(severity, `${severity}[${code}]`)}: ${what}`,
    ...(position === undefined ? [] : snippet(source.text, position, (text) => paint(severity, text))),
    ...(hint === undefined ? [] : [`  ${paint('dim', 'hint:')} ${hint}`]),
  ];
}

/** The masked line with a caret below; the caret of what stands inside the mask points at the mask. */
function snippet(
  text: string,
  position: { readonly line: number; readonly column: number },
  mark: (text: string) => string,
): readonly string[] {
  const line = maskedLine(text, position);
  if (line === '') return [];
  const masked = line.indexOf('***');
  const column = Math.min(position.column - 1, masked < 0 ? line.length : masked);
  const number = String(position.line).padStart(5);
  return [`${number} | ${line}`, `${' '.repeat(number.length)} | ${' '.repeat(column)}${mark('^')}`];
}

/** Problems and warnings as one value for programs: where and what, never a value or a line of a file. Stable: fields are only added. */
export function publicProblems(located: readonly Located[]): readonly Readonly<Record<string, string | number>>[] {
  return inFileOrder(located).map(({ source, problem: { code, message, at, position } }) => ({
    file: printable(source.name),
    code,
    ...(at === undefined ? {} : { at }),
    ...(position === undefined ? {} : { line: position.line, column: position.column }),
    message,
  }));
}

/** A path from the disk, without what could steer a terminal. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}
