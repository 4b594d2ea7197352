import { describe, type Problem, type Result } from '../kernel/index.ts';

/** Standard input and output as bytes. */
export type Screen = {
  /** Whether a person sits at both ends. */
  readonly isTerminal: boolean;
  size(): { readonly rows: number; readonly columns: number } | undefined;
  /** Calls back when the size changed; answers the way to stop. */
  onResize(listener: () => void): () => void;
  /**
   * Hands out what is typed as it is typed, each key by itself and control keys too when a person sits there; `undefined` is the end of a
   * pipe. Answers the way to stop.
   */
  onInput(listener: (chunk: Uint8Array | undefined) => void): () => void;
  /** Resolves when more may be written. */
  write(chunk: Uint8Array): Promise<void>;
};

/** How a command talks to a person or a pipe. */
export type Terminal = {
  /** One line on standard output. */
  out(line: string): void;
  /** One line on standard error. */
  err(line: string): void;
  /** All of standard input, for secrets: values never come from the command line, where other processes can read them. */
  readInput(maxBytes: number): Promise<string>;
  /** Whether standard error may be coloured; not when absent. */
  readonly colour?: boolean;
  /** The terminal or pipe itself, for what is no line of text; absent where there is none. */
  readonly screen?: Screen;
  /** Where relative paths begin; the folder of the process when absent. */
  readonly folder?: string;
  /** Whether somebody types standard input; not when absent. */
  readonly isInteractive?: boolean;
  /** Runs once on an interrupt (Ctrl-C) in place of the process's end, until the function that is answered is called. */
  onInterrupt?(run: () => void): () => void;
};

/** Exit codes (facts 8.2); `ended`: a release that was waited for did not succeed; `interrupted`: of shells, for Ctrl-C. */
export const EXIT = { ok: 0, failure: 1, input: 2, forbidden: 3, conflict: 4, ended: 5, interrupted: 130 } as const;

const FORBIDDEN: ReadonlySet<string> = new Set(['forbidden', 'permission_denied', 'unauthorized']);

/** The exit code a problem means. */
export function exitCode(problem: Problem): number {
  if (problem.code === 'already_exists' || problem.code === 'conflict') return EXIT.conflict;
  if (problem.kind !== 'rejected') return EXIT.failure;
  return FORBIDDEN.has(problem.code) ? EXIT.forbidden : EXIT.input;
}

/** Prints `error: text [code]` and answers the exit code. */
export function printProblem(terminal: Terminal, problem: Problem): number {
  terminal.err(`error: ${describe(problem)} [${problem.code}]`);
  return exitCode(problem);
}

/** Runs `then` on a success; prints a failure and answers its exit code. */
export async function unwrap<T>(
  terminal: Terminal,
  result: Result<T>,
  then: (value: T) => number | Promise<number>,
): Promise<number> {
  return result.ok ? then(result.value) : printProblem(terminal, result.problem);
}

/** Rows as aligned columns under a header; cells are single lines. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
