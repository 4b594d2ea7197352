import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type AuditEntry,
  type AuditEvent,
  type AuditFilter,
  type AuditLog,
  type AuditRetention,
  type AuditTrail,
  type Clock,
  type Cluster,
  GROUP_VERSION,
  type Log,
  type Random,
  type StoredAuditRecord,
} from '../../ports/index.ts';
import { AUDIT_RECORD } from './access-kinds.ts';
import { type CachedCollection, createCollection } from './collection.ts';
import { objectsOf } from './objects.ts';

const MAX_TIME = 0xffffffffffff;
const TIME_DIGITS = 12;
/** How long the first question waits for the first list. */
const OPEN_MS = 5000;
/** A cluster that is away for a moment is asked again, while whoever changed something waits. */
const TRIES = 3;
const AGAIN_MS = 200;

/** Records of changes as custom resources, and a line each for whoever collects standard output. */
export type AuditStore = AuditLog & AuditTrail & AuditRetention & { stop(): Promise<void> };

/**
 * Names count down from the end of time, so that the API server and `kubectl get` list the newest first. The cache of records starts with the
 * first question, because most processes are never asked.
 */
export function createAuditStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly log: Log;
  readonly random: Random;
  readonly clock: Clock;
  /** Gets each event as one line of JSON. */
  readonly line: (text: string) => void;
}): AuditStore {
  const { cluster, namespace, log, random, clock } = options;
  const objects = objectsOf<StoredAuditRecord>({ cluster, namespace, codec: AUDIT_RECORD });
  let newest = 0;
  let records: CachedCollection<StoredAuditRecord> | undefined;

  const nameOf = (event: AuditEvent): string => {
    // Two events of one millisecond keep their order.
    newest = Math.max(newest + 1, Date.parse(event.time));
    const left = (MAX_TIME - newest).toString(16).padStart(TIME_DIGITS, '0');
    return `${left}-${random.hex(4)}`;
  };
  const opened = async (): Promise<Result<CachedCollection<StoredAuditRecord>>> => {
    records ??= createCollection<StoredAuditRecord>({ cluster, namespace, codec: AUDIT_RECORD, log });
    const opening = records;
    const listed = opening.start().whenSynced(AbortSignal.timeout(OPEN_MS));
    return listed.then(
      () => ok(opening),
      () => fail(problem('cluster_unavailable')),
    );
  };

  return {
    append: async (event) => {
      options.line(JSON.stringify({ audit: event }));
      const name = nameOf(event);
      for (let attempt = 1; ; attempt += 1) {
        const made = await objects.create({ name, spec: event });
        // The name is ours alone: when it is taken, an answer that got lost was a success.
        if (made.ok || made.problem.code === 'already_exists') return;
        if (made.problem.kind !== 'transient' || attempt === TRIES)
          return log.error('a change is not on record', { code: made.problem.code, action: event.action });
        await clock.sleep(attempt * AGAIN_MS);
      }
    },
    page: async (filter, { after, limit }) => {
      const cached = await opened();
      if (!cached.ok) return cached;
      const found = cached.value
        .all()
        .filter(({ name, spec }) => (after === undefined || name > after) && matches(spec, filter))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return ok(found.slice(0, limit).map(({ name, spec }): AuditEntry => ({ id: name, ...spec })));
    },
    prune: async (keep) => {
      const query = { apiVersion: GROUP_VERSION, kind: AUDIT_RECORD.kind, namespace, metadataOnly: true } as const;
      const listed = await cluster.list(query);
      if (!listed.ok) return listed;
      const newestFirst = [...listed.value].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      const kept = newestFirst.findIndex(
        ({ metadata }, index) => index >= keep.records || timeOf(metadata.name) < keep.since.getTime(),
      );
      return removeAll(kept < 0 ? [] : newestFirst.slice(kept));
    },
    stop: async () => {
      await records?.stop();
      records = undefined;
    },
  };

  async function removeAll(old: readonly { readonly metadata: { readonly name: string; readonly uid?: string } }[]) {
    let removed = 0;
    for (const { metadata } of old) {
      const gone: Result<void> = await objects.delete(metadata.name, metadata.uid ?? '');
      if (!gone.ok) return removed === 0 ? gone : ok(removed);
      removed += 1;
    }
    return ok(removed);
  }
}

/** The time in a record's name. A name that is none of ours counts as now, so that it stays until there are too many. */
function timeOf(name: string): number {
  const left = /^([0-9a-f]{12})-/.exec(name)?.[1];
  return left === undefined ? Number.MAX_SAFE_INTEGER : MAX_TIME - Number.parseInt(left, 16);
}

function matches(event: AuditEvent, filter: AuditFilter): boolean {
  const { resource } = event;
  const pairs = [
    [filter.identity, event.identity],
    [filter.key, event.key],
    [filter.action, event.action],
    [filter.project, resource.project],
    [filter.environment, resource.environment],
    [filter.application, resource.application],
  ] as const;
  if (pairs.some(([wanted, is]) => wanted !== undefined && wanted !== is)) return false;
  const at = Date.parse(event.time);
  if (filter.since !== undefined && at < Date.parse(filter.since)) return false;
  return filter.until === undefined || at < Date.parse(filter.until);
}
