import { hostname } from 'node:os';
import type { Queues } from '../../queues/runtime/index.ts';
import { createGitReader } from '../adapters/git/index.ts';
import { createGithubStatusWriter } from '../adapters/github/index.ts';
import { createGitlabStatusWriter } from '../adapters/gitlab/index.ts';
import { openHttpClient } from '../adapters/http/index.ts';
import { createLeases } from '../adapters/kubernetes/index.ts';
import { createDeliveryLog, type RedisHandle } from '../adapters/redis/index.ts';
import { createImageResolver } from '../adapters/registry/index.ts';
import { createCredentialStore, createSecretStore, createStore, installationKey } from '../adapters/store/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import type { Deps } from '../pipeline/index.ts';
import type { ForgeRepository, Metrics, StatusWriter } from '../ports/index.ts';
import { type Foundation, version } from './foundation.ts';

/** Everything the pipeline works with, and the way to let go of it. */
export async function openDeps(
  foundation: Foundation,
  parts: { readonly redis: RedisHandle; readonly queues: Queues; readonly metrics: Metrics },
): Promise<Result<Deps & { close(): Promise<void> }>> {
  const { config, cluster, clock, random, log, ca } = foundation;
  const { namespace } = config;
  const key = await installationKey({ cluster, namespace, random });
  if (!key.ok) return key;
  const outside = {
    ...(ca === undefined ? {} : { ca }),
    ...(config.proxyUrl === undefined ? {} : { proxy: config.proxyUrl }),
  };
  const git = createGitReader({
    ...outside,
    ...(config.gitCacheDir === undefined ? {} : { cacheDir: config.gitCacheDir }),
    cacheBytes: config.gitCacheBytes,
    shallowLimitBytes: config.shallowLimitBytes,
    userAgent: `hakopod/${version()}`,
    log,
  });
  const statuses = openStatuses(foundation, outside);
  const images = createImageResolver({
    openHttp: openHttpClient,
    allowLocal: config.localRegistries,
    ...outside,
    userAgent: `hakopod/${version()}`,
  });
  const store = createStore({ cluster, namespace, log });
  return ok({
    store,
    cluster,
    leases: createLeases(cluster, {
      namespace,
      holder: `${hostname()}-${random.hex(6)}`,
      durationMs: config.leaseSeconds * 1000,
      clock,
      log,
    }),
    secrets: createSecretStore({ cluster, namespace, clock }),
    credentials: createCredentialStore({ cluster, namespace }),
    git,
    images,
    statuses,
    jobs: parts.queues,
    schedule: parts.queues,
    deliveries: createDeliveryLog(parts.redis),
    clock,
    random,
    log,
    metrics: parts.metrics,
    options: {
      appDomain: config.appDomain,
      localRepositories: config.localRepositories,
      publicPort: config.publicPort,
      tlsIssuer: config.tlsIssuer,
      ingressClass: config.ingressClass,
      rolloutTimeoutSeconds: config.rolloutTimeoutSeconds,
      policySettleMs: config.policySettleSeconds * 1000,
      mentionGraceMs: config.mentionGraceSeconds * 1000,
      publicUrl: config.publicUrl,
      snapshotKey: key.value,
    },
    close: async () => {
      await store.stop();
      await git.close();
      await images.stop();
      await statuses.stop();
    },
  });
}

type Outside = { readonly ca?: string; readonly proxy?: string };

/** One writer for both forges; the repository says which. */
function openStatuses(foundation: Foundation, outside: Outside): StatusWriter & { stop(): Promise<void> } {
  const shared = { ...outside, openHttp: openHttpClient, clock: foundation.clock, userAgent: `hakopod/${version()}` };
  const writers = {
    github: createGithubStatusWriter({ ...shared, apiUrl: foundation.config.githubApiUrl }),
    gitlab: createGitlabStatusWriter({ ...shared, apiUrl: foundation.config.gitlabApiUrl }),
  };
  const of = (repository: ForgeRepository): StatusWriter => writers[repository.forge];
  return {
    write: (repository, status) => of(repository).write(repository, status),
    latest: (repository, commit, context) => of(repository).latest(repository, commit, context),
    stop: async () => {
      await Promise.all([writers.github.stop(), writers.gitlab.stop()]);
    },
  };
}
