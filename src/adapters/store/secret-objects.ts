import {
  fail,
  isOwnedBy,
  MANAGED_BY,
  type Manifest,
  type ObjectRef,
  ok,
  problem,
  type Result,
} from '../../kernel/index.ts';
import type { Cluster } from '../../ports/index.ts';

/** A Secret as it should be. */
export type SecretContent = {
  readonly data: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Opaque when not said. */
  readonly type?: string;
  /** Can only be created and deleted. */
  readonly immutable?: true;
};

const TRIES = 10;

/** What names a Secret. */
export function secretRef(namespace: string, name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name };
}

/**
 * Creates or replaces an Opaque Secret of ours, whatever races with it. `not_owned` when a Secret of that name exists that Hakopod
 * did not make: its content is somebody's and is not overwritten.
 */
export async function saveSecret(
  cluster: Cluster,
  ref: ObjectRef,
  content: SecretContent,
): Promise<Result<'created' | 'replaced'>> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await cluster.get(ref);
    if (!read.ok) return read;
    if (read.value !== undefined && !isOurs(read.value)) return fail(problem('not_owned'));
    const wanted = manifestOf(ref, content, read.value);
    const written = read.value === undefined ? await cluster.create(wanted) : await cluster.replace(wanted);
    if (written.ok) return ok(read.value === undefined ? 'created' : 'replaced');
    if (!RACES.has(written.problem.code) || attempt === TRIES) return written;
  }
}

/** Creates a Secret of ours; `already_exists` when the name is taken, by whomever. */
export function createSecret(cluster: Cluster, ref: ObjectRef, content: SecretContent): Promise<Result<Manifest>> {
  return cluster.create(manifestOf(ref, content, undefined));
}

/**
 * Changes a Secret of ours by compare-and-set: `change` gets it as read and answers what it should be, `undefined` for no change.
 * `not_found`, `not_owned`.
 */
export async function changeSecret(
  cluster: Cluster,
  ref: ObjectRef,
  change: (secret: Manifest) => Result<SecretContent | undefined>,
): Promise<Result<Manifest>> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await cluster.get(ref);
    if (!read.ok) return read;
    if (read.value === undefined) return fail(problem('not_found'));
    if (!isOurs(read.value)) return fail(problem('not_owned'));
    const next = change(read.value);
    if (!next.ok) return next;
    if (next.value === undefined) return ok(read.value);
    const written = await cluster.replace(manifestOf(ref, next.value, read.value));
    if (written.ok || written.problem.code !== 'conflict' || attempt === TRIES) return written;
  }
}

/** Deletes a Secret of ours. False when there was none; `not_owned` as above. */
export async function removeSecret(cluster: Cluster, ref: ObjectRef): Promise<Result<boolean>> {
  const read = await cluster.get(ref);
  if (!read.ok) return read;
  if (read.value === undefined) return ok(false);
  if (!isOurs(read.value)) return fail(problem('not_owned'));
  const deleted = await cluster.delete(ref, { uid: read.value.metadata.uid ?? '', propagation: 'Background' });
  return deleted.ok ? ok(true) : deleted;
}

/** The decoded value under a key; `undefined` when the key is absent, empty or not text. */
export function secretValue(secret: Manifest, key: string): string | undefined {
  const data = (secret.data ?? {}) as Readonly<Record<string, unknown>>;
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof encoded !== 'string' || encoded === '') return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const RACES = new Set<string>(['conflict', 'already_exists', 'not_found']);

function isOurs(secret: Manifest): boolean {
  return isOwnedBy(secret, MANAGED_BY);
}

function manifestOf(ref: ObjectRef, content: SecretContent, live: Manifest | undefined): Manifest {
  const { apiVersion, kind, ...place } = ref;
  const metadata: Manifest['metadata'] = live?.metadata ?? place;
  const data = Object.entries(content.data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]);
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      name: ref.name,
      labels: { ...metadata.labels, ...MANAGED_BY, ...content.labels },
      annotations: { ...metadata.annotations, ...content.annotations },
    },
    type: content.type ?? 'Opaque',
    ...(content.immutable === undefined ? {} : { immutable: true }),
    data: Object.fromEntries(data),
  };
}
