import { randomUUID } from 'node:crypto';

/** The letters Kubernetes uses for generated names: none that can form words. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters for a generated name. */
export function suffix(): string {
  // randomUUID draws from a pool; single small reads of random bytes are slow.
  const bytes = Buffer.from(randomUUID().slice(0, 8) + randomUUID().slice(0, 2), 'hex');
  return [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** RFC 3339 with seconds, as Kubernetes writes most times. */
export function seconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
