import { readFileSync } from 'node:fs';
import { checkRemoteUrl } from '../adapters/git/index.ts';
import { connect, createCluster, createClusterCapacity, type KubeConnection } from '../adapters/kubernetes/index.ts';
import { createLog } from '../adapters/log/index.ts';
import { type AccessStore, createAccessStore } from '../adapters/store/index.ts';
import { createRandom, createSystemClock } from '../adapters/system/index.ts';
import type { Config } from '../config.ts';
import { fail, ok, problem, type Result } from '../kernel/index.ts';
import type { Clock, Cluster, ClusterCapacity, Log, Random } from '../ports/index.ts';

/** What every role and command stands on. */
export type Foundation = {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly connection: KubeConnection;
  readonly cluster: Cluster;
  /** One for all roles of a process, which share what it reads. */
  readonly capacity: ClusterCapacity;
  /** PEM bundle of `caFile`, read once. */
  readonly ca: string | undefined;
  /** Takes a finished line, with its end, for standard output. */
  readonly write: (line: string) => void;
};

/** The package's version. */
export function version(): string {
  const text = readFileSync(
    new URL(import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json', import.meta.url),
    'utf8',
  );
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Opens the cluster connection and everything that needs no other system. `write` takes the log's lines instead of standard output. */
export function layFoundation(
  config: Config,
  write?: (line: string) => void,
  clock = createSystemClock(),
): Result<Foundation> {
  const log = createLog(config.logLevel, write);
  const ca = readBundle(config.caFile);
  if (!ca.ok) return ca;
  const connection = connect(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig });
  if (!connection.ok) return connection;
  const cluster = createCluster(connection.value, { clock, log, userAgent: `hakopod/${version()}` });
  return ok({
    config,
    clock,
    random: createRandom(),
    log,
    connection: connection.value,
    cluster,
    capacity: createClusterCapacity(connection.value, { cluster, clock, userAgent: `hakopod/${version()}` }),
    ca: ca.value,
    write: write ?? ((line) => void process.stdout.write(line)),
  });
}

/** People, keys, roles, projects, settings and the audit trail. One for all roles of a process. `auditLine` gets each change as JSON. */
export function openAccess(foundation: Foundation, auditLine: (line: string) => void): AccessStore {
  const { cluster, clock, random, log, config } = foundation;
  return createAccessStore({ cluster, namespace: config.namespace, clock, random, log, auditLine });
}

function readBundle(path: string | undefined): Result<string | undefined> {
  if (path === undefined) return ok(undefined);
  try {
    const text = readFileSync(path, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----')
      ? ok(text)
      : fail(problem('invalid_config', 'holds no PEM certificate', { at: 'caFile' }));
  } catch (cause) {
    return fail(problem('invalid_config', 'can not be read', { at: 'caFile', cause }));
  }
}

/** Whether a clone URL can be used at all, by the Git adapter's rules. */
export function checkUrl(url: string, local: boolean): Result<unknown> {
  return checkRemoteUrl(url, { local });
}
