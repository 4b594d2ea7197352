import { readFileSync } from 'node:fs';

/** Processor time of a process so far, ms. Linux only, like the rest of the bench: fields 14 and 15 are ticks of 10 ms (proc(5)). */
export function cpuMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process, MiB: `VmRSS` now, `VmHWM` at most so far. */
export function memoryMib(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024);
}

/** The middle of some figures; 0 of none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
