import type {
  Clock,
  Cluster,
  FirstKeySecret,
  Identity,
  IdentityCollection,
  KeyStore,
  Log,
  Project,
  ProjectCollection,
  Random,
  RegistryStore,
  Role,
  RoleCollection,
  SettingsObject,
  SettingsStore,
} from '../../ports/index.ts';
import { IDENTITY, PROJECT, ROLE, SETTINGS } from './access-kinds.ts';
import { type AuditStore, createAuditStore } from './audit-store.ts';
import { createCollection } from './collection.ts';
import { createFirstKeySecret } from './first-key.ts';
import { createKeyStore } from './key-store.ts';
import { createRegistryStore } from './registry-store.ts';
import { createSettingsStore } from './settings-store.ts';

/** What is kept of people and programs. */
export type AccessStore = {
  readonly keys: KeyStore;
  readonly identities: IdentityCollection;
  readonly roles: RoleCollection;
  readonly projects: ProjectCollection;
  readonly settings: SettingsStore;
  readonly registries: RegistryStore;
  readonly audit: AuditStore;
  readonly firstKey: FirstKeySecret;
  /** Starts the caches and resolves when each has listed once; rejects only when the signal aborts. */
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Keys, identities, roles, projects, settings, registry credentials and the audit trail of one control namespace. Writes work at once; what
 * is cached is empty until `start` has resolved.
 */
export function createAccessStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Gets each audit event as one line of JSON. */
  readonly auditLine: (text: string) => void;
}): AccessStore {
  const own = { ...options, ownWritesAtOnce: true } as const;
  const identities = createCollection<Identity>({ ...own, codec: IDENTITY });
  const roles = createCollection<Role>({ ...own, codec: ROLE });
  const projects = createCollection<Project>({ ...own, codec: PROJECT });
  const settings = createCollection<SettingsObject>({ ...own, codec: SETTINGS });
  const keys = createKeyStore(options);
  const audit = createAuditStore({ ...options, line: options.auditLine });
  const collections = [identities, roles, projects, settings];
  return {
    keys,
    identities,
    roles,
    projects,
    settings: createSettingsStore(settings),
    registries: createRegistryStore(options),
    audit,
    firstKey: createFirstKeySecret(options),
    start: async (signal) => {
      keys.start();
      await Promise.all([
        keys.whenReady(signal),
        ...collections.map((collection) => collection.start().whenSynced(signal)),
      ]);
    },
    stop: async () => {
      await Promise.all([keys.stop(), audit.stop(), ...collections.map((collection) => collection.stop())]);
    },
  };
}
