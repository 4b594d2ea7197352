import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './cache.ts';

/** Who may call the API server, by token. The names are the ones Kubernetes' own roles are bound to. */
const USERS = {
  admin: { user: 'admin', groups: 'system:masters' },
  'controller-manager': { user: 'system:kube-controller-manager', groups: '' },
  scheduler: { user: 'system:kube-scheduler', groups: '' },
  node: { user: 'system:node:node1', groups: 'system:nodes' },
} as const;

export type UserName = keyof typeof USERS;

/** Certificates, keys and tokens of one rig, good for a day. */
export type Pki = {
  readonly folder: string;
  readonly ca: string;
  readonly token: (user: UserName) => string;
};

const DAYS = '1';

/** Makes everything secret of a rig in `folder`, which must be private. */
export async function createPki(folder: string): Promise<Pki> {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): Promise<string> => run('openssl', args);
  await openssl('genrsa', '-out', path('sa.key'), '2048');
  await openssl('rsa', '-in', path('sa.key'), '-pubout', '-out', path('sa.pub'));
  const request = ['req', '-newkey', 'rsa:2048', '-nodes'];
  await openssl(
    ...[...request, '-x509', '-days', DAYS, '-subj', '/CN=hakopod test rig'],
    ...['-keyout', path('ca.key'), '-out', path('ca.crt')],
  );
  const sign = async (name: string, subject: string, extension: string): Promise<void> => {
    await writeFile(path(`${name}.ext`), extension);
    await openssl(...request, '-subj', subject, '-keyout', path(`${name}.key`), '-out', path(`${name}.csr`));
    await openssl(
      ...['x509', '-req', '-days', DAYS, '-in', path(`${name}.csr`), '-out', path(`${name}.crt`)],
      ...['-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-CAcreateserial', '-extfile', path(`${name}.ext`)],
    );
  };
  await sign('server', '/CN=kube-apiserver', 'subjectAltName=IP:127.0.0.1,IP:10.96.0.1,DNS:localhost');
  // The API server asks the kubelet for logs, and the kubelet asks who that is.
  await sign('kubelet-client', '/O=system:masters/CN=kube-apiserver', 'extendedKeyUsage=clientAuth');
  const tokens = Object.fromEntries(Object.keys(USERS).map((name) => [name, randomBytes(24).toString('hex')]));
  const rows = Object.entries(USERS).map(([name, { user, groups }]) => `${tokens[name]},${user},${name},${groups}`);
  await writeFile(path('tokens.csv'), `${rows.join('\n')}\n`, { mode: 0o600 });
  return { folder, ca: path('ca.crt'), token: (user) => tokens[user] ?? '' };
}

/** The text of a kubeconfig for one token. */
export function kubeconfigOf(options: {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'rig', cluster: { server: options.server, 'certificate-authority': options.caFile } }],
    users: [{ name: 'user', user: { token: options.token } }],
    contexts: [{ name: 'rig', context: { cluster: 'rig', user: 'user' } }],
    'current-context': 'rig',
  });
}
