import type { Problem } from './problem.ts';

/** The outcome of something we expect may fail. Exceptions are left for bugs. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

/** Wraps a value as a success. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** Wraps a problem as a failure. */
export function fail(problem: Problem): Result<never> {
  return { ok: false, problem };
}
