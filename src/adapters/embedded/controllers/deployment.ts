import type { Manifest } from '../../../kernel/index.ts';
import { deleteObject } from '../delete.ts';
import { at, number, record, records, text, withMetadata } from '../objects.ts';
import { builtIn } from '../resources.ts';
import { create } from '../write.ts';
import { deploymentStatus, statusNumber } from './deployment-status.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { controllerReference, living, podsOf, wakesFor, writeStatus } from './owned.ts';
import { rollingBounds } from './rolling.ts';

const DEPLOYMENTS = builtIn('deployments');
const REPLICA_SETS = builtIn('replicasets');
const HASH = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

function revisionOf(object: Manifest | undefined): number {
  return Number(object?.metadata.annotations?.[REVISION] ?? 0);
}

function withRevision(object: Manifest, revision: number): Manifest {
  return withMetadata(object, { annotations: { ...object.metadata.annotations, [REVISION]: String(revision) } });
}

function setsOf(context: ControllerContext, deployment: Manifest): readonly Manifest[] {
  return context.machine.store
    .dependents(deployment.metadata.uid ?? '')
    .filter(({ info }) => info.storage === REPLICA_SETS.storage)
    .map(({ object }) => object)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
}

/** The ReplicaSet of the present template, made when there is none; its revision is the newest. */
function currentSet(context: ControllerContext, deployment: Manifest, sets: readonly Manifest[]): Manifest {
  const template = record(at(deployment, 'spec', 'template'));
  const hash = context.hash(template);
  const newest = sets.reduce((highest, set) => Math.max(highest, revisionOf(set)), 0);
  const found = sets.find((set) => set.metadata.labels?.[HASH] === hash);
  if (found !== undefined) {
    return revisionOf(found) === newest
      ? found
      : context.machine.store.put(REPLICA_SETS, withRevision(found, newest + 1));
  }
  const metadata = record(template.metadata);
  const labels = { ...(record(metadata.labels) as Record<string, string>), [HASH]: hash };
  const matchLabels = { ...record(at(deployment, 'spec', 'selector', 'matchLabels')), [HASH]: hash };
  const body: Manifest = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? '',
      labels,
      annotations: { [REVISION]: String(newest + 1) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      minReadySeconds: number(at(deployment, 'spec', 'minReadySeconds'), 0),
      selector: { matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
  const options = {
    dryRun: false,
    manager: 'kube-controller-manager',
    validation: 'Ignore',
    subresource: undefined,
  } as const;
  return create(
    context.machine,
    { info: REPLICA_SETS, namespace: deployment.metadata.namespace },
    { body, options, managed: [] },
  );
}

function resize(context: ControllerContext, set: Manifest, replicas: number): Manifest {
  if (at(set, 'spec', 'replicas') === replicas) return set;
  const changed = { ...set, spec: { ...record(set.spec), replicas } };
  return context.machine.store.put(
    REPLICA_SETS,
    withMetadata(changed, { generation: (set.metadata.generation ?? 0) + 1 }),
  );
}

function replicasOf(set: Manifest): number {
  return number(at(set, 'spec', 'replicas'), 0);
}

type Sets = { readonly current: Manifest; readonly old: readonly Manifest[] };

/** One step of a rolling update: as many new pods as the surge allows, as few old ones as availability allows. */
function roll(context: ControllerContext, deployment: Manifest, { current, old }: Sets): Sets {
  const spec = record(deployment.spec);
  const wanted = number(spec.replicas, 1);
  const { surge, unavailable } = rollingBounds(spec);
  const oldTotal = old.reduce((sum, set) => sum + replicasOf(set), 0);
  const room = Math.max(0, wanted + surge - oldTotal);
  const target = Math.min(wanted, Math.max(room, Math.min(replicasOf(current), wanted)));
  const grown = resize(context, current, target);
  const available = [current, ...old].reduce((sum, set) => sum + statusNumber(set, 'availableReplicas'), 0);
  let removable = Math.max(0, available - (wanted - unavailable));
  const shrunk = old.map((set) => {
    const idle = Math.max(0, replicasOf(set) - statusNumber(set, 'availableReplicas'));
    const cut = Math.min(replicasOf(set), idle + removable);
    removable -= Math.max(0, cut - idle);
    return resize(context, set, replicasOf(set) - cut);
  });
  return { current: grown, old: shrunk };
}

/** Recreate: no new pod before the last old one is gone. */
function recreate(context: ControllerContext, deployment: Manifest, { current, old }: Sets): Sets {
  const emptied = old.map((set) => resize(context, set, 0));
  const gone = emptied.every((set) => podsOf(context.machine, set).length === 0);
  const wanted = number(at(deployment, 'spec', 'replicas'), 1);
  return { current: gone ? resize(context, current, wanted) : current, old: emptied };
}

function cleanUp(context: ControllerContext, deployment: Manifest, old: readonly Manifest[]): void {
  const limit = number(at(deployment, 'spec', 'revisionHistoryLimit'), 10);
  const idle = old.filter((set) => replicasOf(set) === 0 && statusNumber(set, 'replicas') === 0);
  for (const live of idle.slice(0, Math.max(0, idle.length - limit))) {
    deleteObject(context.machine, REPLICA_SETS, {
      live,
      propagation: 'Background',
      uid: undefined,
      resourceVersion: undefined,
      dryRun: false,
    });
  }
}

function reconcile(context: ControllerContext, uid: string): void {
  const { machine } = context;
  const deployment = living(machine, DEPLOYMENTS, uid);
  if (deployment === undefined) return;
  const before = setsOf(context, deployment);
  const paused = at(deployment, 'spec', 'paused') === true;
  const current = currentSet(context, deployment, before);
  const start: Sets = { current, old: before.filter((set) => set.metadata.uid !== current.metadata.uid) };
  const isRolling = text(at(deployment, 'spec', 'strategy', 'type')) !== 'Recreate';
  const step = isRolling ? roll : recreate;
  const sets = paused ? start : step(context, deployment, start);
  const status = deploymentStatus(context, deployment, sets);
  writeStatus(machine, DEPLOYMENTS, withSameRevision(deployment, revisionOf(sets.current)), status);
  const complete = records(status.conditions).some(({ reason }) => reason === 'NewReplicaSetAvailable');
  if (complete) cleanUp(context, deployment, sets.old);
}

function withSameRevision(deployment: Manifest, revision: number): Manifest {
  return revisionOf(deployment) === revision ? deployment : withRevision(deployment, revision);
}

/** Rolls a Deployment's template out through ReplicaSets and reports as the real controller does. */
export const DEPLOYMENT_CONTROLLER: Controller = {
  name: 'deployment',
  wakes: wakesFor(DEPLOYMENTS, REPLICA_SETS),
  reconcile,
};
