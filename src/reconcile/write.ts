import {
  displayRef,
  type Manifest,
  type ObjectRef,
  type Problem,
  problem,
  refKey,
  refOf,
  withAssigned,
} from '../kernel/index.ts';
import { claimChange } from './claims.ts';
import { type Difference, drift, sealed } from './drift.ts';
import { copyOf, type Mutable, object } from './json.ts';
import { hasOwnershipLabels, type InventoryEntry, notOwned, type Owner, ownership } from './ownership.ts';
import { carriedKeys } from './places.ts';
import { keepCreation } from './schedule.ts';

/**
 * What to do with one object. `manifest` is what to write as it stands. `adopt` means: record the live object in the inventory first (see
 * `ownership`). After `create`, record the answer.
 */
export type WriteDecision =
  | { readonly action: 'create'; readonly manifest: Manifest }
  | { readonly action: 'none'; readonly adopt: boolean }
  | {
      readonly action: 'apply' | 'replace';
      readonly adopt: boolean;
      readonly manifest: Manifest;
      readonly differences: readonly Difference[];
    }
  | { readonly action: 'refuse'; readonly problem: Problem };

/**
 * Decides how to bring one object to the form we want, ownership first.
 *
 * - `create` (a POST, so that an object somebody else makes in the same moment is never overwritten) when there is none.
 * - `none` when the live object means the same; the release that last wrote it does not matter.
 * - `apply` (forced server-side apply) when fields we set are missing or changed. The manifest carries the live uid, so it can not land on
 *   another object of the same name.
 * - `replace` (PUT at the live resourceVersion) when there is something in a place that is ours alone, which an apply would leave. Harmless
 *   labels, annotations and finalizers of others are carried over, and what the API server assigned.
 * - `refuse` with `not_owned`, with `volume_change`, or with `conflict` (try again) while the live object is being deleted.
 *
 * Jobs of another revision are for `decideJob`: what runs can not be changed.
 */
export function decideWrite(request: {
  readonly desired: Manifest;
  readonly live: Manifest | undefined;
  readonly owner: Owner;
}): WriteDecision {
  const { live, owner } = request;
  const desired = keepCreation(request.desired, live);
  if (live === undefined) return { action: 'create', manifest: sealed(desired) };
  const owned = ownership(live, owner);
  if (owned === 'foreign') return { action: 'refuse', problem: notOwned(live) };
  if (live.metadata.deletionTimestamp !== undefined) {
    return { action: 'refuse', problem: problem('conflict', `${displayRef(refOf(live))} is being deleted`) };
  }
  const adopt = owned === 'adopted';
  const differences = drift(desired, live);
  if (differences.length === 0) return { action: 'none', adopt };
  const fixed = claimChange(desired, live);
  if (fixed !== undefined) return { action: 'refuse', problem: fixed };
  if (live.immutable === true && differences.some((d) => /^(data|type|immutable)/.test(d.path))) {
    // The name of a snapshot is made of its content, so this is not the object we made.
    return { action: 'refuse', problem: notOwned(live) };
  }
  const protectedPlace = differences.some((d) => d.kind === 'foreign' || d.kind === 'reordered');
  return protectedPlace
    ? { action: 'replace', adopt, differences, manifest: replacement(desired, live) }
    : { action: 'apply', adopt, differences, manifest: pinned(sealed(desired), live) };
}

function pinned(desired: Manifest, live: Manifest): Manifest {
  const { uid } = live.metadata;
  return uid === undefined ? desired : { ...desired, metadata: { ...desired.metadata, uid } };
}

/** The full object for a PUT over `live`: as we want it, plus what others may keep and what the API server assigned. */
export function replacement(desired: Manifest, live: Manifest): Manifest {
  const copy = copyOf(withAssigned(sealed(desired), live));
  const metadata = object(copy.metadata) ?? {};
  const setByUs = new Set((live.metadata.annotations?.['hakopod.io/set-keys'] ?? '').split(','));
  for (const path of [
    ['metadata', 'labels'],
    ['metadata', 'annotations'],
    ['spec', 'template', 'metadata', 'annotations'],
  ]) {
    const kept = Object.entries(carriedKeys(live, path)).filter(([key]) => !setByUs.has([...path, key].join('.')));
    const parent = path.slice(0, -1).reduce<Mutable | undefined>((current, key) => object(current?.[key]), copy);
    const key = path.at(-1) ?? '';
    if (parent !== undefined && kept.length > 0) parent[key] = { ...Object.fromEntries(kept), ...object(parent[key]) };
  }
  for (const key of ['uid', 'resourceVersion', 'finalizers']) {
    if (live.metadata[key] !== undefined) metadata[key] = live.metadata[key];
  }
  return copy as Manifest;
}

/**
 * Whether an object on record may be deleted: it must still carry our labels and the uid on record (invariant 8). The delete itself repeats
 * the uid as a precondition.
 */
export function decideDelete(request: {
  readonly entry: InventoryEntry;
  readonly live: Manifest | undefined;
  readonly owner: Owner;
}): 'delete' | 'gone' | 'refuse' {
  const { entry, live, owner } = request;
  if (live === undefined) return 'gone';
  const same = refKey(refOf(live) as ObjectRef) === refKey(entry) && live.metadata.uid === entry.uid;
  const recordedHere = owner.inventory.some((e) => refKey(e) === refKey(entry) && e.uid === entry.uid);
  return same && recordedHere && hasOwnershipLabels(live, owner.id) ? 'delete' : 'refuse';
}
