import type { Manifest } from '../../kernel/index.ts';
import { conflict, forbidden } from './errors.ts';
import { seconds } from './ids.ts';
import type { Machine } from './machine.ts';
import { at, isRecord, records, withMetadata } from './objects.ts';
import type { ResourceInfo } from './resources.ts';

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

export type DeleteRequest = {
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
};

/** Holds an owner until its blocking dependents are gone. */
export const FOREGROUND = 'foregroundDeletion';

function checkPreconditions(info: ResourceInfo, live: Manifest, request: DeleteRequest): void {
  const { name, uid, resourceVersion } = live.metadata;
  if (request.uid !== undefined && request.uid !== uid) {
    throw conflict(info, name, `Precondition failed: UID in precondition: ${request.uid}, UID in object meta: ${uid}`);
  }
  if (request.resourceVersion !== undefined && request.resourceVersion !== resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${request.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    throw conflict(info, name, why);
  }
}

/** Jobs leave their pods behind unless told otherwise, as in batch/v1; everything else deletes in the background. */
function propagationOf(info: ResourceInfo, asked: Propagation | undefined): Propagation {
  return asked ?? (info.storage === 'batch/jobs' ? 'Orphan' : 'Background');
}

function orphan(machine: Machine, owner: Manifest): void {
  for (const { info, object } of machine.store.dependents(owner.metadata.uid ?? '')) {
    const left = records(object.metadata.ownerReferences).filter(({ uid }) => uid !== owner.metadata.uid);
    machine.store.put(info, withMetadata(object, { ownerReferences: left.length === 0 ? undefined : left }));
  }
}

/**
 * Deletes an object, or marks it when finalizers hold it. Answers what is left of it, or undefined when it is gone. 409 when a
 * precondition does not hold.
 */
export function deleteObject(
  machine: Machine,
  info: ResourceInfo,
  request: DeleteRequest & { readonly live: Manifest },
): Manifest | undefined {
  const { live } = request;
  checkPreconditions(info, live, request);
  const why = machine.hooks.admit?.({ operation: 'DELETE', object: live, previous: live, subresource: undefined });
  if (why !== undefined) throw forbidden(info, live.metadata.name, why);
  const propagation = propagationOf(info, request.propagation);
  const finalizers = [...(live.metadata.finalizers ?? [])];
  if (propagation === 'Foreground' && !finalizers.includes(FOREGROUND)) finalizers.push(FOREGROUND);
  const isNamespace = info.storage === '/namespaces';
  const held = finalizers.length > 0 || isNamespace;
  if (request.dryRun) return held ? live : undefined;
  if (propagation === 'Orphan') orphan(machine, live);
  if (!held) {
    machine.store.remove(info, live);
    return undefined;
  }
  const marked = withMetadata(live, {
    deletionTimestamp: live.metadata.deletionTimestamp ?? seconds(machine.now()),
    deletionGracePeriodSeconds: live.metadata.deletionGracePeriodSeconds ?? 0,
    ...(finalizers.length > 0 ? { finalizers } : {}),
  });
  const next = isNamespace ? { ...marked, status: { phase: 'Terminating' } } : marked;
  return machine.store.put(info, next);
}

/** Removes an object that is being deleted once nothing holds it. */
export function finishIfReleased(machine: Machine, info: ResourceInfo, object: Manifest): boolean {
  if (object.metadata.deletionTimestamp === undefined) return false;
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if (info.storage === '/namespaces' && isRecord(object.spec) && namespaceHeld(object)) return false;
  machine.store.remove(info, object);
  return true;
}

function namespaceHeld(namespace: Manifest): boolean {
  const finalizers = at(namespace, 'spec', 'finalizers');
  return Array.isArray(finalizers) && finalizers.length > 0;
}
