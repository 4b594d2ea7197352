import {
  fail,
  type Manifest,
  type ObjectRef,
  ok,
  type Problem,
  problem,
  type Result,
  refKey,
  refOf,
} from '../../kernel/index.ts';
import type { Application as ApplicationResource, HeldLease } from '../../ports/index.ts';
import { type InventoryEntry, type Owner, recorded } from '../../reconcile/index.ts';
import { LABELS, namespaceName, RENDERED_KINDS } from '../../render/index.ts';
import type { Deps } from '../context.ts';

type Status = ApplicationResource['status'];

/**
 * One worker's turn at one application: the lease, what is on record as ours, and the live objects as last read. Every write of the
 * application's status goes through here and carries the fence, so that a turn that outlived its lease can not overwrite a newer one.
 */
export type Session = {
  readonly deps: Deps;
  readonly lease: HeldLease;
  readonly application: string;
  readonly id: string;
  readonly namespace: string;
  readonly inventory: Inventory;
};

/** An application as it can be looked at without a lease. Nothing is written through it. */
export type View = Omit<Session, 'lease'>;

/** A look at an application, for whoever only reads. */
export function viewOf(deps: Deps, application: ApplicationResource): View {
  return {
    deps,
    application: application.name,
    id: application.spec.id,
    namespace: namespaceName(application.spec.id),
    inventory: new Inventory(application.status.inventory ?? []),
  };
}

/** What the application owns, kept in memory and written in batches. */
export class Inventory {
  #entries: readonly InventoryEntry[];
  #live = new Map<string, Manifest>();
  #dirty = false;

  constructor(entries: readonly InventoryEntry[]) {
    this.#entries = entries;
  }

  get entries(): readonly InventoryEntry[] {
    return this.#entries;
  }

  /** True when something was recorded since the last `written`. */
  get isDirty(): boolean {
    return this.#dirty;
  }

  owner(id: string, operation: string): Owner {
    return { id, operation, inventory: this.#entries };
  }

  live(ref: ObjectRef): Manifest | undefined {
    return this.#live.get(refKey(ref));
  }

  all(): readonly Manifest[] {
    return [...this.#live.values()];
  }

  /** Replaces what is known of the live objects. */
  observe(objects: readonly Manifest[]): void {
    this.#live = new Map(objects.map((object) => [refKey(refOf(object)), object]));
  }

  /** Whether this very object, by its uid, is on record. */
  has(object: Manifest): boolean {
    const key = refKey(refOf(object));
    return this.#entries.some((entry) => refKey(entry) === key && entry.uid === object.metadata.uid);
  }

  /** An object as the API server answered it: live, and ours. */
  record(object: Manifest): void {
    this.#live.set(refKey(refOf(object)), object);
    if (this.has(object)) return;
    this.#entries = recorded(this.#entries, object);
    this.#dirty = true;
  }

  /** Sees an object without claiming it. */
  see(ref: ObjectRef, object: Manifest | undefined): void {
    if (object === undefined) this.#live.delete(refKey(ref));
    else this.#live.set(refKey(ref), object);
  }

  forget(entry: InventoryEntry): void {
    this.#entries = this.#entries.filter((other) => refKey(other) !== refKey(entry) || other.uid !== entry.uid);
    this.#live.delete(refKey(entry));
    this.#dirty = true;
  }

  written(): void {
    this.#dirty = false;
  }
}

/**
 * Claims the application: writes our fence into it. `lease_lost` when a newer turn wrote already. From here on an older turn's writes fail.
 */
export async function openSession(
  deps: Deps,
  lease: HeldLease,
  application: ApplicationResource,
): Promise<Result<Session>> {
  const session: Session = { ...viewOf(deps, application), lease };
  const claimed = await writeApplication(session, (status) => status);
  return claimed.ok ? ok(session) : claimed;
}

/** Changes the application's status under the fence. The inventory on record is always the session's. */
export async function writeApplication(
  session: Session,
  change: (status: Status, current: ApplicationResource) => Status,
): Promise<Result<ApplicationResource>> {
  let lost: Problem | undefined;
  const written = await session.deps.store.applications.updateStatus(session.application, (current) => {
    const isOlder = (current.status.fence ?? 0) > session.lease.fence;
    lost = isOlder || session.lease.signal.aborted ? problem('lease_lost') : undefined;
    if (lost !== undefined) return undefined;
    return {
      ...change(current.status, current),
      fence: session.lease.fence,
      inventory: [...session.inventory.entries],
    };
  });
  if (lost !== undefined) return fail(lost);
  if (written.ok) session.inventory.written();
  return written;
}

/** Puts what was created since on record, so that a crash leaves nothing behind that nobody owns. */
export async function saveInventory(session: Session): Promise<Result<unknown>> {
  return session.inventory.isDirty ? writeApplication(session, (status) => status) : ok(undefined);
}

/** Selects an application's objects, pods included. */
export function ownSelector({ id }: View): string {
  return `${LABELS.application}=${id}`;
}

/** Reads every object of ours there is, by our labels, into the session. */
export async function readLive(session: View): Promise<Result<void>> {
  const { cluster } = session.deps;
  const namespace = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: session.namespace });
  if (!namespace.ok) return namespace;
  if (namespace.value === undefined) {
    session.inventory.observe([]);
    return ok(undefined);
  }
  const labelSelector = ownSelector(session);
  const kinds = RENDERED_KINDS.filter(({ kind }) => kind !== 'Namespace');
  const lists = await Promise.all(
    kinds.map(({ apiVersion, kind }) =>
      cluster.list({ apiVersion, kind, namespace: session.namespace, labelSelector }),
    ),
  );
  const objects: Manifest[] = [namespace.value];
  for (const list of lists) {
    if (!list.ok) return list;
    objects.push(...list.value);
  }
  session.inventory.observe(objects);
  return ok(undefined);
}
