import { createJobQueue, type Queues, startWorkers } from '../../queues/runtime/index.ts';
import { createGithubDialect } from '../adapters/github/index.ts';
import { createGitlabDialect } from '../adapters/gitlab/index.ts';
import {
  connectRedis,
  createDeliveryIntake,
  createDeliveryLog,
  createForgeBudget,
  type RedisHandle,
} from '../adapters/redis/index.ts';
import { type AccessStore, createHookDirectory, createStore } from '../adapters/store/index.ts';
import type { Config } from '../config.ts';
import { fail, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import {
  build,
  type Deps,
  plan,
  poll,
  preview,
  reconcile,
  report,
  resync,
  sync,
  warnOfGrants,
  watchApplications,
  watchForDrift,
  watchSources,
} from '../pipeline/index.ts';
import { retainAudit } from '../pipeline/operations/installation/index.ts';
import { forgetKeys } from '../pipeline/operations/people/index.ts';
import type { Clock, Store } from '../ports/index.ts';
import {
  createHttpServer,
  createMetrics,
  createReceiver,
  type MetricsRegistry,
  type ReadinessCheck,
} from '../server/index.ts';
import type { ApiParts } from './api.ts';
import { type Caches, startCaches } from './caches.ts';
import { openDeps } from './deps.ts';
import { type Foundation, layFoundation, openAccess } from './foundation.ts';
import { startIdentity } from './identity.ts';
import { serveApi } from './serve-api.ts';

/** A running `hakopod serve`. */
export type Serving = {
  readonly port: number;
  readonly adminPort: number | undefined;
  /** Resolves with what made it impossible to go on; the process ends then, and says why. */
  readonly failed: Promise<Problem>;
  /** Stops taking work, lets what runs finish, closes everything. Safe to call twice. */
  stop(): Promise<void>;
};

type Part = { readonly readiness: readonly ReadinessCheck[]; stop(): Promise<void> };
type Shared = {
  readonly foundation: Foundation;
  readonly redis: RedisHandle;
  readonly queues: Queues;
  readonly metrics: MetricsRegistry;
  readonly store: Store;
  readonly access: AccessStore;
  readonly caches: Caches;
  readonly giveUp: (why: Problem) => void;
};

/** Starts the roles of the configuration. What was started is stopped again when a later part fails. */
export async function startServing(
  config: Config,
  options: { readonly write?: (line: string) => void; readonly clock?: Clock } = {},
): Promise<Result<Serving>> {
  const { redisUrl } = config;
  if (redisUrl === undefined)
    return fail(
      problem('invalid_config', 'is needed to serve: a URL such as redis://127.0.0.1:6379', {
        at: 'redisUrl (HAKOPOD_REDIS_URL)',
      }),
    );
  const laid = layFoundation(config, options.write, options.clock);
  if (!laid.ok) return laid;
  const foundation = laid.value;
  const { log } = foundation;
  const metrics = createMetrics({ process: true });
  const redis = connectRedis(redisUrl, { prefix: config.queuePrefix, log });
  const queues = createJobQueue({ url: redisUrl, prefix: config.queuePrefix, log });
  metrics.watchQueues(queues);
  const store = createStore({ cluster: foundation.cluster, namespace: config.namespace, log });
  const access = openAccess(foundation, (line) => foundation.write(`${line}\n`));
  const caches = startCaches(store, access);
  const failing = Promise.withResolvers<Problem>();
  const shared: Shared = { foundation, redis, queues, metrics, store, access, caches, giveUp: failing.resolve };

  const stops: (() => Promise<void>)[] = [
    () => foundation.connection.close(),
    () => redis.close(),
    () => queues.close(),
    () => access.stop(),
    () => store.stop(),
    async () => caches.giveUp(),
  ];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const step of stops.reverse()) await step();
    })();
    return stopping;
  };
  const readiness: ReadinessCheck[] = [{ name: 'redis', ready: async () => (await redis.ping()).ok }];
  if (config.roles.includes('worker')) {
    const worker = await startWorker(shared, redisUrl);
    if (!worker.ok) return giveUp(worker, stop);
    stops.push(worker.value.stop);
    readiness.push(...worker.value.readiness);
  }
  const hasReceiver = config.roles.includes('server');
  const api = hasReceiver
    ? serveApi(foundation, { store, access, caches, jobs: queues, ...keptInRedis(shared) })
    : undefined;
  if (api !== undefined) {
    stops.push(api.stop);
    readiness.push(api.readiness);
  }
  const receiver = hasReceiver ? openReceiver(shared) : undefined;
  if (receiver !== undefined) {
    stops.push(receiver.stop);
    readiness.push(...receiver.readiness);
  }
  const http = createHttpServer({
    // A worker has no public side: its health is on the admin address alone.
    listen: hasReceiver ? address(config.listen) : address(config.adminListen),
    ...(hasReceiver ? { admin: address(config.adminListen) } : {}),
    ...(receiver === undefined ? {} : { receiver: receiver.receive }),
    ...(api === undefined ? {} : { fallback: api.handle, upgrade: api.upgrade }),
    metrics,
    readiness,
    log,
  });
  const started = await http.start();
  if (!started.ok) return giveUp(started, stop);
  stops.push(
    () => http.stop(),
    async () => api?.close(),
  );
  log.info('serving', { roles: config.roles.join(','), port: started.value.port, adminPort: started.value.adminPort });
  const { port, adminPort } = started.value;
  return ok({ port, adminPort, failed: failing.promise, stop });
}

