import {
  connectOperations,
  manifestFileName,
  renderEnrolment,
  renderPermissions,
} from '../adapters/kubernetes/index.ts';
import {
  type AccessStore,
  createCertificateStore,
  createSecretStore,
  installationKey,
} from '../adapters/store/index.ts';
import type { Config } from '../config.ts';
import { fail, ok, problem, type Result } from '../kernel/index.ts';
import { createOperations, followReleases, type OperationsDeps } from '../pipeline/operations/index.ts';
import { createAuthenticator } from '../pipeline/operations/people/index.ts';
import type { ManifestRequest } from '../ports/api/index.ts';
import type { DeliveryLog, ForgeBudget, JobQueue, Store } from '../ports/index.ts';
import { API_LIMITS, type Api, type ApiLimits, createApi } from '../server/index.ts';
import { openRuns } from './cluster-runs.ts';
import { openCredentials, openForges } from './forges.ts';
import { checkUrl, type Foundation, version } from './foundation.ts';
import { pipelineOptions } from './options.ts';
import { publicDns } from './public-dns.ts';

/** What the API stands on besides the foundation. */
export type ApiParts = {
  readonly store: Store;
  readonly access: AccessStore;
  readonly jobs: JobQueue;
  readonly deliveries: DeliveryLog;
  /** Shared with the workers; without one only the forges' own answers count. */
  readonly budget?: ForgeBudget;
};

/** The API; `stop` ends the runs that go on in this process, and waits until that is on record. */
export type OpenedApi = Api & { stop(): Promise<void> };

/** Puts the API together: the operations over the stores, and the keys that open it. Nothing starts; the caches are the caller's. */
export async function openApi(foundation: Foundation, parts: ApiParts): Promise<Result<OpenedApi>> {
  const { config, connection, cluster, capacity, clock, random, log } = foundation;
  const { store, access, jobs, deliveries } = parts;
  const { namespace } = config;
  const key = await installationKey({ cluster, namespace, random });
  if (!key.ok) return key;
  const running = openRuns(foundation, key.value);
  const credentials = openCredentials(foundation);
  const forges = openForges(foundation, credentials, parts.budget);
  const deps: OperationsDeps = {
    store,
    cluster,
    capacity,
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
    jobs,
    deliveries,
    hooks: forges.hooks,
    clock,
    random,
    log,
    options: pipelineOptions(config, key.value),
    limits: {
      applicationsPerEnvironment: config.applicationsPerEnvironment,
      environmentsPerProject: config.environmentsPerProject,
    },
    checkUrl,
    forgeApis: { github: config.githubApiUrl, gitlab: config.gitlabApiUrl },
    operations: connectOperations(connection, {
      ...{ clock, log, userAgent: `hakopod/${version()}` },
      execTimes: { idleMs: config.execIdleSeconds * 1000, lifetimeMs: config.execLifetimeSeconds * 1000 },
    }),
    manifest: renderManifest,
    ...running,
  };
  const api = createApi({
    operations: createOperations(deps),
    authenticate: createAuthenticator(deps),
    follower: followReleases(deps),
    version: version(),
    clock,
    random,
    log,
    limits: limitsOf(config),
    trustedProxies: config.trustedProxies,
  });
  return ok({
    ...api,
    stop: async () => {
      await running.runs.close();
      await forges.stop();
      await credentials.stop();
    },
  });
}

/** With a link the whole enrolment, without one what is granted and, with an image, what runs. */
export function renderManifest(
  request: ManifestRequest,
): Result<{ readonly file_name: string; readonly text: string }> {
  const { name, image, link } = request;
  const namespaces = [...new Set(request.namespaces)].sort();
  if (link !== undefined && image === undefined)
    return fail(problem('invalid_request', 'is needed with a link', { at: 'image' }));
  const text =
    link !== undefined && image !== undefined
      ? renderEnrolment({ name, namespaces, image, link })
      : renderPermissions({ name, namespaces, ...(image === undefined ? {} : { image }) });
  return text.ok ? ok({ file_name: manifestFileName(name), text: text.value }) : text;
}

function limitsOf(config: Config): ApiLimits {
  return {
    ...API_LIMITS,
    bodyBytes: config.apiBodyBytes,
    inFlight: config.apiInFlight,
    rate: { ...API_LIMITS.rate, capacity: config.apiRateBurst, refillPerSecond: config.apiRatePerSecond },
    stream: { ...API_LIMITS.stream, streams: config.apiStreams },
  };
}
