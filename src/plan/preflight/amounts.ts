import { type Amounts, minusAmounts } from '../../kernel/index.ts';

/** Whether all of it fits. */
export function fits(wanted: Amounts, room: Amounts): boolean {
  return wanted.cpuMillis <= room.cpuMillis && wanted.memoryBytes <= room.memoryBytes && wanted.gpus <= room.gpus;
}

const MIB = 1024 ** 2;

/** For people, such as `1200m CPU, 2458Mi memory`; memory in MiB, rounded up; GPUs only when `gpus` says so. */
function amountText(a: Amounts, gpus: boolean): string {
  const devices = gpus ? `, ${a.gpus} GPU` : '';
  return `${a.cpuMillis}m CPU, ${Math.ceil(a.memoryBytes / MIB)}Mi memory${devices}`;
}

/** Requested, available and shortage, as a person needs them to act (facts 11.3). */
export function shortageText(requested: Amounts, available: Amounts): string {
  const shown = requested.gpus > 0;
  const parts = [
    `requested ${amountText(requested, shown)}`,
    `available ${amountText(available, shown)}`,
    `shortage ${amountText(minusAmounts(requested, available), shown)}`,
  ];
  return parts.join('; ');
}
