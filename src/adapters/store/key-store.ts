import { z } from 'zod';
import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type Cluster,
  IdentitySpec,
  type KeyRecord,
  type KeyStore,
  type Log,
  type ObjectCache,
} from '../../ports/index.ts';
import { isOlder } from './collection.ts';
import { API_KEY, LAST_USED_AT } from './labels.ts';
import {
  changeSecret,
  createSecret,
  removeSecret,
  type SecretContent,
  secretRef,
  secretValue,
} from './secret-objects.ts';

const HEX_32 = /^[0-9a-f]{32}$/;
const Timestamp = z.iso.datetime();

/** What the Secret of a key says of it, besides the digest. */
const KeyContent = z.object({
  id: z.string().regex(HEX_32),
  identity: z.string(),
  name: z.string(),
  kind: z.enum(['machine', 'cli']),
  permissions: IdentitySpec.shape.permissions,
  scope: IdentitySpec.shape.scope,
  createdAt: Timestamp,
  createdBy: z.string(),
  expiresAt: Timestamp,
  revokedAt: Timestamp.optional(),
  replacedBy: z.string().optional(),
  exchangedFrom: z.string().optional(),
});
const Digest = z.string().regex(/^[0-9a-f]{64}$/);

type Known = { readonly record: KeyRecord; readonly uid: string; readonly resourceVersion: string };

/**
 * Keys as Secrets `key-<id>`, found by their label: the digest, and what is known of the key as JSON. Nothing here ever saw a raw key. A Secret
 * that is not one of these is logged and opens nothing.
 */
export function createKeyStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly log: Log;
}): KeyStore {
  const { cluster, namespace, log } = options;
  const known = new Map<string, Known>();
  const listeners = new Set<(id: string) => void>();
  let cache: ObjectCache | undefined;

  const take = (secret: Manifest): KeyRecord | undefined => {
    const record = recordOf(secret);
    if (record === undefined) {
      log.warn('a Secret labelled as an API key is none', { secret: secret.metadata.name });
      forget(secret.metadata.name);
      return undefined;
    }
    const { uid = '', resourceVersion = '' } = secret.metadata;
    if (!isOlder({ uid, resourceVersion }, known.get(record.id))) {
      known.set(record.id, { record, uid, resourceVersion });
      tell(record.id);
    }
    return record;
  };
  const forget = (secretName: string): void => {
    const id = secretName.slice('key-'.length);
    if (known.delete(id)) tell(id);
  };
  const tell = (id: string): void => {
    for (const listener of [...listeners]) listener(id);
  };
  const written = (result: Result<Manifest>): Result<KeyRecord> => {
    if (!result.ok) return result;
    const record = take(result.value);
    return record === undefined ? fail(problem('invalid_object', 'the stored key can not be read')) : ok(record);
  };

  return {
    get ready() {
      return cache?.synced === true;
    },
    find: (id) => known.get(id)?.record,
    all: () => [...known.values()].map(({ record }) => record),
    onChange: (listener) => {
      const own = (id: string): void => listener(id);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    create: async (key) =>
      written(
        await createSecret(cluster, refOfKey(namespace, key.id), { ...contentOf(key), labels: { [API_KEY]: 'true' } }),
      ),
    change: async (id, change) => {
      if (!HEX_32.test(id)) return fail(problem('not_found'));
      return written(
        await changeSecret(cluster, refOfKey(namespace, id), (secret) => {
          const current = recordOf(secret);
          if (current === undefined) return fail(problem('invalid_object', 'the stored key can not be read'));
          const next = change(current);
          return ok(next === undefined ? undefined : contentOf({ ...current, ...next }));
        }),
      );
    },
    touch: async (id, at) => {
      const done = await changeSecret(cluster, refOfKey(namespace, id), (secret) => {
        const current = recordOf(secret);
        if (current === undefined) return ok(undefined);
        return ok({ ...contentOf(current), annotations: { [LAST_USED_AT]: at.toISOString() } });
      });
      if (done.ok) take(done.value);
      return done.ok ? ok(undefined) : done;
    },
    remove: async (id) => {
      const removed = await removeSecret(cluster, refOfKey(namespace, id));
      if (!removed.ok) return removed;
      forget(`key-${id}`);
      return ok(undefined);
    },
    start: () => {
      if (cache !== undefined) return;
      cache = cluster.cache({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: `${API_KEY}=true` });
      for (const secret of cache.items()) take(secret);
      cache.onChange(({ type, object }) => {
        if (type === 'deleted') forget(object.metadata.name);
        else take(object);
      });
    },
    whenReady: async (signal) => {
      if (cache === undefined) throw new Error('the key store was not started');
      await cache.whenSynced(signal);
    },
    stop: async () => {
      await cache?.stop();
      cache = undefined;
    },
  };
}

function refOfKey(namespace: string, id: string) {
  return secretRef(namespace, `key-${id}`);
}

function contentOf({ digest, lastUsedAt: _, ...content }: KeyRecord): SecretContent {
  return { data: { digest, key: JSON.stringify(content) }, labels: {} };
}

/** The record of a Secret; the name must say the same id, or two Secrets could claim one key. */
function recordOf(secret: Manifest): KeyRecord | undefined {
  const digest = Digest.safeParse(secretValue(secret, 'digest'));
  const content = KeyContent.safeParse(parsed(secretValue(secret, 'key')));
  if (!digest.success || !content.success || secret.metadata.name !== `key-${content.data.id}`) return undefined;
  const lastUsedAt = Timestamp.safeParse(secret.metadata.annotations?.[LAST_USED_AT]);
  const { revokedAt, replacedBy, exchangedFrom, ...rest } = content.data;
  return {
    ...rest,
    digest: digest.data,
    ...(revokedAt === undefined ? {} : { revokedAt }),
    ...(replacedBy === undefined ? {} : { replacedBy }),
    ...(exchangedFrom === undefined ? {} : { exchangedFrom }),
    ...(lastUsedAt.success ? { lastUsedAt: lastUsedAt.data } : {}),
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
