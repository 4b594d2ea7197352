import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { type Application as ApplicationResource, CLEANUP_FINALIZER, DELETED_CLAIMS } from '../../ports/index.ts';
import { hasOwnershipLabels, pruneSet } from '../../reconcile/index.ts';
import { forgetCertificates, forgetDomains } from '../endpoints/index.ts';
import { jobsAfterRemoval, recordCleaned } from '../preview-environment/ended.ts';
import { isPreview } from '../preview-environment/names.ts';
import { endRelease, isEnded } from './conclude.ts';
import { readLive, type Session, saveInventory } from './session.ts';
import { deleteObject } from './write.ts';

/**
 * Takes down an application somebody removes: what it runs, then its releases, builds and secrets, and last the application itself. Claims
 * stay but for those that were named, and while there are any so does the namespace (invariant 8). A preview takes its namespace and claims
 * along, the one exception, and goes only when the namespace has gone. Each step can be repeated; the application goes only when all is done.
 */
export async function takeDown(session: Session, application: ApplicationResource): Promise<Result<void>> {
  const takeDownRest = isPreview(application)
    ? [takeDownWhole, forgetHistory, forgetSecrets, forgetHosts, seeGone]
    : [takeDownClaims, takeDownNamespace, forgetHistory, forgetSecrets, forgetHosts];
  for (const step of [takeDownObjects, ...takeDownRest]) {
    const done = await step(session, application);
    if (!done.ok) return done;
  }
  if (isPreview(application)) await recordCleaned(session.deps, application);
  const released = await session.deps.store.applications.update(application.name, ({ finalizers }) => {
    const others = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    return others.length === finalizers.length ? undefined : { finalizers: others };
  });
  if (!released.ok && released.problem.code !== 'not_found') return released;
  session.deps.log.info('application removed', { application: application.name });
  return isPreview(application) ? session.deps.jobs.addAll(jobsAfterRemoval(session.deps, application)) : ok(undefined);
}

/**
 * A preview's claims and its namespace, with whatever is in it. A namespace that is ours by its labels, and that a crash kept from the record,
 * is put there first.
 */
async function takeDownWhole(session: Session, application: ApplicationResource): Promise<Result<void>> {
  const { inventory, namespace: name } = session;
  const namespace = inventory.live({ apiVersion: 'v1', kind: 'Namespace', name });
  if (namespace !== undefined && hasOwnershipLabels(namespace, session.id) && !inventory.has(namespace)) {
    inventory.record(namespace);
    const adopted = await saveInventory(session);
    if (!adopted.ok) return adopted;
  }
  for (const kind of ['PersistentVolumeClaim', 'Namespace'])
    for (const entry of inventory.entries.filter((one) => one.kind === kind)) {
      const deleted = await deleteObject(session, entry, operationOf(application));
      if (!deleted.ok) return deleted;
    }
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

const LEAVING_MS = 2000;

/** Waits, by coming back, until a preview's namespace is gone with its pods and volumes: only then its place is free. */
async function seeGone(session: Session): Promise<Result<void>> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: session.namespace };
  const live = await session.deps.cluster.get(ref);
  if (!live.ok) return live;
  const isOurs = live.value !== undefined && hasOwnershipLabels(live.value, session.id);
  return isOurs ? fail(problem('preview_leaving', undefined, { afterMs: LEAVING_MS })) : ok(undefined);
}

async function takeDownObjects(session: Session, application: ApplicationResource): Promise<Result<void>> {
  const live = await readLive(session);
  if (!live.ok) return live;
  const { entries } = session.inventory;
  const all = pruneSet({ inventory: entries, rendered: [], renderedOk: true, snapshotsInUse: new Set() });
  for (const entry of all) {
    const deleted = await deleteObject(session, entry, operationOf(application));
    if (!deleted.ok) return deleted;
  }
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

/** The claims whoever removes the application named, after what wrote to them. Only ours, as on record. */
async function takeDownClaims(session: Session, application: ApplicationResource): Promise<Result<void>> {
  const named = new Set((application.annotations[DELETED_CLAIMS] ?? '').split(','));
  const claims = session.inventory.entries.filter(
    ({ kind, name }) => kind === 'PersistentVolumeClaim' && named.has(name),
  );
  for (const claim of claims) {
    const deleted = await deleteObject(session, claim, operationOf(application));
    if (!deleted.ok) return deleted;
    session.deps.log.info('volume deleted', { application: application.name, claim: claim.name });
  }
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

/** Whatever its claims are named, a namespace that has one stays, with its quota; it takes the quota along otherwise. */
async function takeDownNamespace(session: Session, application: ApplicationResource): Promise<Result<void>> {
  const namespace = session.inventory.entries.find(({ kind }) => kind === 'Namespace');
  if (namespace === undefined) return ok(undefined);
  const claims = await session.deps.cluster.list({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: session.namespace,
  });
  if (!claims.ok) return claims;
  // One that is on its way out, until its last pod is gone, goes with the namespace.
  if (claims.value.some(({ metadata }) => metadata.deletionTimestamp === undefined)) return ok(undefined);
  const deleted = await deleteObject(session, namespace, operationOf(application));
  if (!deleted.ok) return deleted;
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

async function forgetHistory(session: Session, { name }: ApplicationResource): Promise<Result<void>> {
  const { store } = session.deps;
  const releases = await store.releases.ofApplication(name);
  if (!releases.ok) return releases;
  for (const release of releases.value) {
    const removed = problem('cancelled', 'the application was removed');
    const ended = isEnded(release)
      ? ok(release)
      : await endRelease(session, release, { state: 'cancelled', problem: removed });
    if (!ended.ok) return ended;
    const deleted = await store.releases.delete(release.name, release.uid);
    if (!deleted.ok) return deleted;
  }
  const builds = await store.builds.ofApplication(name);
  if (!builds.ok) return builds;
  for (const build of builds.value) {
    const deleted = await store.builds.delete(build.name, build.uid);
    if (!deleted.ok) return deleted;
  }
  return ok(undefined);
}

async function forgetSecrets(session: Session, { spec }: ApplicationResource): Promise<Result<void>> {
  const { project, environment, name } = spec;
  const key = { project, environment, name };
  const listed = await session.deps.secrets.list(key);
  if (!listed.ok) return listed;
  for (const secret of listed.value) {
    const deleted = await session.deps.secrets.delete(key, secret.name);
    if (!deleted.ok) return deleted;
  }
  return ok(undefined);
}

/** Its domains are free, and its certificates gone. */
async function forgetHosts(session: Session, { name, spec }: ApplicationResource): Promise<Result<void>> {
  const domains = await forgetDomains(session.deps, name);
  if (!domains.ok) return domains;
  const { project, environment } = spec;
  return forgetCertificates(session.deps, { project, environment, name: spec.name });
}

function operationOf({ name, status }: ApplicationResource): string {
  return `${name}.${Math.max(status.acceptedRevision ?? 1, 1)}`;
}
