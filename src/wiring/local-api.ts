import { LOCAL } from '../access/index.ts';
import { createStore } from '../adapters/store/index.ts';
import { fail, ok, problem, type Result } from '../kernel/index.ts';
import type { DeliveryLog, JobQueue, MessageSocket } from '../ports/index.ts';
import { openApi } from './api.ts';
import { type Foundation, openAccess } from './foundation.ts';

/** The API in this process: for one command of the command line, with the rights of its kubeconfig. */
export type LocalApi = {
  /** For people: where requests go. */
  readonly where: string;
  /** An address to build request URLs on; nothing listens there. */
  readonly origin: string;
  fetch(request: Request): Promise<Response>;
  /** Opens a WebSocket's other end, without one; a refusal is its answer. */
  connect(request: Request): Promise<MessageSocket | Response>;
  close(): Promise<void>;
};

/** There is no Redis here. Workers watch sources, and find everything else when they next look through what is on record. */
const NO_QUEUE: JobQueue = { add: async () => ok(undefined), addAll: async () => ok(undefined) };

const nothing = async (): Promise<Result<never>> =>
  fail(problem('queue_unavailable', 'deliveries are kept in Redis; ask a server, with --api-url'));
const NO_DELIVERIES: DeliveryLog = { mentioned: nothing, forget: nothing, mention: nothing, recent: nothing };

/**
 * The same API as a server's over the same stores, as the principal `local`: whoever may write the control namespace is an administrator
 * already. Changes are audited in the cluster; the line on standard output is a server's alone.
 */
export async function openLocalApi(foundation: Foundation): Promise<Result<LocalApi>> {
  const { cluster, connection, config, log } = foundation;
  const { namespace } = config;
  const known = await cluster.list({ apiVersion: 'hakopod.io/v1', kind: 'Project', namespace });
  if (!known.ok) {
    await connection.close();
    return known.problem.code === 'not_found'
      ? fail(problem('not_found', 'the cluster does not know Hakopod yet; apply charts/hakopod/crds first'))
      : known;
  }
  const store = createStore({ cluster, namespace, log });
  const access = openAccess(foundation, () => undefined);
  await Promise.all([store.start(), access.start()]);
  const close = async (): Promise<void> => {
    await access.stop();
    await store.stop();
    await connection.close();
  };
  const api = await openApi(foundation, { store, access, jobs: NO_QUEUE, deliveries: NO_DELIVERIES });
  if (!api.ok) {
    await close();
    return api;
  }
  return ok({
    where: `the cluster, namespace ${namespace}`,
    origin: 'http://hakopod.local',
    fetch: (request) => api.value.fetch(request, LOCAL),
    connect: (request) => api.value.connect(request, LOCAL),
    close: async () => {
      api.value.close();
      await api.value.stop();
      await close();
    },
  });
}