async function giveUp<T>(
  failed: Result<T> & { readonly ok: false },
  stop: () => Promise<void>,
): Promise<Result<never>> {
  await stop();
  return failed;
}

function address(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** What the API shares with the receiver and the workers. */
function keptInRedis({ foundation, redis }: Shared): Pick<ApiParts, 'deliveries' | 'budget'> {
  return { deliveries: createDeliveryLog(redis), budget: createForgeBudget(redis, foundation.clock) };
}

function openReceiver(shared: Shared): Part & { readonly receive: ReturnType<typeof createReceiver> } {
  const { foundation, redis, queues, metrics } = shared;
  const { cluster, config, log, clock } = foundation;
  const directory = createHookDirectory({ cluster, namespace: config.namespace, log });
  const intake = createDeliveryIntake({ redis, queue: queues, clock, log });
  const receive = createReceiver({
    directory,
    dialects: { github: createGithubDialect(), gitlab: createGitlabDialect() },
    intake,
    metrics,
    clock,
    log,
    bodyBytes: config.hookBodyBytes,
    trustedProxies: config.trustedProxies,
    failures: { capacity: config.hookFailuresPerMinute, refillPerSecond: config.hookFailuresPerMinute / 60 },
  });
  return { receive, readiness: [{ name: 'hooks', ready: () => directory.ready }], stop: () => directory.stop() };
}

/** How often what is kept by number and age is looked through. */
const RETENTION_MS = 600_000;

async function startWorker(shared: Shared, redisUrl: string): Promise<Result<Part>> {
  const { foundation, metrics, caches } = shared;
  const { config, clock, log } = foundation;
  const opened = await openDeps(foundation, shared);
  if (!opened.ok) return opened;
  const deps = opened.value;
  const identity = startIdentity(foundation, deps, shared.giveUp);
  if (!identity.ok) {
    await deps.close();
    return identity;
  }
  const running = caches.synced.then((isSynced) =>
    isSynced ? startJobs(deps, { config, redisUrl, metrics }) : undefined,
  );
  return ok({
    readiness: [{ name: 'caches', ready: caches.isSynced }],
    stop: async () => {
      caches.giveUp();
      await (await running)?.stop();
      await identity.value.stop();
      await deps.close();
      log.info('worker stopped', { at: clock.now().toISOString() });
    },
  });
}

function startJobs(
  deps: Deps,
  parts: { readonly config: Config; readonly redisUrl: string; readonly metrics: MetricsRegistry },
): { stop(): Promise<void> } {
  const { config } = parts;
  const workers = startWorkers({
    url: parts.redisUrl,
    prefix: config.queuePrefix,
    handlers: {
      poll: (job, run) => poll(deps, job, run),
      sync: (job, run) => sync(deps, job, run),
      plan: (job, run) => plan(deps, job, run),
      preview: (job, run) => preview(deps, job, run),
      build: (job, run) => build(deps, job, run),
      reconcile: (job, run) => reconcile(deps, job, run),
      report: (job) => report(deps, job),
    },
    log: deps.log,
    metrics: parts.metrics,
    clock: deps.clock,
    // A job's lock outlives its worker by less than the lease does: whoever takes the job over then finds the lease free, or soon.
    timing: {
      drainMs: config.drainSeconds * 1000,
      lockMs: config.leaseSeconds * 400,
      stalledCheckMs: config.leaseSeconds * 130,
    },
  });
  const unwatch = [watchSources(deps), watchApplications(deps)];
  const ending = new AbortController();
  const loops = [
    every(deps, { ms: config.resyncSeconds * 1000, signal: ending.signal, work: () => resync(deps), atOnce: true }),
    every(deps, {
      ms: config.driftSeconds * 1000,
      signal: ending.signal,
      work: () => watchForDrift(deps),
      atOnce: false,
    }),
    every(deps, {
      ms: config.resyncSeconds * 1000,
      signal: ending.signal,
      work: () => warnOfGrants(deps),
      atOnce: true,
    }),
    every(deps, { ms: RETENTION_MS, signal: ending.signal, work: () => retain(deps, config), atOnce: true }),
  ];
  return {
    stop: async () => {
      ending.abort();
      for (const stop of unwatch) stop();
      await workers.stop();
      await Promise.all(loops);
    },
  };
}

/** Forgets changes beyond what is kept, and keys that ended long ago. */
async function retain(deps: Deps, config: Config): Promise<Result<void>> {
  const audit = await retainAudit(deps, { records: config.auditRecords, days: config.auditDays });
  if (!audit.ok) return audit;
  const keys = await forgetKeys(deps);
  return keys.ok ? ok(undefined) : keys;
}

type Loop = {
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly work: () => Promise<Result<void>>;
  readonly atOnce: boolean;
};

/** Runs the work again and again, with up to a tenth of jitter so that workers do not march in step. */
async function every(deps: Deps, loop: Loop): Promise<void> {
  if (!loop.atOnce) await deps.clock.sleep(loop.ms, loop.signal);
  while (!loop.signal.aborted) {
    const done = await loop.work();
    if (!done.ok) deps.log.warn('periodic work is put off', { code: done.problem.code });
    const jitter = (Number.parseInt(deps.random.hex(2), 16) / 65_536) * 0.1 * loop.ms;
    await deps.clock.sleep(done.ok ? loop.ms + jitter : Math.min(loop.ms, 1000 + jitter), loop.signal);
  }
}
