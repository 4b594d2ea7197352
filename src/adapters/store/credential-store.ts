import { fail, ok, problem } from '../../kernel/index.ts';
import type { Cluster, CredentialStore } from '../../ports/index.ts';
import { HOOK_SECRET } from './labels.ts';
import { changeSecret, removeSecret, saveSecret, secretRef, secretValue } from './secret-objects.ts';

/**
 * Credentials of repositories (`username`, `token`) and of webhooks (`current`, `previous`) as Secrets of the control namespace.
 * A Secret somebody else made is read but never changed or removed (`not_owned`).
 */
export function createCredentialStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
}): CredentialStore {
  const { cluster, namespace } = options;
  return {
    forRepository: async (secretName) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      if (read.value === undefined) return ok(undefined);
      const username = secretValue(read.value, 'username');
      const token = secretValue(read.value, 'token');
      if (username === undefined || token === undefined)
        return fail(problem('invalid_secret', 'the credentials of the repository need the keys username and token'));
      return ok({ username, token });
    },
    saveCredentials: async (secretName, value) => {
      if (value.username === '' || value.token === '')
        return fail(problem('invalid_secret', 'username and token may not be empty'));
      const { username, token } = value;
      const saved = await saveSecret(cluster, secretRef(namespace, secretName), {
        data: { username, token },
        labels: {},
      });
      return saved.ok ? ok(undefined) : saved;
    },
    hasHookSecret: async (secretName) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      return ok(read.value !== undefined && secretValue(read.value, 'current') !== undefined);
    },
    hookSecret: async (secretName) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      const current = read.value === undefined ? undefined : secretValue(read.value, 'current');
      if (read.value === undefined || current === undefined) return ok(undefined);
      const previous = secretValue(read.value, 'previous');
      return ok(previous === undefined ? { current } : { current, previous });
    },
    dropPreviousHookSecret: async (secretName, current) => {
      const changed = await changeSecret(cluster, secretRef(namespace, secretName), (secret) => {
        const isSame = secretValue(secret, 'current') === current && secretValue(secret, 'previous') !== undefined;
        return ok(isSame ? { data: { current }, labels: { [HOOK_SECRET]: 'true' } } : undefined);
      });
      return changed.ok ? ok(undefined) : changed;
    },
    saveHookSecret: async (secretName, value) => {
      const { current, previous } = value;
      if (current === '' || previous === '')
        return fail(problem('invalid_secret', 'the secret of a webhook may not be empty'));
      const saved = await saveSecret(cluster, secretRef(namespace, secretName), {
        data: previous === undefined ? { current } : { current, previous },
        labels: { [HOOK_SECRET]: 'true' },
      });
      return saved.ok ? ok(undefined) : saved;
    },
    remove: async (secretName) => {
      const removed = await removeSecret(cluster, secretRef(namespace, secretName));
      return removed.ok ? ok(undefined) : removed;
    },
  };
}
