import { CODES, type Code } from './codes.ts';

/** A place in a user's file: 1-based line and column. */
export type Position = { readonly line: number; readonly column: number };

/**
 * What went wrong, sorted by who must act and when to try again:
 * - `rejected`: a person must change something; trying again alone cannot help.
 * - `waiting`: try again after `afterMs`; costs no attempt.
 * - `transient`: an outside system failed; try again with backoff.
 *
 * `message` is our own text and may be shown to users; it never contains a value from a user's file, a secret or another
 * system's words. What the other system said stays in `cause`, for the log only.
 */
export type Problem = {
  readonly kind: 'rejected' | 'waiting' | 'transient';
  readonly code: Code;
  readonly message: string;
  /** Dotted path of the field at fault, such as `services.web.ports[1].port`. */
  readonly at?: string;
  readonly position?: Position;
  /** For `waiting`: milliseconds until a new try makes sense. */
  readonly afterMs?: number;
  /** What else a program needs to act, such as names of what is missing; shown to whoever asked, so never a value of theirs. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
};

type Extras = Omit<Problem, 'kind' | 'code' | 'message'>;

/** Builds a problem; its kind and default text come from the catalogue. */
export function problem(code: Code, message?: string, extras: Extras = {}): Problem {
  const entry = CODES[code];
  return { kind: entry.kind, code, message: message ?? entry.meaning, ...extras };
}

/** One line for people: the field first, then the text. */
export function describe(p: Problem): string {
  const where = p.at === undefined ? '' : `${p.at}: `;
  const position = p.position === undefined ? '' : ` (line ${p.position.line}, column ${p.position.column})`;
  return `${where}${p.message}${position}`;
}
