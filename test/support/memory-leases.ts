import { fail, ok, problem } from '../../src/kernel/index.ts';
import type { HeldLease, Leases } from '../../src/ports/index.ts';

/** Leases in memory. A holder that is lost keeps its lease, as a process that was killed does until it expires. */
export type MemoryLeases = Leases & {
  readonly held: Map<string, { readonly lose: () => void }>;
  /** Frees a lease whose holder is gone, as time does. */
  expire(name: string): void;
};

export function memoryLeases(): MemoryLeases {
  const held: MemoryLeases['held'] = new Map();
  let fence = 0;
  return {
    held,
    expire: (name) => {
      held.get(name)?.lose();
      held.delete(name);
    },
    acquire: async (name) => {
      if (held.has(name)) return fail(problem('lease_held', undefined, { afterMs: 3000 }));
      fence += 1;
      const lost = new AbortController();
      const mine = { lose: () => lost.abort() };
      held.set(name, mine);
      const lease: HeldLease = {
        fence,
        signal: lost.signal,
        release: async () => {
          if (held.get(name) === mine) held.delete(name);
        },
      };
      return ok(lease);
    },
  };
}
