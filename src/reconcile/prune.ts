import { at, LIMITS, type Manifest, type ObjectRef, type Problem, problem, records, refKey } from '../kernel/index.ts';
import { object } from './json.ts';
import type { InventoryEntry } from './ownership.ts';

/** Kinds that may be pruned, in this order: first what leads traffic in, then what runs, then what it read, last what fenced it in. */
const PRUNED: readonly string[] = [
  'Ingress',
  'Service',
  'HorizontalPodAutoscaler',
  'CronJob',
  'Deployment',
  'Job',
  'ConfigMap',
  'Secret',
  'NetworkPolicy',
];

/** Immutable copies of what pods read; they go when the last reader is gone. */
const SNAPSHOTS: readonly string[] = ['ConfigMap', 'Secret'];

/** Whether an object on record is a snapshot, which may still have readers. */
export function isSnapshot(entry: { readonly kind: string }): boolean {
  return SNAPSHOTS.includes(entry.kind);
}

function podSpecOf(manifest: Manifest): unknown {
  if (manifest.kind === 'Pod') return manifest.spec;
  const job = manifest.kind === 'CronJob' ? at(manifest, 'spec', 'jobTemplate') : manifest;
  return at(job, 'spec', 'template', 'spec');
}

function readByContainer(container: unknown): readonly (readonly [kind: string, name: unknown])[] {
  const env = records(at(container, 'env')).map((item) => object(item.valueFrom));
  const from = records(at(container, 'envFrom'));
  return [
    ...env.map((source) => ['Secret', at(source, 'secretKeyRef', 'name')] as const),
    ...env.map((source) => ['ConfigMap', at(source, 'configMapKeyRef', 'name')] as const),
    ...from.map((source) => ['Secret', at(source, 'secretRef', 'name')] as const),
    ...from.map((source) => ['ConfigMap', at(source, 'configMapRef', 'name')] as const),
  ];
}

function readByVolume(volume: unknown): readonly (readonly [kind: string, name: unknown])[] {
  const projected = records(at(volume, 'projected', 'sources'));
  return [
    ['Secret', at(volume, 'secret', 'secretName')],
    ['ConfigMap', at(volume, 'configMap', 'name')],
    ...projected.map((source) => ['Secret', at(source, 'secret', 'name')] as const),
    ...projected.map((source) => ['ConfigMap', at(source, 'configMap', 'name')] as const),
  ];
}

/** The Secrets and ConfigMaps that pods, or the templates of workloads, read, as `Kind/name`. */
export function snapshotsInUse(objects: readonly Manifest[]): ReadonlySet<string> {
  const read = objects
    .map(podSpecOf)
    .flatMap((spec) => [
      ...[...records(at(spec, 'initContainers')), ...records(at(spec, 'containers'))].flatMap(readByContainer),
      ...records(at(spec, 'volumes')).flatMap(readByVolume),
      ...records(at(spec, 'imagePullSecrets')).map((secret) => ['Secret', secret.name] as const),
    ]);
  return new Set(read.flatMap(([kind, name]) => (typeof name === 'string' ? [`${kind}/${name}`] : [])));
}

/**
 * What to delete after a release, in order. Only objects on record, of a kind that may be pruned, that the rendering no longer has; never a
 * claim, a namespace or a quota, and nothing at all unless `renderedOk` (invariant 8). A snapshot that a pod or a kept job still reads
 * stays for a later pass. The caller reads each object and asks `decideDelete` before it deletes.
 */
export function pruneSet(request: {
  readonly inventory: readonly InventoryEntry[];
  readonly rendered: readonly ObjectRef[];
  readonly renderedOk: boolean;
  /** As `snapshotsInUse` answers; `undefined` when it is not known, and then no snapshot is pruned. */
  readonly snapshotsInUse: ReadonlySet<string> | undefined;
}): readonly InventoryEntry[] {
  const { inventory, rendered, renderedOk, snapshotsInUse: used } = request;
  if (!renderedOk) return [];
  const wanted = new Set(rendered.map(refKey));
  const rank = (entry: InventoryEntry): number => PRUNED.indexOf(entry.kind);
  return inventory
    .filter((entry) => rank(entry) >= 0 && !wanted.has(refKey(entry)))
    .filter((entry) => !isSnapshot(entry) || (used !== undefined && !used.has(`${entry.kind}/${entry.name}`)))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Per service policies leave before anything new runs (facts 3.2): the stale NetworkPolicies of a prune set, which may go early because
 * `hakopod-default-deny` stays and denying more is safe.
 */
export function stalePolicies(prune: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return prune.filter((entry) => entry.kind === 'NetworkPolicy');
}

/**
 * The Ingresses of a prune set whose service stays and is not public any more: they lead nobody there while the release goes on (facts 3.2).
 * Those of services that go stay until what takes their place is there.
 */
export function closedIngresses(
  prune: readonly InventoryEntry[],
  application: { readonly services: Readonly<Record<string, unknown>> },
): readonly InventoryEntry[] {
  return prune.filter((entry) => entry.kind === 'Ingress' && Object.hasOwn(application.services, entry.name));
}

const CLEANED: Readonly<Record<string, number>> = {
  Job: LIMITS.cleanupJobs,
  CronJob: LIMITS.cleanupCronJobs,
  Deployment: LIMITS.cleanupDeployments,
};

/**
 * Refuses to clean up among more Jobs, CronJobs or Deployments with an application's labels than it can have by itself (facts 3.6):
 * somebody else makes them then, and a person has to look. `objects` are the live ones of the application.
 */
export function cleanupExcess(objects: readonly Manifest[]): Problem | undefined {
  for (const [kind, limit] of Object.entries(CLEANED)) {
    const count = objects.filter((object) => object.kind === kind).length;
    if (count > limit)
      return problem('cleanup_limit', `there are ${count} ${kind}s of it; at most ${limit} are looked at`);
  }
  return undefined;
}
