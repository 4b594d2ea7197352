import { at, type Fields, number, record } from '../objects.ts';

/** A count or a percentage of the wanted replicas. */
function share(value: unknown, wanted: number, round: (n: number) => number): number {
  return typeof value === 'string' ? round((Number.parseInt(value, 10) * wanted) / 100) : number(value, 0);
}

/** How many pods may be over and under the wanted number during a rolling update; not both zero. */
export function rollingBounds(spec: Fields): { readonly surge: number; readonly unavailable: number } {
  const wanted = number(spec.replicas, 1);
  const rolling = record(at(spec, 'strategy', 'rollingUpdate'));
  const surge = share(rolling.maxSurge, wanted, Math.ceil);
  const unavailable = share(rolling.maxUnavailable, wanted, Math.floor);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}
