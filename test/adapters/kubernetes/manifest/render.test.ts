import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  manifestFileName,
  renderEnrolment,
  renderPermissions,
} from '../../../../src/adapters/kubernetes/manifest/index.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';

const IMAGE = `registry.example.com:5000/hakopod/hakopod:1.2@sha256:${'a'.repeat(64)}`;
const LINK = 'https://hakopod.example.com/enrol#token-of-the-link';
const INPUT = { name: 'Prod "east"\nkind: Evil', image: IMAGE, link: LINK, namespaces: ['blog', 'shop'] };

function objectsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
}

type Rules = readonly {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}[];

/** `verbs group/resources [names]`, one line a rule. */
function lines(role: Manifest | undefined): readonly string[] {
  return ((role?.rules ?? []) as Rules).map(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      `${verbs.join(',')} ${apiGroups.join(',')}/${resources.join(',')}${resourceNames === undefined ? '' : ` ${resourceNames.join(',')}`}`,
  );
}

describe('the enrolment file', () => {
  const text = must(renderEnrolment(INPUT));
  const objects = objectsOf(text);
  const find = (kind: string, name: string, namespace?: string): Manifest | undefined =>
    objects.find((o) => o.kind === kind && o.metadata.name === name && o.metadata.namespace === namespace);

  it(`${shows('manifest', 'strict')} has every object, in order, labelled`, () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)).toEqual([
      'Namespace -/hakopod-operations',
      'ServiceAccount hakopod-operations/hakopod-operations',
      'ClusterRole -/hakopod-operations-read',
      'ClusterRoleBinding -/hakopod-operations-read',
      'Role hakopod-operations/hakopod-operations-identity',
      'RoleBinding hakopod-operations/hakopod-operations-identity',
      'Role blog/hakopod-operations-deploy',
      'RoleBinding blog/hakopod-operations-deploy',
      'Role shop/hakopod-operations-deploy',
      'RoleBinding shop/hakopod-operations-deploy',
      'Secret hakopod-operations/hakopod-operations-enrolment',
      'Deployment hakopod-operations/hakopod-operations',
    ]);
    for (const { metadata } of objects)
      expect(metadata.labels).toEqual({
        'app.kubernetes.io/name': 'hakopod-operations',
        'app.kubernetes.io/managed-by': 'hakopod',
      });
  });

  it(`${shows('manifest', 'rules', 'no_wildcard')} grants exactly these rules`, () => {
    expect(lines(find('ClusterRole', 'hakopod-operations-read'))).toEqual([
      'get,list /namespaces,nodes,pods,pods/log,events,services,persistentvolumeclaims',
      'get,list apps/deployments,statefulsets,daemonsets',
      'get,list storage.k8s.io/storageclasses',
      'create authorization.k8s.io/selfsubjectaccessreviews',
    ]);
    expect(lines(find('Role', 'hakopod-operations-identity', 'hakopod-operations'))).toEqual([
      'get,create /secrets',
      'update /secrets hakopod-identity',
      'get,create,update coordination.k8s.io/leases',
    ]);
    for (const namespace of ['blog', 'shop'])
      expect(lines(find('Role', 'hakopod-operations-deploy', namespace))).toEqual([
        'get,list,create,update,patch,delete apps/deployments',
        'get,list,patch,update,delete apps/statefulsets,daemonsets',
        'get,list,create,update,patch,delete /services,configmaps',
        'get,create,update,patch,delete /secrets',
        'get,list,create /persistentvolumeclaims',
        'delete /pods',
        'get,create /pods/exec',
      ]);
    const all = objects.flatMap((object) => (object.rules as Rules | undefined) ?? []);
    for (const { apiGroups, resources, verbs } of all) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain('*');
      expect(verbs).not.toContain('watch');
      if (resources.includes('secrets')) expect(verbs).not.toContain('list');
    }
    const subjects = objects.flatMap(({ subjects = [] }) => subjects as object[]);
    for (const subject of subjects)
      expect(subject).toEqual({ kind: 'ServiceAccount', name: 'hakopod-operations', namespace: 'hakopod-operations' });
  });

  it('runs one pod without rights on its node', () => {
    const { spec } = find('Deployment', 'hakopod-operations', 'hakopod-operations') as unknown as {
      readonly spec: {
        readonly replicas: number;
        readonly strategy: object;
        readonly template: { readonly spec: Readonly<Record<string, unknown>> };
      };
    };
    expect([spec.replicas, spec.strategy]).toEqual([1, { type: 'Recreate' }]);
    expect(spec.template.spec).toMatchObject({
      serviceAccountName: 'hakopod-operations',
      automountServiceAccountToken: true,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        fsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          image: IMAGE,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
        },
      ],
      volumes: [
        { secret: { secretName: 'hakopod-operations-enrolment', optional: true, defaultMode: 0o440 } },
        { emptyDir: {} },
      ],
    });
  });

  it(`${shows('manifest', 'token_once', 'odd_names')} holds the token once, and a name can not leave its comment`, () => {
    expect(text.split('token-of-the-link')).toHaveLength(2);
    expect(objects.some(({ kind }) => kind === 'Evil')).toBe(false);
    expect(text.split('\n')[0]).toBe('# Hakopod on the cluster "Prod \\"east\\"\\nkind: Evil".');
    const odd = must(renderPermissions({ name: 'a\u2028b\u0085c', namespaces: [] }));
    expect(odd.split('\n')[0]).toBe('# Hakopod on the cluster "a\\u2028b\\u0085c".');
  });

  it('comes without the Secret, and without the Deployment, to change what is granted', () => {
    const kinds = (more: { readonly image?: string }): readonly string[] =>
      objectsOf(must(renderPermissions({ name: 'x', namespaces: ['shop'], ...more }))).map(({ kind }) => kind);
    expect(kinds({})).not.toContain('Deployment');
    expect(kinds({ image: IMAGE })).toContain('Deployment');
    expect(kinds({ image: IMAGE })).not.toContain('Secret');
  });

  it.each([
    ['name', { name: ' ' }],
    ['image', { image: 'hakopod:1' }],
    ['image', { image: `hakopod@sha256:${'a'.repeat(63)}` }],
    ['link', { link: 'http://hakopod.example.com' }],
    ['link', { link: 'https://' }],
    ['namespaces', { namespaces: ['shop', 'blog'] }],
    ['namespaces', { namespaces: ['shop', 'shop'] }],
    ['namespaces', { namespaces: ['Shop'] }],
    ['namespaces', { namespaces: numbered(33) }],
  ])('refuses %s: %j', (at, change) => {
    expect(renderEnrolment({ ...INPUT, ...change })).toMatchObject({
      ok: false,
      problem: { code: 'invalid_request', at },
    });
  });

  it(`${shows('manifest', 'namespaces_limit')} takes 32 namespaces`, () => {
    expect(renderEnrolment({ ...INPUT, namespaces: numbered(32) }).ok).toBe(true);
  });

  it.each([
    ['Prod (East) 1', 'hakopod-operations-prod-east-1.yaml'],
    ['--', 'hakopod-operations-cluster.yaml'],
    ['Überall', 'hakopod-operations-berall.yaml'],
  ])('is called after %s', (name, file) => {
    expect(manifestFileName(name)).toBe(file);
  });
});

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `n${String(i).padStart(2, '0')}`);
}
