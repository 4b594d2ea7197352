import {
  type ApplicationKey,
  fail,
  LIMITS,
  type Manifest,
  ok,
  problem,
  type Result,
  secretScope,
} from '../../kernel/index.ts';
import type { CertificateEntry, CertificateStore, Clock, Cluster } from '../../ports/index.ts';
import { TLS_SCOPE, TLS_UPLOAD, UPDATED_AT } from './labels.ts';
import { createSecret, removeSecret, secretRef, secretValue } from './secret-objects.ts';

const CERTIFICATE = 'tls.crt';
const KEY = 'tls.key';
const SERVICE = 'hakopod.io/service';
const HOSTS = 'hakopod.io/tls-hosts';
const NOT_BEFORE = 'hakopod.io/tls-not-before';
const NOT_AFTER = 'hakopod.io/tls-not-after';

/** Uploaded certificates as immutable Secrets of type kubernetes.io/tls in the control namespace; releases copy what they serve. */
export function createCertificateStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly clock: Clock;
}): CertificateStore {
  const { cluster, namespace, clock } = options;
  const list = async (application: ApplicationKey): Promise<Result<readonly CertificateEntry[]>> => {
    const labelSelector = `${TLS_SCOPE}=${secretScope(application)}`;
    const listed = await cluster.list({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      labelSelector,
      metadataOnly: true,
    });
    if (!listed.ok) return listed;
    return ok(listed.value.map(entryOf).sort((a, b) => (a.name < b.name ? -1 : 1)));
  };
  const own = async (application: ApplicationKey, name: string): Promise<Result<Manifest | undefined>> => {
    const read = await cluster.get(secretRef(namespace, name));
    if (!read.ok) return read;
    const isOwn = read.value?.metadata.labels?.[TLS_SCOPE] === secretScope(application);
    return ok(isOwn ? read.value : undefined);
  };

  return {
    list,
    add: async (application, entry, pair) => {
      const known = await list(application);
      if (!known.ok) return known;
      const same = known.value.find(({ name }) => name === entry.name);
      if (same !== undefined) return ok(same);
      if (known.value.filter(({ service }) => service === entry.service).length >= LIMITS.certificatesPerService)
        return fail(problem('limit_reached', undefined, { at: 'service' }));
      const made = await createSecret(cluster, secretRef(namespace, entry.name), {
        type: 'kubernetes.io/tls',
        immutable: true,
        data: { [CERTIFICATE]: pair.certificate, [KEY]: pair.key },
        labels: { [TLS_SCOPE]: secretScope(application), [TLS_UPLOAD]: 'true' },
        annotations: {
          [SERVICE]: entry.service,
          [HOSTS]: entry.hosts.join(' '),
          [NOT_BEFORE]: entry.notBefore,
          [NOT_AFTER]: entry.notAfter,
          [UPDATED_AT]: clock.now().toISOString(),
        },
      });
      if (made.ok) return ok(entryOf(made.value));
      if (made.problem.code !== 'already_exists') return made;
      const twin = await own(application, entry.name);
      if (!twin.ok) return twin;
      return twin.value === undefined ? fail(problem('not_owned')) : ok(entryOf(twin.value));
    },
    remove: async (application, name) => {
      const read = await own(application, name);
      if (!read.ok) return read;
      return read.value === undefined ? ok(false) : removeSecret(cluster, secretRef(namespace, name));
    },
    read: async (application, name) => {
      const read = await own(application, name);
      if (!read.ok) return read;
      const [certificate, key] =
        read.value === undefined ? [] : [CERTIFICATE, KEY].map((one) => secretValue(read.value as Manifest, one));
      return ok(certificate === undefined || key === undefined ? undefined : { certificate, key });
    },
  };
}

function entryOf({ metadata }: Manifest): CertificateEntry {
  const { annotations = {} } = metadata;
  return {
    name: metadata.name,
    service: annotations[SERVICE] ?? '',
    hosts: (annotations[HOSTS] ?? '').split(' ').filter((host) => host !== ''),
    notBefore: annotations[NOT_BEFORE] ?? '',
    notAfter: annotations[NOT_AFTER] ?? '',
    uploadedAt: annotations[UPDATED_AT] ?? metadata.creationTimestamp ?? '',
  };
}
