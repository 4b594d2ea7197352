import type { Manifest } from '../../../kernel/index.ts';
import { deleteObject, finishIfReleased } from '../delete.ts';
import type { Machine } from '../machine.ts';
import { builtIn } from '../resources.ts';
import type { Change } from '../store.ts';
import { create } from '../write.ts';
import type { Controller, ControllerContext } from './manager.ts';

const NAMESPACES = builtIn('namespaces');
const ACCOUNTS = builtIn('serviceaccounts');

function wakes(change: Change, machine: Machine): readonly string[] {
  if (change.info.storage === NAMESPACES.storage) return [change.object.metadata.uid ?? ''];
  if (change.type !== 'DELETED' || change.object.metadata.namespace === undefined) return [];
  const namespace = machine.store.get(NAMESPACES, undefined, change.object.metadata.namespace);
  return namespace?.metadata.deletionTimestamp === undefined ? [] : [namespace.metadata.uid ?? ''];
}

/** Deletes what is in the namespace; answers whether anything is left. */
function empty(machine: Machine, namespace: string): boolean {
  let left = false;
  const seen = new Set<string>();
  for (const info of machine.registry.all()) {
    if (!info.namespaced || seen.has(info.storage)) continue;
    seen.add(info.storage);
    for (const live of machine.store.list(info, { namespace, labels: [], fields: [] })) {
      const marked = live.metadata.deletionTimestamp !== undefined;
      const rest = marked
        ? live
        : deleteObject(machine, info, {
            live,
            propagation: 'Background',
            uid: undefined,
            resourceVersion: undefined,
            dryRun: false,
          });
      left ||= rest !== undefined;
    }
  }
  return !left;
}

function ensureAccount(machine: Machine, namespace: string): void {
  if (machine.store.get(ACCOUNTS, namespace, 'default') !== undefined) return;
  const body: Manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
  const options = {
    dryRun: false,
    manager: 'kube-controller-manager',
    validation: 'Ignore',
    subresource: undefined,
  } as const;
  create(machine, { info: ACCOUNTS, namespace }, { body, options, managed: [] });
}

function reconcile({ machine }: ControllerContext, uid: string): void {
  const namespace = machine.store.byUid(uid);
  if (namespace === undefined || machine.store.infoOf(uid)?.storage !== NAMESPACES.storage) return;
  if (namespace.metadata.deletionTimestamp === undefined) ensureAccount(machine, namespace.metadata.name);
  else if (empty(machine, namespace.metadata.name)) finishIfReleased(machine, NAMESPACES, { ...namespace, spec: {} });
}

/** Gives each namespace its default account, and empties one that is being deleted. */
export const NAMESPACE_CONTROLLER: Controller = { name: 'namespace', wakes, reconcile };
