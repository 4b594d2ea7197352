import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Queues } from '../../queues/runtime/index.ts';
import { createBuildahEngine } from '../adapters/buildah/index.ts';
import { createGitReader } from '../adapters/git/index.ts';
import { openHttpClient } from '../adapters/http/index.ts';
import { createLeases } from '../adapters/kubernetes/index.ts';
import { redactText } from '../adapters/log/index.ts';
import { createDeliveryLog, createForgeBudget, type RedisHandle } from '../adapters/redis/index.ts';
import { createImageResolver } from '../adapters/registry/index.ts';
import {
  type AccessStore,
  createCertificateStore,
  createSecretStore,
  installationKey,
} from '../adapters/store/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import { type Deps, withGitRenewal } from '../pipeline/index.ts';
import type { Metrics, Store } from '../ports/index.ts';
import { openCredentials, openForges, outsideOf } from './forges.ts';
import { type Foundation, version } from './foundation.ts';
import { pipelineOptions } from './options.ts';
import { publicDns } from './public-dns.ts';

/** Everything the pipeline works with, and the way to let go of it. */
export async function openDeps(
  foundation: Foundation,
  parts: {
    readonly redis: RedisHandle;
    readonly queues: Queues;
    readonly metrics: Metrics;
    readonly store: Store;
    readonly access: AccessStore;
  },
): Promise<Result<Deps & { close(): Promise<void> }>> {
  const { config, cluster, capacity, clock, random, log } = foundation;
  const { namespace } = config;
  const key = await installationKey({ cluster, namespace, random });
  if (!key.ok) return key;
  const outside = outsideOf(foundation);
  const git = createGitReader({
    ...outside,
    ...(config.gitCacheDir === undefined ? {} : { cacheDir: config.gitCacheDir }),
    cacheBytes: config.gitCacheBytes,
    shallowLimitBytes: config.shallowLimitBytes,
    userAgent: `hakopod/${version()}`,
    log,
  });
  const credentials = openCredentials(foundation);
  const forges = openForges(foundation, credentials, createForgeBudget(parts.redis, clock));
  const images = createImageResolver({
    openHttp: openHttpClient,
    allowLocal: config.localRegistries,
    ...outside,
    userAgent: `hakopod/${version()}`,
  });
  const { store, access } = parts;
  return ok({
    store,
    cluster,
    capacity,
    leases: createLeases(cluster, {
      namespace,
      holder: `${hostname()}-${random.hex(6)}`,
      durationMs: config.leaseSeconds * 1000,
      clock,
      log,
    }),
    secrets: createSecretStore({ cluster, namespace, clock }),
    certificates: createCertificateStore({ cluster, namespace, clock }),
    dns: publicDns(config),
    credentials,
    keys: access.keys,
    identities: access.identities,
    roles: access.roles,
    projects: access.projects,
    settings: access.settings,
    registries: access.registries,
    audit: access.audit,
    git: withGitRenewal(git, credentials),
    images,
    builder: createBuildahEngine({
      folder: config.buildDir ?? join(tmpdir(), 'hakopod-builds'),
      diskBytes: config.buildDiskBytes,
      network: config.buildNetwork,
      localRegistries: config.localRegistries,
      ...outside,
    }),
    statuses: forges.statuses,
    pullRequests: forges.pullRequests,
    comments: forges.comments,
    hooks: forges.hooks,
    commands: forges.commands,
    checks: forges.checks,
    deployments: forges.deployments,
    jobs: parts.queues,
    schedule: parts.queues,
    deliveries: createDeliveryLog(parts.redis),
    clock,
    random,
    log,
    redact: redactText,
    metrics: parts.metrics,
    options: pipelineOptions(config, key.value),
    close: async () => {
      await git.close();
      await images.stop();
      await forges.stop();
      await credentials.stop();
    },
  });
}
