import type { Manifest } from '../../kernel/index.ts';
import {
  type Cluster,
  type GitRepository,
  GROUP_VERSION,
  type HookDirectory,
  type HookEntry,
  type Log,
  type WatchEvent,
} from '../../ports/index.ts';
import { decodeOrSkip, REPOSITORY } from './decode.ts';
import { HOOK_SECRET } from './labels.ts';
import { secretValue } from './secret-objects.ts';

/** A directory with a life: it watches from its creation until `stop`. */
export type RunningHookDirectory = HookDirectory & {
  /** Resolves with the first lists; rejects when the signal aborts first. */
  whenReady(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Watches the repositories and the Secrets labelled as hook secrets, and keeps what each hook id opens. `find` is one look into a
 * map. A hook id that two repositories claim opens neither: we could not say whose delivery it is.
 */
export function createHookDirectory(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly log: Log;
}): RunningHookDirectory {
  const { cluster, namespace, log } = options;
  const byHook = new Map<string, Map<string, GitRepository>>();
  const byName = new Map<string, GitRepository>();
  const secrets = new Map<string, readonly string[]>();

  const repositories = cluster.cache({ apiVersion: GROUP_VERSION, kind: REPOSITORY.kind, namespace });
  const hookSecrets = cluster.cache({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    labelSelector: `${HOOK_SECRET}=true`,
  });

  const forget = (name: string): void => {
    const known = byName.get(name);
    if (known === undefined) return;
    byName.delete(name);
    const claims = byHook.get(known.spec.hookId);
    claims?.delete(name);
    if (claims?.size === 0) byHook.delete(known.spec.hookId);
  };
  const takeRepository = ({ type, object }: WatchEvent): void => {
    forget(object.metadata.name);
    if (type === 'deleted') return;
    const repository = decodeOrSkip(REPOSITORY, object, log);
    if (repository === undefined) return;
    byName.set(repository.name, repository);
    const claims = byHook.get(repository.spec.hookId) ?? new Map<string, GitRepository>();
    byHook.set(repository.spec.hookId, claims);
    claims.set(repository.name, repository);
    if (claims.size > 1) log.error('two repositories have the same hook id', { repositories: [...claims.keys()] });
  };
  const takeSecret = ({ type, object }: WatchEvent): void => {
    if (type === 'deleted') secrets.delete(object.metadata.name);
    else secrets.set(object.metadata.name, valuesOf(object));
  };
  repositories.onChange(takeRepository);
  hookSecrets.onChange(takeSecret);

  return {
    get ready() {
      return repositories.synced && hookSecrets.synced;
    },
    find: (hookId) => {
      const claims = byHook.get(hookId);
      const [repository] = claims?.values() ?? [];
      return claims?.size === 1 && repository !== undefined ? entryOf(repository, secrets) : undefined;
    },
    whenReady: async (signal) => {
      await Promise.all([repositories.whenSynced(signal), hookSecrets.whenSynced(signal)]);
    },
    stop: async () => {
      await Promise.all([repositories.stop(), hookSecrets.stop()]);
    },
  };
}

/** No current secret, no hook: `previous` alone opens nothing. */
function valuesOf(secret: Manifest): readonly string[] {
  const current = secretValue(secret, 'current');
  const previous = secretValue(secret, 'previous');
  if (current === undefined) return [];
  return previous === undefined ? [current] : [current, previous];
}

function entryOf(repository: GitRepository, secrets: ReadonlyMap<string, readonly string[]>): HookEntry | undefined {
  const { forge, webhookAuth, webhookSecret, repositoryId } = repository.spec;
  const values = webhookSecret === undefined ? undefined : secrets.get(webhookSecret);
  if (values === undefined || values.length === 0) return undefined;
  return { repository: repository.name, forge, auth: webhookAuth, repositoryId, secrets: values };
}
