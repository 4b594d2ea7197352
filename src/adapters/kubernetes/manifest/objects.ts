import { MANAGED_BY, type Manifest } from '../../../kernel/index.ts';
import { DEPLOY_RULES, IDENTITY_RULES, READ_RULES, type Rule } from './rules.ts';

/** The name of everything in the file, and of the namespace it lives in. */
const OPERATIONS = 'hakopod-operations';

const LABELS = { 'app.kubernetes.io/name': OPERATIONS, ...MANAGED_BY };
const RBAC = 'rbac.authorization.k8s.io';
const USER = 65_532;

/** The namespace, the account, and what it may do: cluster-wide reading, its identity, and each granted namespace. */
export function permissionObjects(namespaces: readonly string[]): readonly Manifest[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATIONS, labels: LABELS } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: OPERATIONS, namespace: OPERATIONS, labels: LABELS } },
    ...bound(`${OPERATIONS}-read`, READ_RULES),
    ...bound(`${OPERATIONS}-identity`, IDENTITY_RULES, OPERATIONS),
    ...namespaces.flatMap((namespace) => bound(`${OPERATIONS}-deploy`, DEPLOY_RULES, namespace)),
  ];
}

/** A role and its binding to the account; of the cluster without a namespace. */
function bound(name: string, rules: readonly Rule[], namespace?: string): readonly Manifest[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: LABELS };
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind,
      metadata,
      rules: rules.map(({ group, resources, verbs, names }) => ({
        apiGroups: [group],
        resources,
        ...(names === undefined ? {} : { resourceNames: names }),
        verbs,
      })),
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ kind: 'ServiceAccount', name: OPERATIONS, namespace: OPERATIONS }],
    },
  ];
}

/** What the process enrols with; to be deleted once that is done. */
export function enrolmentSecret(link: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${OPERATIONS}-enrolment`, namespace: OPERATIONS, labels: LABELS },
    type: 'Opaque',
    stringData: { link },
  };
}

/** The process itself: one at a time, because two would share one identity; without rights on its node. */
export function operationsDeployment(image: string): Manifest {
  const selector = { 'app.kubernetes.io/name': OPERATIONS };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATIONS, namespace: OPERATIONS, labels: LABELS },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: OPERATIONS,
          automountServiceAccountToken: true,
          // Kubernetes would add HAKOPOD_ variables for Services of that name, and unknown ones are refused.
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER,
            runAsGroup: USER,
            fsGroup: USER,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'hakopod',
              image,
              args: ['serve'],
              env: [
                { name: 'HAKOPOD_NAMESPACE', value: OPERATIONS },
                {
                  name: 'HAKOPOD_REDIS_URL',
                  valueFrom: { secretKeyRef: { name: 'hakopod-redis', key: 'url' } },
                },
              ],
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
              volumeMounts: [
                { name: 'enrolment', mountPath: '/etc/hakopod', readOnly: true },
                { name: 'scratch', mountPath: '/var/lib/hakopod' },
              ],
            },
          ],
          volumes: [
            // 0440
            { name: 'enrolment', secret: { secretName: `${OPERATIONS}-enrolment`, optional: true, defaultMode: 288 } },
            { name: 'scratch', emptyDir: {} },
          ],
        },
      },
    },
  };
}
