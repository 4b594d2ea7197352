import { createIdentityStore, IDENTITY_SECRET } from '../adapters/kubernetes/index.ts';
import { ok, type Problem, type Result } from '../kernel/index.ts';
import { keepIdentity } from '../pipeline/identity/index.ts';
import type { Leases } from '../ports/index.ts';
import type { Foundation } from './foundation.ts';

/** How often a worker looks whether the identity is still its own. */
const EVERY_MS = 30_000;

/** Keeps the installation's identity until stopped. `giveUp` is called once, when another installation turns out to use it. */
export function startIdentity(
  { cluster, clock, random, log, config }: Foundation,
  { leases }: { readonly leases: Leases },
  giveUp: (why: Problem) => void,
): Result<{ stop(): Promise<void> }> {
  const { namespace } = config;
  const store = createIdentityStore({ cluster, namespace, name: IDENTITY_SECRET });
  if (!store.ok) return store;
  const ending = new AbortController();
  const parts = { store: store.value, leases, cluster, namespace, clock, random, log };
  const keeping = keepIdentity({ ...parts, everyMs: EVERY_MS, signal: ending.signal }).then((conflict) => {
    if (conflict !== undefined) giveUp(conflict);
  });
  return ok({
    stop: async () => {
      ending.abort();
      await keeping;
    },
  });
}
