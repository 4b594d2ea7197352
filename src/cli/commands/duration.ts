const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** When something ends that lives this long from now; `undefined` for what is no duration. */
export function expiry(ttl: unknown, now: Date): string | undefined {
  const [, digits, unit = ''] = /^(\d{1,6})([mhd])$/.exec(String(ttl)) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  return ms > 0 ? new Date(now.getTime() + ms).toISOString() : undefined;
}
