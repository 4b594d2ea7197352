import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { createPki, kubeconfigOf, type Pki, type UserName } from './pki.ts';
import { freePorts, type Processes } from './processes.ts';

/** A running control plane. */
export type ControlPlane = {
  readonly server: string;
  readonly pki: Pki;
  /** Path of a kubeconfig for one of the built-in users. */
  kubeconfig(user: UserName): string;
  /** One JSON request as the administrator; answers status and body. */
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Metadata of every request the installation's service accounts made, one JSON line each. */
  readonly auditLog: string;
};

export type ControlPlaneOptions = {
  readonly folder: string;
  readonly binary: string;
  readonly processes: Processes;
  /** What the API server tells pods to call it by. Not reached by our pods, but it may not be loopback. */
  readonly address: string;
};

/** Only what service accounts outside kube-system ask: the controllers of the control plane would drown it. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
    { level: 'None' },
  ],
};

const USERS: readonly UserName[] = ['admin', 'controller-manager', 'scheduler', 'node'];

/** Starts etcd, the API server, the controller manager and the scheduler on loopback; resolves when the API server is ready. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, binary, processes } = options;
  const pki = await createPki(join(folder, 'pki'));
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  const etcd = `http://127.0.0.1:${etcdPort}`;
  const server = `https://127.0.0.1:${port}`;
  const kubeconfig = (user: UserName): string => join(folder, `${user}.kubeconfig`);
  for (const user of USERS) {
    const text = kubeconfigOf({ server, caFile: pki.ca, token: pki.token(user) });
    await writeFile(kubeconfig(user), text, { mode: 0o600 });
  }
  const auditLog = join(folder, 'log', 'audit.jsonl');
  await writeFile(join(folder, 'audit.json'), JSON.stringify(AUDIT_POLICY));

  processes.start('etcd', 'etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    // Nothing of a test has to survive a power cut, and fsync is most of etcd's time.
    '--unsafe-no-fsync',
  ]);
  const file = (name: string): string => join(pki.folder, name);
  processes.start('kube-apiserver', binary, [
    'kube-apiserver',
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--advertise-address=${options.address}`,
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--client-ca-file=${pki.ca}`,
    `--token-auth-file=${file('tokens.csv')}`,
    `--kubelet-client-certificate=${file('kubelet-client.crt')}`,
    `--kubelet-client-key=${file('kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // Who may be privileged is for Pod Security to say, as in any cluster.
    '--allow-privileged=true',
    `--audit-policy-file=${join(folder, 'audit.json')}`,
    `--audit-log-path=${auditLog}`,
  ]);
  const call = caller(server, pki);
  await processes.ready('kube-apiserver', 90_000, async () => (await call('GET', '/readyz')).status === 200);
  const client = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=1000'];
  processes.start('kube-controller-manager', binary, [
    'kube-controller-manager',
    `--kubeconfig=${kubeconfig('controller-manager')}`,
    '--use-service-account-credentials',
    `--service-account-private-key-file=${file('sa.key')}`,
    `--root-ca-file=${pki.ca}`,
    ...client,
  ]);
  processes.start('kube-scheduler', binary, ['kube-scheduler', `--kubeconfig=${kubeconfig('scheduler')}`, ...client]);
  await processes.ready('kube-controller-manager', 60_000, async () => {
    const account = await call('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    return account.status === 200;
  });
  return { server, pki, kubeconfig, call, auditLog };
}

function caller(server: string, pki: Pki): ControlPlane['call'] {
  const ca = readFileSync(pki.ca);
  const authorization = `Bearer ${pki.token('admin')}`;
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' };
      const sent = request(`${server}${path}`, { method, ca, headers, timeout: 10_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer within 10 s')));
      sent.on('error', reject);
      sent.end(payload);
    });
}
