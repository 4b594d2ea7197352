import { fail, type Manifest, ok, type Problem, problem, type Result, refOf } from '../../kernel/index.ts';
import { decideDelete, decideWrite, type InventoryEntry, keepReplicas } from '../../reconcile/index.ts';
import { type Session, saveInventory } from './session.ts';

/** Rounds against an object that others change at the same time. */
const TRIES = 4;

export type Written = 'created' | 'configured' | 'unchanged';

/** `operation`: the release on whose behalf. `autoscaler`: who owns the replicas of a Deployment from its creation on. */
export type WriteOptions = { readonly operation: string; readonly autoscaler?: Manifest | undefined };

/**
 * Brings one object to the form we want: decides from the live object, writes, records. Ownership comes first, and an object that is ours
 * but not on record is put there before it is changed (invariant 8).
 */
export async function writeObject(
  session: Session,
  desired: Manifest,
  options: WriteOptions,
): Promise<Result<Written>> {
  const ref = refOf(desired);
  for (let attempt = 1; ; attempt += 1) {
    const written = await writeOnce(session, desired, options);
    if (written.ok || !isRace(written.problem)) return written;
    if (attempt === TRIES) return fail(problem('conflict'));
    const again = await session.deps.cluster.get(ref);
    if (!again.ok) return again;
    session.inventory.see(ref, again.value);
  }
}

/** Somebody else created, changed or deleted the object in the same moment: look again, decide again. */
function isRace(p: Problem): boolean {
  return p.code === 'conflict' || p.code === 'already_exists' || p.code === 'not_found';
}

async function writeOnce(session: Session, wanted: Manifest, options: WriteOptions): Promise<Result<Written>> {
  const owner = session.inventory.owner(session.id, options.operation);
  const live = session.inventory.live(refOf(wanted));
  const desired = keepReplicas(wanted, live, options.autoscaler);
  const decision = decideWrite({ desired, live, owner });
  if (decision.action === 'refuse') return fail(decision.problem);
  if (decision.action !== 'create') {
    const adopted = await adopt(session, { desired, adopt: decision.adopt });
    if (!adopted.ok) return adopted;
  }
  if (decision.action === 'none') return ok('unchanged');
  const written = await send(session, decision);
  if (!written.ok) return written;
  session.inventory.record(written.value);
  return ok(decision.action === 'create' ? 'created' : 'configured');
}

function send(
  session: Session,
  decision: { readonly action: 'create' | 'apply' | 'replace'; readonly manifest: Manifest },
): Promise<Result<Manifest>> {
  const { cluster } = session.deps;
  if (decision.action === 'create') return cluster.create(decision.manifest);
  return decision.action === 'apply' ? cluster.apply(decision.manifest) : cluster.replace(decision.manifest);
}

async function adopt(
  session: Session,
  input: { readonly desired: Manifest; readonly adopt: boolean },
): Promise<Result<unknown>> {
  const live = session.inventory.live(refOf(input.desired));
  if (!input.adopt || live === undefined) return ok(undefined);
  session.inventory.record(live);
  return saveInventory(session);
}

/** Deletes one object on record, if it still is what the record says; what is not ours any more is only forgotten. */
export async function deleteObject(session: Session, entry: InventoryEntry, operation: string): Promise<Result<void>> {
  const { cluster } = session.deps;
  const { apiVersion, kind, name, namespace } = entry;
  const live = await cluster.get({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
  if (!live.ok) return live;
  const decision = decideDelete({ entry, live: live.value, owner: session.inventory.owner(session.id, operation) });
  if (decision === 'delete' && live.value !== undefined) {
    const deleted = await cluster.delete(refOf(live.value), {
      uid: entry.uid,
      propagation: kind === 'Job' ? 'Foreground' : 'Background',
    });
    if (!deleted.ok) return deleted;
  }
  session.inventory.forget(entry);
  return ok(undefined);
}
