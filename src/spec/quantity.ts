const LONGEST = 32;
const MAX_CPU_MILLIS = 64_000;
const MIB = 1024 ** 2;
const MAX_MEMORY = 256 * 1024 ** 3;

/** CPU in thousandths of a core, 1m to 64 cores; `undefined` when the text is not such a quantity (facts 1.4). */
export function cpuMillis(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const millis = /^(\d+)m$/.exec(text);
  const cores = /^(\d+)(?:\.(\d{1,3}))?$/.exec(text);
  const value =
    millis !== null
      ? Number(millis[1])
      : cores !== null
        ? Number(cores[1]) * 1000 + Number((cores[2] ?? '').padEnd(3, '0'))
        : Number.NaN;
  return value >= 1 && value <= MAX_CPU_MILLIS ? value : undefined;
}

/** Kubernetes' canonical form: whole cores without a suffix, everything else in `m`. */
export function formatCpu(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
const DECIMAL = ['', 'k', 'M', 'G', 'T'];
const MEMORY = /^(\d+)(Ki|Mi|Gi|Ti|k|M|G|T|)$/;

/** Memory in bytes, 1Mi to 256Gi; `undefined` when the text is not such a quantity (facts 1.4). */
export function memoryBytes(text: string): number | undefined {
  const match = text.length > LONGEST ? null : MEMORY.exec(text);
  if (match === null) return undefined;
  const suffix = match[2] ?? '';
  const factor = suffix.endsWith('i') ? 1024 ** BINARY.indexOf(suffix) : 1000 ** DECIMAL.indexOf(suffix);
  const value = Number(match[1]) * factor;
  return value >= MIB && value <= MAX_MEMORY ? value : undefined;
}

/** Kubernetes' canonical form of a valid memory quantity: the largest suffix of its own family that leaves a whole number. */
export function canonicalMemory(text: string): string {
  const bytes = memoryBytes(text);
  if (bytes === undefined) return text;
  const [base, suffixes] = text.endsWith('i') ? [1024, BINARY] : [1000, DECIMAL];
  let value = bytes;
  let step = 0;
  while (value % base === 0 && step < suffixes.length - 1) {
    value /= base;
    step += 1;
  }
  return `${value}${suffixes[step]}`;
}
