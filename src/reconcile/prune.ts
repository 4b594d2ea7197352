import type { Manifest, ObjectRef } from '../kernel/index.ts';
import { array, at } from './json.ts';
import { type InventoryEntry, refKey } from './ownership.ts';

/** Kinds that may be pruned, in this order: first what leads traffic in, then what runs, then what it read, last what fenced it in. */
const PRUNED: readonly string[] = ['Ingress', 'Service', 'Deployment', 'Job', 'Secret', 'NetworkPolicy'];

/** Names of the Secrets that pods, or the templates of workloads, refer to. */
export function secretsInUse(objects: readonly Manifest[]): ReadonlySet<string> {
  const names = objects.flatMap((object) => {
    const spec = object.kind === 'Pod' ? object.spec : at(object, 'spec', 'template', 'spec');
    const containers = [...array(at(spec, 'initContainers')), ...array(at(spec, 'containers'))];
    return containers.flatMap((container) => [
      ...array(container.env).map((env) => at(env, 'valueFrom', 'secretKeyRef', 'name')),
      ...array(container.envFrom).map((source) => at(source, 'secretRef', 'name')),
    ]);
  });
  return new Set(names.filter((name) => typeof name === 'string'));
}

/**
 * What to delete after a release, in order. Only objects on record, of a kind that may be pruned, that the rendering no longer has; never a
 * claim, a namespace or a quota, and nothing at all unless `renderedOk` (invariant 8). A Secret that a live pod still reads stays for a
 * later pass. The caller reads each object and asks `decideDelete` before it deletes.
 */
export function pruneSet(request: {
  readonly inventory: readonly InventoryEntry[];
  readonly rendered: readonly ObjectRef[];
  readonly renderedOk: boolean;
  /** Names of Secrets that pods or templates refer to; `undefined` when they could not be read, and then no Secret is pruned. */
  readonly secretsInUse: ReadonlySet<string> | undefined;
}): readonly InventoryEntry[] {
  const { inventory, rendered, renderedOk, secretsInUse: used } = request;
  if (!renderedOk) return [];
  const wanted = new Set(rendered.map(refKey));
  const rank = (entry: InventoryEntry): number => PRUNED.indexOf(entry.kind);
  return inventory
    .filter((entry) => rank(entry) >= 0 && !wanted.has(refKey(entry)))
    .filter((entry) => entry.kind !== 'Secret' || (used !== undefined && !used.has(entry.name)))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Per service policies leave before anything new runs (facts 3.2): the stale NetworkPolicies of a prune set, which may go early because
 * `hakopod-default-deny` stays and denying more is safe.
 */
export function stalePolicies(prune: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return prune.filter((entry) => entry.kind === 'NetworkPolicy');
}
