import { ok, type Result } from '../../../kernel/index.ts';
import type { ClusterOperations } from '../../../ports/cluster-operations/index.ts';
import { OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';
import type { Clock, Log } from '../../../ports/index.ts';
import type { ConnectOptions } from '../access.ts';
import { type KubeConnection, connect as openConnection } from '../connection.ts';
import { createRequests } from '../requests.ts';
import { applyWorkload } from './apply-workload.ts';
import { deploy } from './deploy.ts';
import type { OperationDeps } from './deps.ts';
import { openExec } from './exec.ts';
import type { ExecTimes } from './exec-session.ts';
import { facts } from './facts.ts';
import { inspect } from './inspect.ts';
import { logs } from './logs.ts';
import { operate } from './operate.ts';
import { readWorkload } from './read-workload.ts';
import { remove } from './remove.ts';
import { snapshot } from './snapshot.ts';
import { createStreams } from './streams.ts';

export type ConnectionOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  /** Shorter ends of an exec than 15 minutes without input and 8 hours in all. */
  readonly execTimes?: Partial<ExecTimes>;
};

/** The clients of `fromClients`; times are shorter in tests. */
export type Clients = OperationDeps & {
  /** Milliseconds between two readings of a rollout. */
  readonly pollMs?: number;
  readonly execTimes?: Partial<ExecTimes>;
};

/**
 * The cluster operations over a connection (cluster operations 3): rollouts are read every 2 s, logs are opened and commands run over the
 * connection itself. No request is made yet.
 */
export function connect(connection: KubeConnection, options: ConnectionOptions): ClusterOperations {
  const { clock, log, userAgent, execTimes } = options;
  // Every operation sets the time of its own calls; this is only the end of what none of them bounds.
  const client = { connection, clock, userAgent, timeoutMs: OPERATION_LIMITS.lifetimeMs };
  return fromClients({
    ...{ api: createRequests(client), streams: createStreams(client), clock, log },
    ...(execTimes === undefined ? {} : { execTimes }),
  });
}

/** The same as the pod's own service account (cluster operations 2); `invalid_config` outside of a cluster. Close the connection in the end. */
export function inCluster(
  options: ConnectionOptions & Pick<ConnectOptions, 'serviceAccountRoot'>,
): Result<{ readonly operations: ClusterOperations; readonly connection: KubeConnection }> {
  const { serviceAccountRoot } = options;
  const connection = openConnection(serviceAccountRoot === undefined ? {} : { serviceAccountRoot });
  return connection.ok
    ? ok({ operations: connect(connection.value, options), connection: connection.value })
    : connection;
}

/** The cluster operations over given clients (cluster operations 4), such as a test's. Without `streams.exec` no command can be run. */
export function fromClients(clients: Clients): ClusterOperations {
  const { execTimes } = clients;
  return {
    facts: (signal) => facts(clients, signal),
    inspect: (target, signal) => inspect(clients, target, signal),
    logs: (request, sink, signal) => logs(clients, { request, sink }, signal),
    openExec: (spec, signal) =>
      openExec(clients, spec, {
        ...(signal === undefined ? {} : { signal }),
        ...(execTimes === undefined ? {} : { times: execTimes }),
      }),
    operate: (command, signal) => operate(clients, command, signal),
    readWorkload: (target, signal) => readWorkload(clients, target, signal),
    applyWorkload: (request, run) => applyWorkload(clients, request, run),
    deploy: (request, run) => deploy(clients, request, run),
    remove: (request, run) => remove(clients, request, run),
    snapshot: (signal) => snapshot(clients, signal),
  };
}
