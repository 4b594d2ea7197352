import type { z } from 'zod';

/**
 * An answer as its schema knows it; `undefined` when it is none. Fields the schema does not know are left out, so that a newer server can
 * say more to an older command line.
 */
export function readAnswer<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known: unknown = structuredClone(value);
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys') return undefined;
    // a schema named each step of the path, so every one of them is an object or a list
    const parent = issue.path.reduce((at, key) => (at as Record<PropertyKey, unknown>)[key], known);
    for (const key of issue.keys) delete (parent as Record<string, unknown>)[key];
  }
  const again = schema.safeParse(known);
  return again.success ? again.data : undefined;
}
