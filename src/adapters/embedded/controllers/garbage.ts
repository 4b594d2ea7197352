import type { Manifest } from '../../../kernel/index.ts';
import { deleteObject, FOREGROUND, finishIfReleased } from '../delete.ts';
import type { Machine } from '../machine.ts';
import { type Fields, records, text, withMetadata } from '../objects.ts';
import type { Change } from '../store.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { ownersOf } from './owned.ts';

function wakes(change: Change, machine: Machine): readonly string[] {
  const uid = change.object.metadata.uid ?? '';
  if (change.type === 'DELETED')
    return [...machine.store.dependents(uid).map(({ object }) => object.metadata.uid ?? ''), ...ownersOf(change)];
  const foreground = change.object.metadata.finalizers?.includes(FOREGROUND) === true;
  const owned = change.type === 'ADDED' && records(change.object.metadata.ownerReferences).length > 0;
  return foreground || owned ? [uid] : [];
}

function isBlocking(dependent: Manifest, owner: Manifest): boolean {
  return records(dependent.metadata.ownerReferences).some(
    (reference) => reference.uid === owner.metadata.uid && reference.blockOwnerDeletion === true,
  );
}

/** Deletes what an owner being deleted in the foreground owns, then lets the owner go. */
function foreground(machine: Machine, owner: Manifest, uid: string): void {
  const dependents = machine.store.dependents(uid);
  for (const { info, object } of dependents) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const deeper = machine.store.dependents(object.metadata.uid ?? '').length > 0;
    const propagation = deeper ? 'Foreground' : 'Background';
    deleteObject(machine, info, {
      live: object,
      propagation,
      uid: undefined,
      resourceVersion: undefined,
      dryRun: false,
    });
  }
  const blocked = machine.store.dependents(uid).some(({ object }) => isBlocking(object, owner));
  const info = machine.store.infoOf(uid);
  if (blocked || info === undefined) return;
  const left = (owner.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FOREGROUND);
  const released = withMetadata(owner, { finalizers: left.length === 0 ? undefined : left });
  if (!finishIfReleased(machine, info, released)) machine.store.put(info, released);
}

function isAlive(machine: Machine, reference: Fields): boolean {
  return machine.store.byUid(text(reference.uid) ?? '') !== undefined;
}

function reconcile({ machine }: ControllerContext, uid: string): void {
  const object = machine.store.byUid(uid);
  const info = machine.store.infoOf(uid);
  if (object === undefined || info === undefined) return;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (object.metadata.finalizers?.includes(FOREGROUND) === true) foreground(machine, object, uid);
    return;
  }
  const references = records(object.metadata.ownerReferences);
  const alive = references.filter((reference) => isAlive(machine, reference));
  if (references.length === alive.length) return;
  if (alive.length > 0) machine.store.put(info, withMetadata(object, { ownerReferences: alive }));
  else
    deleteObject(machine, info, {
      live: object,
      propagation: 'Background',
      uid,
      resourceVersion: undefined,
      dryRun: false,
    });
}

/** The garbage collector: deletes objects whose owners are gone, and owners in the foreground after what they own. */
export const GARBAGE_CONTROLLER: Controller = { name: 'garbage', wakes, reconcile };
