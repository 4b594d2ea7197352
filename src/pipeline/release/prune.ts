import { fail, ok, type Result, refOf } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { cleanupExcess, type InventoryEntry, isSnapshot, pruneSet, snapshotsInUse } from '../../reconcile/index.ts';
import { allObjects, type Rendered } from '../../render/index.ts';
import { ownSelector, type Session, saveInventory, type View } from './session.ts';
import { deleteObject } from './write.ts';

/** On whose behalf something is deleted, and whether it still may be. */
export type Deleting = { readonly session: Session; readonly release: Release; readonly check: () => Result<void> };

/** What is on record and not rendered any more. `inUse`: the snapshots that stay; `undefined` keeps all of them. */
export function pruneCandidates(
  session: View,
  rendered: Rendered,
  inUse: ReadonlySet<string> | undefined,
): readonly InventoryEntry[] {
  return pruneSet({
    inventory: session.inventory.entries,
    rendered: allObjects(rendered).map(refOf),
    renderedOk: true,
    snapshotsInUse: inUse,
  });
}

/** Deletes entries one after another, as long as the release may go on. */
export async function deleteAll(
  { session, release, check }: Deleting,
  entries: readonly InventoryEntry[],
): Promise<Result<void>> {
  for (const entry of entries) {
    const allowed = check();
    if (!allowed.ok) return allowed;
    const deleted = await deleteObject(session, entry, release.name);
    if (!deleted.ok) return deleted;
  }
  return ok(undefined);
}

/** Deletes what this application owned and wants no longer, after everything wanted is there: snapshots last, those without a reader. */
export async function prune(deleting: Deleting, rendered: Rendered): Promise<Result<void>> {
  const { session } = deleting;
  const excess = cleanupExcess(session.inventory.all());
  if (excess !== undefined) return fail(excess);
  const gone = await deleteAll(deleting, pruneCandidates(session, rendered, undefined));
  if (!gone.ok) return gone;
  const snapshots = pruneCandidates(session, rendered, new Set()).some(isSnapshot);
  const unread = snapshots ? await unreadSnapshots(session, rendered) : ok([]);
  if (!unread.ok) return unread;
  const left = await deleteAll(deleting, unread.value);
  if (!left.ok) return left;
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

/** Snapshots no pod and no workload, a kept job included, reads any more. */
export async function unreadSnapshots(session: View, rendered: Rendered): Promise<Result<readonly InventoryEntry[]>> {
  const pods = await session.deps.cluster.list({
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: session.namespace,
    labelSelector: ownSelector(session),
  });
  if (!pods.ok) return pods;
  const inUse = snapshotsInUse([...pods.value, ...session.inventory.all()]);
  return ok(pruneCandidates(session, rendered, inUse).filter(isSnapshot));
}
