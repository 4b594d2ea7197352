import { displayRef, isOwnedBy, type Manifest, type Problem, problem, refKey, refOf } from '../kernel/index.ts';
import { ANNOTATIONS, ownershipLabels } from '../render/index.ts';

/** An object on record as ours: its reference and the uid it had when we wrote it. */
export type InventoryEntry = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
};

/** Who asks to write: an application, and the release on whose behalf. */
export type Owner = {
  /** 32 lowercase hex digits. */
  readonly id: string;
  /** Name of the release, `project.environment.name.revision`. */
  readonly operation: string;
  readonly inventory: readonly InventoryEntry[];
};

/** The entry for an object as the API server answered it. */
export function inventoryEntry(live: Manifest): InventoryEntry {
  return { ...refOf(live), uid: live.metadata.uid ?? '' };
}

/** The inventory with an object added or its uid renewed; sorted, so that the same set gives the same bytes. */
export function recorded(inventory: readonly InventoryEntry[], live: Manifest): readonly InventoryEntry[] {
  const entry = inventoryEntry(live);
  return [...inventory.filter((other) => refKey(other) !== refKey(entry)), entry].sort((a, b) =>
    refKey(a) < refKey(b) ? -1 : 1,
  );
}

/** Whether the labels say that the object is this application's. */
export function hasOwnershipLabels(live: Manifest, id: string): boolean {
  return isOwnedBy(live, ownershipLabels(id));
}

function splitOperation(operation: string): readonly [application: string, revision: number] {
  const dot = operation.lastIndexOf('.');
  const digits = operation.slice(dot + 1);
  return [operation.slice(0, dot), /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : Number.NaN];
}

/** Whether the object says that this release, or an earlier one of the same application, wrote it. */
function writtenByUs(live: Manifest, owner: Owner): boolean {
  const [application, revision] = splitOperation(owner.operation);
  const [other, written] = splitOperation(live.metadata.annotations?.[ANNOTATIONS.operation] ?? '');
  return other === application && written <= revision;
}

/**
 * `ours`: our labels and an inventory entry with this uid (invariant 8). `adopted`: our labels, and it names a release of this application,
 * but the inventory does not know the uid; that is what a worker leaves behind that died between creating the object and recording it, and
 * what a restored backup looks like. `foreign`: everything else; never touched.
 *
 * The caller records an adopted object before it changes anything, so that every mutation still has all three: labels, entry and uid.
 */
export function ownership(live: Manifest, owner: Owner): 'ours' | 'adopted' | 'foreign' {
  if (!hasOwnershipLabels(live, owner.id)) return 'foreign';
  const key = refKey(refOf(live));
  const known = owner.inventory.some((entry) => refKey(entry) === key && entry.uid === live.metadata.uid);
  if (known) return 'ours';
  return writtenByUs(live, owner) ? 'adopted' : 'foreign';
}

/** The refusal for an object that is not ours; it names only the object, which we wanted to write. */
export function notOwned(live: Manifest): Problem {
  return problem('not_owned', `${displayRef(refOf(live))} exists and does not belong to this application`);
}

/** The objects among `live` that are ours but not on record, to be recorded before anything is pruned. */
export function adoptable(live: readonly Manifest[], owner: Owner): readonly Manifest[] {
  return live.filter((object) => ownership(object, owner) === 'adopted');
}
