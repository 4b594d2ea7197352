import type { Finding } from '../cli/index.ts';
import { describe } from '../kernel/index.ts';
import type { Cluster } from '../ports/index.ts';

type Right = { readonly group: string; readonly resource: string; readonly verbs: readonly string[] };
const right = (group: string, resource: string, ...verbs: string[]): Right => ({ group, resource, verbs });

/** What a server and a worker do in the control namespace: what the chart's roles give, once. */
const CONTROL: readonly Right[] = [
  right('hakopod.io', 'applications', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'gitsources', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'gitrepositories', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'releases', 'list', 'watch', 'create', 'delete'),
  right('hakopod.io', 'projects', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'identities', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'roles', 'list', 'watch', 'create', 'update', 'delete'),
  right('hakopod.io', 'settings', 'list', 'watch', 'create', 'update'),
  right('hakopod.io', 'auditrecords', 'list', 'create', 'delete'),
  right('', 'secrets', 'get', 'list', 'watch', 'create', 'update', 'delete'),
  right('coordination.k8s.io', 'leases', 'get', 'create', 'update'),
];

/** What a worker does in every application's namespace. */
const APPLICATIONS: readonly Right[] = [
  right('', 'namespaces', 'get', 'create', 'patch'),
  right('', 'resourcequotas', 'list', 'create', 'patch'),
  right('', 'persistentvolumeclaims', 'list', 'create', 'patch'),
  right('', 'services', 'list', 'create', 'patch', 'delete'),
  right('', 'secrets', 'list', 'create', 'patch', 'delete'),
  right('', 'configmaps', 'list', 'create', 'patch', 'delete'),
  right('', 'pods', 'list', 'watch'),
  right('apps', 'deployments', 'list', 'watch', 'create', 'patch', 'delete'),
  right('batch', 'jobs', 'list', 'watch', 'create', 'patch', 'delete'),
  right('batch', 'cronjobs', 'list', 'create', 'patch', 'delete'),
  right('networking.k8s.io', 'networkpolicies', 'list', 'create', 'patch', 'delete'),
  right('networking.k8s.io', 'ingresses', 'list', 'create', 'patch', 'delete'),
  right('autoscaling', 'horizontalpodautoscalers', 'list', 'create', 'patch', 'delete'),
];

/** What the preflight of server and worker reads. */
const CAPACITY: readonly Right[] = [
  right('', 'nodes', 'list'),
  right('', 'pods', 'list'),
  right('', 'persistentvolumeclaims', 'list'),
  right('', 'persistentvolumes', 'get'),
  right('storage.k8s.io', 'storageclasses', 'list'),
];

/** Asks the API server, for the identity of the kubeconfig, about each right that a server and a worker need. */
export async function rights(cluster: Cluster, namespace: string): Promise<readonly Finding[]> {
  return [
    await finding(cluster, { what: 'rights in the control namespace', needed: CONTROL, namespace }),
    await finding(cluster, { what: 'rights on applications', needed: APPLICATIONS, namespace: undefined }),
    await finding(cluster, { what: 'rights to see capacity', needed: CAPACITY, namespace: undefined }),
  ];
}

type Asked = { readonly what: string; readonly needed: readonly Right[]; readonly namespace: string | undefined };

async function finding(cluster: Cluster, { what, needed, namespace }: Asked): Promise<Finding> {
  const missing: string[] = [];
  for (const { group, resource, verbs } of needed) {
    const answers = await Promise.all(
      verbs.map(async (verb) => ({ verb, allowed: await isAllowed(cluster, { group, resource, verb, namespace }) })),
    );
    const unknown = answers.find(({ allowed }) => typeof allowed === 'string');
    if (unknown !== undefined) return { what, ok: false, detail: `can not be asked for: ${String(unknown.allowed)}` };
    const denied = answers.filter(({ allowed }) => allowed === false).map(({ verb }) => verb);
    if (denied.length > 0) missing.push(`${denied.join(', ')} ${resource}${group === '' ? '' : `.${group}`}`);
  }
  return missing.length === 0
    ? { what, ok: true, detail: 'complete' }
    : { what, ok: false, detail: `missing: ${missing.join('; ')}; install charts/hakopod, which grants them` };
}

type Question = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace: string | undefined;
};

/** Whether it may; why that is not known, as text. */
async function isAllowed(cluster: Cluster, question: Question): Promise<boolean | string> {
  const { namespace, ...attributes } = question;
  const review = await cluster.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: { name: '' },
    spec: { resourceAttributes: { ...attributes, ...(namespace === undefined ? {} : { namespace }) } },
  });
  if (!review.ok) return describe(review.problem);
  return (review.value.status as { readonly allowed?: boolean } | undefined)?.allowed === true;
}
