import { fail, type Manifest, ok, problem, type Result, sha256 } from '../../kernel/index.ts';
import type {
  Clock,
  Cluster,
  RegistryCredentials,
  RegistryEntry,
  RegistryScope,
  RegistryStore,
} from '../../ports/index.ts';
import { REGISTRY_SCOPE, UPDATED_AT } from './labels.ts';
import {
  changeSecret,
  createSecret,
  removeSecret,
  type SecretContent,
  secretRef,
  secretValue,
} from './secret-objects.ts';

/** Registry credentials as Secrets `registry-<scope>-<name>` with `server`, `username` and `password`. */
export function createRegistryStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly clock: Clock;
}): RegistryStore {
  const { cluster, namespace, clock } = options;
  const refOf = (scope: RegistryScope, name: string) => secretRef(namespace, `registry-${hashOf(scope)}-${name}`);
  const contentOf = (scope: RegistryScope, { server, username, password }: RegistryCredentials): SecretContent => ({
    data: { server, username, password },
    labels: { [REGISTRY_SCOPE]: hashOf(scope) },
    annotations: { [UPDATED_AT]: clock.now().toISOString() },
  });
  const read = async (scope: RegistryScope): Promise<Result<readonly Known[]>> => {
    const labelSelector = `${REGISTRY_SCOPE}=${hashOf(scope)}`;
    const listed = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector });
    if (!listed.ok) return listed;
    const known = listed.value.flatMap((secret) => knownOf(scope, secret) ?? []);
    return ok(known.sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1)));
  };
  const answered = (scope: RegistryScope, written: Result<Manifest>): Result<RegistryEntry> => {
    if (!written.ok) return written;
    const known = knownOf(scope, written.value);
    return known === undefined ? fail(problem('invalid_object')) : ok(known.entry);
  };

  return {
    list: async (scope) => {
      const known = await read(scope);
      return known.ok ? ok(known.value.map(({ entry }) => entry)) : known;
    },
    create: async (scope, name, value) =>
      answered(scope, await createSecret(cluster, refOf(scope, name), contentOf(scope, value))),
    replace: async (scope, name, value) =>
      answered(scope, await changeSecret(cluster, refOf(scope, name), () => ok(contentOf(scope, value)))),
    remove: (scope, name) => removeSecret(cluster, refOf(scope, name)),
    credentials: async (scope) => {
      const known = await read(scope);
      if (!known.ok) return known;
      return ok(
        known.value.map(({ entry: { name, server, username }, password }) => ({ name, server, username, password })),
      );
    },
  };
}

type Known = { readonly entry: RegistryEntry; readonly password: string };

function hashOf({ project, environment }: RegistryScope): string {
  return sha256(`${project}/${environment}`).slice(0, 32);
}

function knownOf(scope: RegistryScope, secret: Manifest): Known | undefined {
  const [server, username, password] = ['server', 'username', 'password'].map((key) => secretValue(secret, key));
  if (server === undefined || username === undefined || password === undefined) return undefined;
  const name = secret.metadata.name.slice(`registry-${hashOf(scope)}-`.length);
  const updatedAt = secret.metadata.annotations?.[UPDATED_AT] ?? secret.metadata.creationTimestamp ?? '';
  return {
    entry: { project: scope.project, environment: scope.environment, name, server, username, updatedAt },
    password,
  };
}
