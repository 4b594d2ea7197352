import type { Manifest } from '../../../kernel/index.ts';
import { finishIfReleased } from '../delete.ts';
import { CLAIM_FINALIZER } from '../kind-rules.ts';
import type { Machine } from '../machine.ts';
import { at, record, records, withMetadata } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Change } from '../store.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { isFinished, writeStatus } from './owned.ts';

const CLAIMS = builtIn('persistentvolumeclaims');
const PODS = builtIn('pods');

function claimsOf(pod: Manifest): readonly unknown[] {
  return records(at(pod, 'spec', 'volumes')).map((volume) => at(volume, 'persistentVolumeClaim', 'claimName'));
}

function isUsed(machine: Machine, claim: Manifest): boolean {
  const { namespace, name } = claim.metadata;
  const pods = machine.store.list(PODS, { namespace, labels: [], fields: [] });
  return pods.some((pod) => !isFinished(pod) && claimsOf(pod).includes(name));
}

/** A pod that ends or goes may free the claims it used. */
function wakes(change: Change, machine: Machine): readonly string[] {
  if (change.info.storage === CLAIMS.storage) return [change.object.metadata.uid ?? ''];
  if (change.info.storage !== PODS.storage || (change.type !== 'DELETED' && !isFinished(change.object))) return [];
  const { namespace } = change.object.metadata;
  return claimsOf(change.object).flatMap((name) => {
    const claim = typeof name === 'string' ? machine.store.get(CLAIMS, namespace, name) : undefined;
    return claim?.metadata.deletionTimestamp === undefined ? [] : [claim.metadata.uid ?? ''];
  });
}

function release(machine: Machine, claim: Manifest): void {
  const held = claim.metadata.finalizers ?? [];
  if (!held.includes(CLAIM_FINALIZER) || isUsed(machine, claim)) return;
  const left = held.filter((finalizer) => finalizer !== CLAIM_FINALIZER);
  const released = withMetadata(claim, { finalizers: left.length === 0 ? undefined : left });
  if (!finishIfReleased(machine, CLAIMS, released)) machine.store.put(CLAIMS, released);
}

function reconcile({ machine }: ControllerContext, uid: string): void {
  const claim = machine.store.byUid(uid);
  if (claim === undefined || machine.store.infoOf(uid)?.storage !== CLAIMS.storage) return;
  if (claim.metadata.deletionTimestamp !== undefined) {
    release(machine, claim);
    return;
  }
  if (at(claim, 'status', 'phase') === 'Bound') return;
  const spec = { volumeName: `pvc-${uid}`, ...record(claim.spec) };
  const capacity = at(spec, 'resources', 'requests');
  writeStatus(machine, CLAIMS, { ...claim, spec }, { phase: 'Bound', accessModes: at(spec, 'accessModes'), capacity });
}

/** Binds every claim to the volume it names, or to one that does not exist; lets a deleted claim go once no pod uses it. */
export const CLAIM_CONTROLLER: Controller = { name: 'claim', wakes, reconcile };
