import type { Manifest } from '../../../kernel/index.ts';
import { deleteObject } from '../delete.ts';
import type { Machine } from '../machine.ts';
import { at, type Fields, records, sameJson, text } from '../objects.ts';
import { builtIn, type ResourceInfo } from '../resources.ts';
import type { Change } from '../store.ts';
import { create } from '../write.ts';

const PODS = builtIn('pods');

/** The uids of the owners of a changed object, before and after. */
export function ownersOf(change: Change): readonly string[] {
  const uids = [change.object, change.previous].flatMap((object) =>
    records(at(object, 'metadata', 'ownerReferences')).map(({ uid }) => text(uid) ?? ''),
  );
  return [...new Set(uids)];
}

/** Wakes for objects of this resource and for the owners of what they own. */
export function wakesFor(own: ResourceInfo, dependent: ResourceInfo): (change: Change) => readonly string[] {
  return (change) => {
    if (change.info.storage === own.storage) return [change.object.metadata.uid ?? ''];
    return change.info.storage === dependent.storage ? ownersOf(change) : [];
  };
}

/** The object with this uid when it is of this resource and not being deleted. */
export function living(machine: Machine, info: ResourceInfo, uid: string): Manifest | undefined {
  if (machine.store.infoOf(uid)?.storage !== info.storage) return undefined;
  const object = machine.store.byUid(uid);
  return object?.metadata.deletionTimestamp === undefined ? object : undefined;
}

/** The pods an object owns, oldest first. */
export function podsOf(machine: Machine, owner: Manifest): readonly Manifest[] {
  return machine.store
    .dependents(owner.metadata.uid ?? '')
    .filter(({ info }) => info.storage === PODS.storage)
    .map(({ object }) => object);
}

/** True once the containers ended for good. */
export function isFinished(pod: Manifest): boolean {
  const phase = at(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

export function conditionOf(object: Manifest, type: string): Fields | undefined {
  return records(at(object, 'status', 'conditions')).find((condition) => condition.type === type);
}

export function isReady(pod: Manifest): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** The reference that makes `owner` the controller of a new object. */
export function controllerReference(owner: Manifest): Fields {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Creates a pod from the owner's template, through admission like any other write; throws `ApiError` when refused. */
export function createPod(machine: Machine, owner: Manifest): Manifest {
  const template = at(owner, 'spec', 'template');
  const metadata = at(template, 'metadata') as Fields | undefined;
  const body: Manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      labels: (metadata?.labels ?? {}) as Record<string, string>,
      annotations: (metadata?.annotations ?? {}) as Record<string, string>,
      ownerReferences: [controllerReference(owner)],
    },
    spec: at(template, 'spec'),
  };
  const options = {
    dryRun: false,
    manager: 'kube-controller-manager',
    validation: 'Ignore',
    subresource: undefined,
  } as const;
  return create(machine, { info: PODS, namespace: owner.metadata.namespace }, { body, options, managed: [] });
}

export function removePod(machine: Machine, live: Manifest): void {
  deleteObject(machine, PODS, {
    live,
    propagation: 'Background',
    uid: undefined,
    resourceVersion: undefined,
    dryRun: false,
  });
}

/** Writes a status when it differs from the live one; what a controller writes bypasses admission. */
export function writeStatus(machine: Machine, info: ResourceInfo, object: Manifest, status: Fields): Manifest {
  return sameJson(object.status, status) ? object : machine.store.put(info, { ...object, status });
}
