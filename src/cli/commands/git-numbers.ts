import { LIMITS } from '../../kernel/index.ts';
import type { Flags } from '../session.ts';

/** The flags of repositories, sources and grants that are whole numbers. */
export type Numbers = {
  readonly interval?: number;
  readonly days?: number;
  /** Hours that a preview environment lives. */
  readonly ttl?: number;
  readonly previews?: number;
  readonly limits?: { readonly services?: number; readonly replicas?: number };
};

/** Reads them; what is none is told before anything is sent. */
export function numbersOf(flags: Flags): Numbers | { readonly at: string; readonly message: string } {
  const bounds = [
    ['interval', '--interval', 5, 86_400],
    ['days', '--days', 1, 3650],
    ['ttl', '--ttl', 1, 72],
    ['previews', '--previews', 1, 72],
    ['maxServices', '--max-services', 0, LIMITS.services],
    ['maxReplicas', '--max-replicas', 0, 100_000],
  ] as const;
  const read = new Map<string, number>();
  for (const [name, at, least, most] of bounds) {
    const text = flags[name];
    // A flag without its number is no number.
    if (text === undefined || text === true) continue;
    const value = Number(text);
    if (!/^\d+$/.test(String(text)) || value < least || value > most)
      return { at, message: `must be a whole number from ${least} to ${most}` };
    read.set(name, value);
  }
  const optional = (key: string, name: string): Readonly<Record<string, number>> => {
    const value = read.get(name);
    return value === undefined ? {} : { [key]: value };
  };
  const limits = { ...optional('services', 'maxServices'), ...optional('replicas', 'maxReplicas') };
  return {
    ...optional('interval', 'interval'),
    ...optional('ttl', 'ttl'),
    ...optional('previews', 'previews'),
    ...optional('days', 'days'),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}
