const SUFFIXES: Readonly<Record<string, readonly [base: bigint, power: bigint]>> = {
  n: [10n, -9n],
  u: [10n, -6n],
  m: [10n, -3n],
  '': [10n, 0n],
  k: [10n, 3n],
  M: [10n, 6n],
  G: [10n, 9n],
  T: [10n, 12n],
  P: [10n, 15n],
  E: [10n, 18n],
  Ki: [2n, 10n],
  Mi: [2n, 20n],
  Gi: [2n, 30n],
  Ti: [2n, 40n],
  Pi: [2n, 50n],
  Ei: [2n, 60n],
};

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;

/**
 * A Kubernetes quantity as whole nano-units, so that `1000m`, `1` and `1.0` are equal. What is no quantity comes back as it is.
 * Grammar: apimachinery `resource.Quantity`; finer than nano is rounded up there and here.
 */
export function normalQuantity(value: unknown): string {
  const nano = nanoOf(value);
  return nano === undefined ? String(value) : `${nano}n`;
}

/** A Kubernetes quantity in units or, with `m`, in thousandths, rounded up as Kubernetes does; 0 for what is none. */
export function quantityNumber(value: unknown, unit: '' | 'm' = ''): number {
  const nano = nanoOf(value) ?? 0n;
  const step = unit === 'm' ? 10n ** 6n : 10n ** 9n;
  return Number(nano > 0n ? (nano + step - 1n) / step : nano / step);
}

function nanoOf(value: unknown): bigint | undefined {
  const match = QUANTITY.exec(String(value));
  const digits = (match?.[2] ?? '') + (match?.[3] ?? '');
  if (match === null || digits === '') return undefined;
  const [base, power] = match[5] === undefined ? (SUFFIXES[match[4] ?? ''] ?? [10n, 0n]) : [10n, BigInt(match[5])];
  // value = digits * 10^-fraction * base^power, in nano: everything becomes one fraction of integers.
  const fraction = BigInt((match[3] ?? '').length);
  const up = 10n ** 9n * (power >= 0n ? base ** power : 1n);
  const down = 10n ** fraction * (power < 0n ? base ** -power : 1n);
  const product = BigInt(digits) * up;
  const nano = (product + down - 1n) / down;
  return match[1] === '-' ? -nano : nano;
}
