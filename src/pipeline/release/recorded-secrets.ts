import type { Manifest } from '../../kernel/index.ts';
import { snapshotsInUse } from '../../reconcile/index.ts';
import { cronJobName, DOCKER_CONFIG, jobName, LABELS } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import type { View } from './session.ts';

type Values = Readonly<Record<string, string>>;

/**
 * The values each service runs with, by service and key, base64: from the snapshots its workload names, of variables, of files and of the registry's login. Without
 * a workload, from the newest snapshots of the service.
 */
export function recordedSecrets(session: View, desired: Application): Readonly<Record<string, Values>> {
  const live = session.inventory.all();
  const owned = live.filter(
    (object) => object.kind === 'Secret' && session.inventory.has(object) && !isCertificate(object),
  );
  return Object.fromEntries(
    Object.keys(desired.services).map((service) => {
      const mine = owned
        .filter((secret) => secret.metadata.labels?.[LABELS.service] === service)
        .sort((a, b) => (age(a) < age(b) ? 1 : -1));
      const read = snapshotsInUse(live.filter((object) => isWorkload(object, service)));
      const used = mine.filter((secret) => read.has(`Secret/${secret.metadata.name}`));
      const files = mine.filter(isFiles)[0];
      const login = mine.filter(isLogin)[0];
      const variables = mine.filter((secret) => !isFiles(secret) && !isLogin(secret))[0];
      const chosen = used.length > 0 ? used : [files, login, variables].filter((secret) => secret !== undefined);
      return [service, Object.assign({}, ...chosen.map(({ data }) => data ?? {})) as Values];
    }),
  );
}

function age(secret: Manifest): string {
  return secret.metadata.creationTimestamp ?? '';
}

function isFiles(secret: Manifest): boolean {
  return secret.metadata.labels?.[LABELS.configFiles] !== undefined;
}

/** What the ingress controller reads, and no pod. */
function isCertificate(secret: Manifest): boolean {
  return secret.metadata.labels?.[LABELS.tlsUpload] !== undefined;
}

function isLogin({ data }: Manifest): boolean {
  return data !== undefined && Object.hasOwn(data as object, DOCKER_CONFIG);
}

/** What runs a service; not the Jobs of a schedule, which keep the values they were started with. */
function isWorkload({ kind, metadata }: Manifest, service: string): boolean {
  if (kind === 'Deployment') return metadata.name === service;
  if (kind === 'CronJob') return metadata.name === cronJobName(service);
  return kind === 'Job' && metadata.name === jobName(service);
}
