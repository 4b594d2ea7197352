import {
  type ApplicationKey,
  fail,
  LIMITS,
  type Manifest,
  NAME,
  ok,
  problem,
  type Result,
  secretScope,
} from '../../kernel/index.ts';
import type { Clock, Cluster, SecretStore } from '../../ports/index.ts';
import { IMPORTED, SECRET_SCOPE, UPDATED_AT } from './labels.ts';
import {
  changeSecret,
  createSecret,
  removeSecret,
  type SecretContent,
  saveSecret,
  secretRef,
  secretValue,
} from './secret-objects.ts';

export type SecretStoreOptions = { readonly cluster: Cluster; readonly namespace: string; readonly clock: Clock };

/** The one key of an application secret's data. */
const KEY = 'value';

/** How long an imported secret stays that no release refers to, and how much of that may pass before it is written again. */
const YOUNG_MS = 3_600_000;
const TOUCH_MS = YOUNG_MS / 2;

/** Application secrets as Kubernetes Secrets `env-<scope>-<name>` of the control namespace (facts 6.6). */
export function createSecretStore(options: SecretStoreOptions): SecretStore {
  const { cluster, namespace, clock } = options;
  const nameOf = (application: ApplicationKey, name: string): string => `env-${secretScope(application)}-${name}`;
  const isYoung = ({ metadata }: Manifest, ms: number): boolean =>
    clock.now().getTime() - Date.parse(metadata.annotations?.[UPDATED_AT] ?? '') < ms;
  const listOf = (application: ApplicationKey, metadataOnly?: true): Promise<Result<readonly Manifest[]>> =>
    cluster.list({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      labelSelector: `${SECRET_SCOPE}=${secretScope(application)}`,
      ...(metadataOnly === undefined ? {} : { metadataOnly }),
    });

  const contentOf = (application: ApplicationKey, value: string): SecretContent => ({
    data: { [KEY]: value },
    labels: { [SECRET_SCOPE]: secretScope(application) },
    annotations: { [UPDATED_AT]: clock.now().toISOString() },
  });
  return {
    create: async (application, name, value) => {
      const refusal = refusalOf(name, value);
      if (refusal !== undefined) return fail(problem('invalid_secret', refusal));
      const existing = await listOf(application, true);
      if (!existing.ok) return existing;
      const ref = secretRef(namespace, nameOf(application, name));
      if (existing.value.some((secret) => secret.metadata.name === ref.name)) return fail(problem('secret_exists'));
      if (existing.value.length >= LIMITS.secretsPerApplication) return fail(problem('secret_limit'));
      const made = await createSecret(cluster, ref, contentOf(application, value));
      if (made.ok) return ok({ updatedAt: made.value.metadata.annotations?.[UPDATED_AT] ?? '' });
      return made.problem.code === 'already_exists' ? fail(problem('secret_exists')) : made;
    },
    replace: async (application, name, value) => {
      const refusal = refusalOf(name, value);
      if (refusal !== undefined) return fail(problem('invalid_secret', refusal));
      const ref = secretRef(namespace, nameOf(application, name));
      const written = await changeSecret(cluster, ref, () => ok(contentOf(application, value)));
      return written.ok ? ok({ updatedAt: written.value.metadata.annotations?.[UPDATED_AT] ?? '' }) : written;
    },
    set: async (application, name, value) => {
      const refusal = refusalOf(name, value);
      if (refusal !== undefined) return fail(problem('invalid_secret', refusal));
      const existing = await listOf(application, true);
      if (!existing.ok) return existing;
      const objectName = nameOf(application, name);
      const others = existing.value.filter((secret) => secret.metadata.name !== objectName);
      if (others.length >= LIMITS.secretsPerApplication) return fail(problem('secret_limit'));
      return saveSecret(cluster, secretRef(namespace, objectName), {
        data: { [KEY]: value },
        labels: { [SECRET_SCOPE]: secretScope(application) },
        annotations: { [UPDATED_AT]: clock.now().toISOString() },
      });
    },
    addImported: async (application, entries) => {
      if (entries.length === 0) return ok(undefined);
      const existing = await listOf(application, true);
      if (!existing.ok) return existing;
      const known = new Map(existing.value.map((secret) => [secret.metadata.name, secret]));
      const wanted = entries.filter(({ ref }) => {
        const secret = known.get(nameOf(application, ref));
        return secret === undefined || (isImported(secret) && !isYoung(secret, TOUCH_MS));
      });
      const added = wanted.filter(({ ref }) => !known.has(nameOf(application, ref))).length;
      if (known.size + added > LIMITS.secretsPerApplication) return fail(problem('secret_limit'));
      for (const { ref, value } of wanted) {
        const refusal = refusalOf(ref, value);
        if (refusal !== undefined) return fail(problem('invalid_secret', refusal));
        const saved = await saveSecret(cluster, secretRef(namespace, nameOf(application, ref)), {
          data: { [KEY]: value },
          labels: { [SECRET_SCOPE]: secretScope(application), [IMPORTED]: 'true' },
          annotations: { [UPDATED_AT]: clock.now().toISOString() },
        });
        if (!saved.ok) return saved;
      }
      return ok(undefined);
    },
    pruneImported: async (application, kept) => {
      const listed = await listOf(application, true);
      if (!listed.ok) return listed;
      const old = listed.value.filter(
        (secret) => isImported(secret) && !kept.has(shortName(secret, application)) && !isYoung(secret, YOUNG_MS),
      );
      let deleted = 0;
      for (const { metadata } of old) {
        const { uid = '', resourceVersion = '' } = metadata;
        const ref = secretRef(namespace, metadata.name);
        const gone = await cluster.delete(ref, { uid, resourceVersion, propagation: 'Background' });
        // somebody wrote it since: it is wanted again
        if (!gone.ok && gone.problem.code !== 'conflict') return gone;
        if (gone.ok) deleted += 1;
      }
      return ok(deleted);
    },
    list: async (application) => {
      const listed = await listOf(application, true);
      if (!listed.ok) return listed;
      const entries = listed.value.map((secret) => ({
        name: shortName(secret, application),
        updatedAt: secret.metadata.annotations?.[UPDATED_AT] ?? secret.metadata.creationTimestamp ?? '',
      }));
      return ok(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
    },
    delete: async (application, name) =>
      NAME.test(name) ? removeSecret(cluster, secretRef(namespace, nameOf(application, name))) : ok(false),
    missing: async (application, names) => {
      if (names.length === 0) return ok([]);
      const listed = await listOf(application, true);
      if (!listed.ok) return listed;
      const present = new Set(listed.value.map((secret) => shortName(secret, application)));
      return ok(names.filter((name) => !present.has(name)));
    },
    snapshot: async (application, names) => {
      if (names.length === 0) return ok(new Map());
      const listed = await listOf(application);
      if (!listed.ok) return listed;
      const values = new Map(listed.value.map((secret) => [shortName(secret, application), secretValue(secret, KEY)]));
      const wanted = [...new Set(names)].map((name) => [name, values.get(name)] as const);
      const missing = wanted.flatMap(([name, value]) => (value === undefined && NAME.test(name) ? [name] : []));
      const found = wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
      if (found.length < wanted.length)
        return fail(problem('missing_secrets', `secrets that do not exist: ${missing.join(', ')}`));
      return ok(new Map(found));
    },
  };
}

function isImported(secret: Manifest): boolean {
  return secret.metadata.labels?.[IMPORTED] === 'true';
}

function shortName(secret: Manifest, application: ApplicationKey): string {
  return secret.metadata.name.slice(`env-${secretScope(application)}-`.length);
}

function refusalOf(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'the name of a secret is 1 to 40 lowercase letters, digits and hyphens';
  if (value === '') return 'the value is empty';
  if (value.includes('\0')) return 'the value contains a NUL character';
  if (!value.isWellFormed()) return 'the value is not valid Unicode text';
  return Buffer.byteLength(value) > LIMITS.secretValueBytes ? 'the value is larger than 64 KiB' : undefined;
}
