import type { Permission, Scope } from '../access/index.ts';
import type { Result } from '../kernel/index.ts';

/** A key as it is kept. Its secret is not in it, only the digest that recognises it. */
export type KeyRecord = {
  /** 32 hex digits. */
  readonly id: string;
  /** Lowercase hex SHA-256 of the whole raw key. */
  readonly digest: string;
  readonly identity: string;
  readonly name: string;
  readonly kind: 'machine' | 'cli';
  readonly permissions: readonly Permission[];
  readonly scope: Scope;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string;
  readonly revokedAt?: string;
  /** The key that took its place; it is itself valid until `expiresAt` only. */
  readonly replacedBy?: string;
  /** The key it was exchanged for. */
  readonly exchangedFrom?: string;
  /** Written once a minute at most, so it may lag. */
  readonly lastUsedAt?: string;
};

/** What may change of a key. */
export type KeyChange = Partial<Pick<KeyRecord, 'expiresAt' | 'revokedAt' | 'replacedBy'>>;

/** What every use of a key asks, from a watch's cache: no call to anything. */
export interface KeyDirectory {
  /** False until the first list is complete. */
  readonly ready: boolean;
  find(id: string): KeyRecord | undefined;
  /** Calls back with the ids that change. Returns the way to stop. */
  onChange(listener: (id: string) => void): () => void;
}

/**
 * API keys in Secrets of the control namespace, digests only. What this process writes it sees at once; what others write, as soon as the
 * watch brings it (well within a second).
 */
export interface KeyStore extends KeyDirectory {
  all(): readonly KeyRecord[];
  /** `already_exists` when the id is taken. */
  create(key: KeyRecord): Promise<Result<KeyRecord>>;
  /** Compare-and-set; `not_found`. A change that answers `undefined` writes nothing. */
  change(id: string, change: (current: KeyRecord) => KeyChange | undefined): Promise<Result<KeyRecord>>;
  /** Notes a use. Best effort. */
  touch(id: string, at: Date): Promise<Result<void>>;
  /** Deletes the record of a key; gone already is a success. */
  remove(id: string): Promise<Result<void>>;
  start(): void;
  whenReady(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** The Secret that holds the first administrator's key. */
export interface FirstKeySecret {
  /** The raw key under `key`; `undefined` when there is no such Secret, `invalid_secret` when it holds no key of ours. */
  read(): Promise<Result<string | undefined>>;
  /** `already_exists` when somebody was first. */
  create(raw: string): Promise<Result<void>>;
}
