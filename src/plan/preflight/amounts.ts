import type { Amounts } from '../../kernel/index.ts';

export const NOTHING: Amounts = { cpuMillis: 0, memoryBytes: 0, gpus: 0 };

/** Combines each of the three. */
function each(a: Amounts, b: Amounts, combine: (a: number, b: number) => number): Amounts {
  return {
    cpuMillis: combine(a.cpuMillis, b.cpuMillis),
    memoryBytes: combine(a.memoryBytes, b.memoryBytes),
    gpus: combine(a.gpus, b.gpus),
  };
}

/** Both together. */
export function plus(a: Amounts, b: Amounts): Amounts {
  return each(a, b, (x, y) => x + y);
}

/** What is left, never less than nothing. */
export function minus(a: Amounts, b: Amounts): Amounts {
  return each(a, b, (x, y) => Math.max(0, x - y));
}

/** The larger of each, taken separately. */
export function most(a: Amounts, b: Amounts): Amounts {
  return each(a, b, Math.max);
}

/** So many of it. */
export function times(a: Amounts, n: number): Amounts {
  return each(a, a, (x) => x * n);
}

/** All together. */
export function total(all: readonly Amounts[]): Amounts {
  return all.reduce(plus, NOTHING);
}

/** Whether all of it fits. */
export function fits(wanted: Amounts, room: Amounts): boolean {
  return wanted.cpuMillis <= room.cpuMillis && wanted.memoryBytes <= room.memoryBytes && wanted.gpus <= room.gpus;
}

const MIB = 1024 ** 2;

/** For people, such as `1200m CPU, 2458Mi memory`; memory in MiB, rounded up; GPUs only when `gpus` says so. */
export function amountText(a: Amounts, gpus: boolean): string {
  const devices = gpus ? `, ${a.gpus} GPU` : '';
  return `${a.cpuMillis}m CPU, ${Math.ceil(a.memoryBytes / MIB)}Mi memory${devices}`;
}

/** Requested, available and shortage, as a person needs them to act (facts 11.3). */
export function shortageText(requested: Amounts, available: Amounts): string {
  const shown = requested.gpus > 0;
  const parts = [
    `requested ${amountText(requested, shown)}`,
    `available ${amountText(available, shown)}`,
    `shortage ${amountText(minus(requested, available), shown)}`,
  ];
  return parts.join('; ');
}
