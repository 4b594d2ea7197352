/** Six attempts over about six minutes: 1 s, 4 s, 16 s, 64 s, then 256 s (below the 300 s of facts 4.8). */
export const PATIENT = { attempts: 6, backoff: { firstMs: 1_000, factor: 4, maxMs: 300_000 } } as const;

/**
 * Milliseconds to pause after the nth failed attempt. `random` is in [0, 1) and takes away up to half, so that what failed
 * together does not come back together.
 */
export function pauseAfter(
  attempt: number,
  backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number },
  random: number,
): number {
  const full = Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** (attempt - 1));
  return Math.max(1, Math.round(full * (1 - random / 2)));
}
