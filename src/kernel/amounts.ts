import type { Amounts } from './capacity.ts';

/** No CPU, memory or GPU at all. */
export const NO_AMOUNTS: Amounts = { cpuMillis: 0, memoryBytes: 0, gpus: 0 };

/** Combines each of the three. */
function each(a: Amounts, b: Amounts, combine: (a: number, b: number) => number): Amounts {
  return {
    cpuMillis: combine(a.cpuMillis, b.cpuMillis),
    memoryBytes: combine(a.memoryBytes, b.memoryBytes),
    gpus: combine(a.gpus, b.gpus),
  };
}

/** Both together. */
export function plusAmounts(a: Amounts, b: Amounts): Amounts {
  return each(a, b, (x, y) => x + y);
}

/** What is left, never less than nothing. */
export function minusAmounts(a: Amounts, b: Amounts): Amounts {
  return each(a, b, (x, y) => Math.max(0, x - y));
}

/** The larger of each, taken separately. */
export function mostAmounts(a: Amounts, b: Amounts): Amounts {
  return each(a, b, Math.max);
}

/** So many of it. */
export function timesAmounts(a: Amounts, n: number): Amounts {
  return each(a, a, (x) => x * n);
}

/** All together. */
export function totalAmounts(all: readonly Amounts[]): Amounts {
  return all.reduce(plusAmounts, NO_AMOUNTS);
}
