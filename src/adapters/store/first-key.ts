import { fail, ok, problem } from '../../kernel/index.ts';
import type { Cluster, FirstKeySecret } from '../../ports/index.ts';
import { createSecret, secretRef, secretValue } from './secret-objects.ts';

const NAME = 'hakopod-admin-key';
const KEY = 'key';
const RAW = /^hp_[0-9a-f]{32}_[0-9a-f]{64}$/;

/** The Secret `hakopod-admin-key`: made by the first server, or by the operator before it. */
export function createFirstKeySecret(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
}): FirstKeySecret {
  const ref = secretRef(options.namespace, NAME);
  return {
    read: async () => {
      const read = await options.cluster.get(ref);
      if (!read.ok) return read;
      if (read.value === undefined) return ok(undefined);
      // `kubectl create secret --from-file` keeps the line's end.
      const raw = secretValue(read.value, KEY)?.trim();
      return raw !== undefined && RAW.test(raw)
        ? ok(raw)
        : fail(
            problem(
              'invalid_secret',
              `the Secret ${NAME} needs, under ${KEY}, hp_, 32 hex digits, _ and 64 hex digits`,
            ),
          );
    },
    create: async (raw) => {
      const made = await createSecret(options.cluster, ref, { data: { [KEY]: raw }, labels: {} });
      return made.ok ? ok(undefined) : made;
    },
  };
}
