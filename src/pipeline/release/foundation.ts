import { type Manifest, ok, type Result } from '../../kernel/index.ts';
import { closedIngresses, stalePolicies } from '../../reconcile/index.ts';
import type { Rendered } from '../../render/index.ts';
import type { Carrying } from './carrying.ts';
import { deleteAll, pruneCandidates } from './prune.ts';
import { saveInventory } from './session.ts';
import { type Written, writeObject } from './write.ts';

/**
 * What everything else stands in, in the order of facts 3.2: the namespace, its network policies without those of services that are gone,
 * its budget and the claims; a pause when policies changed, because the network applies them on its own time; then the Services, while what
 * led traffic to a service that is not public any more goes.
 */
export async function layFoundation(carrying: Carrying, rendered: Rendered): Promise<Result<void>> {
  const { session, release, guard, desired } = carrying;
  const deleting = { session, release, check: guard.check };
  const { namespace, networkPolicies, quota, claims, services } = rendered;
  const fenced = await writeAll(carrying, [namespace]);
  if (!fenced.ok) return fenced;
  const policies = await writeAll(carrying, networkPolicies);
  if (!policies.ok) return policies;
  const unwanted = pruneCandidates(session, rendered, undefined);
  const gone = await deleteAll(deleting, stalePolicies(unwanted));
  if (!gone.ok) return gone;
  const bounds = await writeAll(carrying, [quota, ...claims]);
  if (!bounds.ok) return bounds;
  const saved = await saveInventory(session);
  if (!saved.ok) return saved;
  const { clock, options } = session.deps;
  if (policies.value.some((written) => written !== 'unchanged'))
    await clock.sleep(options.policySettleMs, guard.signal);
  const reachable = await writeAll(carrying, services);
  if (!reachable.ok) return reachable;
  const closed = await deleteAll(deleting, closedIngresses(unwanted, desired));
  if (!closed.ok) return closed;
  const kept = await saveInventory(session);
  return kept.ok ? guard.check() : kept;
}

/** Writes objects side by side; the first failure is the answer. */
async function writeAll(
  { session, release, guard }: Carrying,
  objects: readonly Manifest[],
): Promise<Result<readonly Written[]>> {
  const results = await Promise.all(
    objects.map(async (manifest): Promise<Result<Written>> => {
      const allowed = guard.check();
      return allowed.ok ? writeObject(session, manifest, { operation: release.name }) : allowed;
    }),
  );
  const done: Written[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    done.push(result.value);
  }
  return ok(done);
}
