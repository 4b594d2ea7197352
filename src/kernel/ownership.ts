import { at, isFields } from './fields.ts';

/** The label of everything Hakopod made (DESIGN 7). */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'hakopod' } as const;

/**
 * The one ownership check, of reconciling an application and of every cluster operation: an object belongs to whom all these labels name, and
 * with one of them missing or different it is never changed or deleted (invariant 8, cluster operations 0.3). Nobody's labels own nothing.
 */
export function isOwnedBy(object: unknown, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(labels);
  const found = at(object, 'metadata', 'labels');
  if (!isFields(found)) return false;
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);
}
