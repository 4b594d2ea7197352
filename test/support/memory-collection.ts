import { fail, ok, problem } from '../../src/kernel/index.ts';
import type { Collection, Resource } from '../../src/ports/index.ts';

type AnyResource = Resource<unknown, unknown>;

/** A collection in memory with the port's compare-and-set semantics; one writer at a time, so no conflicts of its own. */
export function memoryCollection<R extends AnyResource>(): Collection<R> & {
  readonly items: Map<string, R>;
  readonly writes: string[];
} {
  const items = new Map<string, R>();
  const listeners = new Set<(name: string) => void>();
  const writes: string[] = [];
  let version = 0;
  const put = (resource: R): R => {
    version += 1;
    const next = { ...structuredClone(resource), resourceVersion: String(version) };
    items.set(resource.name, next);
    for (const listener of listeners) listener(resource.name);
    return next;
  };
  const missing = fail(problem('not_found'));
  return {
    items,
    writes,
    get: async (name) => ok(structuredClone(items.get(name))),
    create: async ({ name, spec, annotations = {}, finalizers = [] }) => {
      if (items.has(name)) return fail(problem('already_exists'));
      writes.push(`create ${name}`);
      return ok(
        put({
          name,
          spec,
          annotations,
          finalizers,
          resourceVersion: '',
          generation: 1,
          uid: `uid-${name}`,
          createdAt: '2026-01-01T00:00:00Z',
          deleting: false,
          status: {},
        } as unknown as R),
      );
    },
    updateStatus: async (name, change) => {
      const current = items.get(name);
      if (current === undefined) return missing;
      const status = change(structuredClone(current));
      if (status === undefined) return ok(structuredClone(current));
      writes.push(`status ${name}`);
      return ok(put({ ...current, status: JSON.parse(JSON.stringify(status)) as R['status'] }));
    },
    update: async (name, change) => {
      const current = items.get(name);
      if (current === undefined) return missing;
      const next = change(structuredClone(current));
      if (next === undefined) return ok(structuredClone(current));
      writes.push(`update ${name}`);
      const generation = next.spec === undefined ? current.generation : current.generation + 1;
      const updated = put({ ...current, ...next, generation });
      if (updated.deleting && updated.finalizers.length === 0) items.delete(name);
      return ok(updated);
    },
    delete: async (name) => {
      const current = items.get(name);
      if (current !== undefined && current.finalizers.length > 0) put({ ...current, deleting: true });
      else items.delete(name);
      return ok(undefined);
    },
    cached: (name) => structuredClone(items.get(name)),
    all: () => [...items.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
