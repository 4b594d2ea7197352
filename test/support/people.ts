import { ANYWHERE, formatKey, type Permission, type Scope } from '../../src/access/index.ts';
import { createSettingsStore } from '../../src/adapters/store/settings-store.ts';
import { fail, ok, problem, type Result, sha256 } from '../../src/kernel/index.ts';
import type {
  AuditEntry,
  AuditEvent,
  AuditLog,
  AuditRetention,
  AuditTrail,
  Identity,
  KeyRecord,
  KeyStore,
  Project,
  RegistryCredentials,
  RegistryScope,
  RegistryStore,
  Role,
  SettingsObject,
} from '../../src/ports/index.ts';
import { memoryCollection } from './memory-collection.ts';

/** Keys in memory, with the port's meaning. */
export function memoryKeys(): KeyStore & { readonly items: Map<string, KeyRecord>; readonly touched: string[] } {
  const items = new Map<string, KeyRecord>();
  const touched: string[] = [];
  const listeners = new Set<(id: string) => void>();
  const put = (key: KeyRecord): Result<KeyRecord> => {
    items.set(key.id, key);
    for (const listener of [...listeners]) listener(key.id);
    return ok(key);
  };
  return {
    items,
    touched,
    ready: true,
    find: (id) => items.get(id),
    all: () => [...items.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    create: async (key) => (items.has(key.id) ? fail(problem('already_exists')) : put(key)),
    change: async (id, change) => {
      const current = items.get(id);
      if (current === undefined) return fail(problem('not_found'));
      const next = change(current);
      return next === undefined ? ok(current) : put({ ...current, ...next });
    },
    touch: async (id, at) => {
      touched.push(id);
      const current = items.get(id);
      if (current !== undefined) put({ ...current, lastUsedAt: at.toISOString() });
      return ok(undefined);
    },
    remove: async (id) => {
      items.delete(id);
      for (const listener of [...listeners]) listener(id);
      return ok(undefined);
    },
    start: () => undefined,
    whenReady: async () => undefined,
    stop: async () => undefined,
  };
}

/** The trail in memory; `events` are oldest first. */
export function memoryAudit(): AuditLog & AuditTrail & AuditRetention & { readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  const idOf = (index: number): string => String(1_000_000 - index).padStart(8, '0');
  return {
    events,
    append: async (event) => void events.push(event),
    page: async (filter, { after, limit }) => {
      const entries = events.map((event, index): AuditEntry => ({ id: idOf(index), ...event })).reverse();
      const found = entries.filter(
        (entry) =>
          (after === undefined || entry.id > after) &&
          (filter.identity === undefined || filter.identity === entry.identity) &&
          (filter.action === undefined || filter.action === entry.action),
      );
      return ok(found.slice(0, limit));
    },
    prune: async () => ok(0),
  };
}

function memoryRegistries(now: () => Date): RegistryStore {
  const items = new Map<string, RegistryCredentials & RegistryScope & { name: string; updatedAt: string }>();
  const keyOf = (scope: RegistryScope, name: string): string => `${scope.project}/${scope.environment}/${name}`;
  const put = ({ project, environment }: RegistryScope, name: string, value: RegistryCredentials) => {
    const entry = { project, environment, name, ...value, updatedAt: now().toISOString() };
    items.set(keyOf(entry, name), entry);
    const { password: _, ...shown } = entry;
    return ok(shown);
  };
  const of = (scope: RegistryScope) =>
    [...items.values()].filter(
      ({ project, environment }) => project === scope.project && environment === scope.environment,
    );
  return {
    list: async (scope) => ok(of(scope).map(({ password: _, ...entry }) => entry)),
    create: async (scope, name, value) =>
      items.has(keyOf(scope, name)) ? fail(problem('already_exists')) : put(scope, name, value),
    replace: async (scope, name, value) =>
      items.has(keyOf(scope, name)) ? put(scope, name, value) : fail(problem('not_found')),
    remove: async (scope, name) => ok(items.delete(keyOf(scope, name))),
    credentials: async (scope) =>
      ok(of(scope).map(({ name, server, username, password }) => ({ name, server, username, password }))),
  };
}

/** People and programs in memory. */
export function memoryPeople(now: () => Date) {
  return {
    keys: memoryKeys(),
    identities: memoryCollection<Identity>(),
    roles: memoryCollection<Role>(),
    projects: memoryCollection<Project>(),
    settings: createSettingsStore(memoryCollection<SettingsObject>()),
    registries: memoryRegistries(now),
    audit: memoryAudit(),
  };
}
export type MemoryPeople = ReturnType<typeof memoryPeople>;

/** Puts an identity and one key of it on record; answers the raw key. */
export async function addPerson(
  people: Pick<MemoryPeople, 'keys' | 'identities'>,
  input: {
    readonly name: string;
    readonly holds?: readonly Permission[];
    readonly roles?: readonly { readonly project: string; readonly role: string }[];
    readonly key: readonly Permission[];
    readonly scope?: Scope;
    readonly kind?: KeyRecord['kind'];
    readonly expiresAt?: string;
    /** Tells the keys of one person apart. */
    readonly n?: number;
  },
): Promise<{ readonly raw: string; readonly id: string }> {
  const { name, holds = [], roles = [], scope = ANYWHERE } = input;
  await people.identities.create({
    name,
    spec: { kind: 'person', permissions: [...holds], scope: {}, bindings: [...roles] },
  });
  const id = sha256(`${name} ${input.n ?? 1}`).slice(0, 32);
  const raw = formatKey(id, sha256(`secret of ${id}`));
  await people.keys.create({
    id,
    digest: sha256(raw),
    identity: name,
    name: `key of ${name}`,
    kind: input.kind ?? 'machine',
    permissions: input.key,
    scope,
    createdAt: '2026-05-01T00:00:00.000Z',
    createdBy: 'admin',
    expiresAt: input.expiresAt ?? '2026-07-01T00:00:00.000Z',
  });
  return { raw, id };
}
