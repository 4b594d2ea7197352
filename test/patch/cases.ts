import type { Fields, PatchKind } from '../../src/patch/index.ts';

/** Small objects for the recorded cases, with everything a directive can be about. */
export const OBJECTS: Readonly<Record<PatchKind, Fields>> = {
  deployment: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'api', namespace: 'shop', labels: { app: 'api', tier: 'back' }, finalizers: ['a', 'b', 'c'] },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
      template: {
        spec: {
          nodeSelector: { pool: 'fast' },
          tolerations: [{ key: 'one', operator: 'Exists' }],
          volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory' } }],
          containers: [
            {
              name: 'app',
              image: 'api:1',
              args: ['--a', '--b', '--c'],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
                { name: 'C', value: '3' },
              ],
              ports: [{ name: 'service', containerPort: 53, protocol: 'TCP' }],
              resources: { limits: { cpu: '1', memory: '1Gi' } },
            },
            {
              name: 'sidecar',
              image: 'side:1',
              ports: [
                { name: 'tcp', containerPort: 53, protocol: 'TCP' },
                { name: 'web', containerPort: 80 },
                { name: 'udp', containerPort: 53, protocol: 'UDP' },
              ],
            },
          ],
        },
      },
    },
  },
  service: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'api', namespace: 'shop', labels: { app: 'api' } },
    spec: {
      type: 'ClusterIP',
      selector: { app: 'api' },
      ports: [
        { name: 'dns', port: 53, protocol: 'TCP', targetPort: 53 },
        { name: 'admin', port: 9100, protocol: 'TCP', targetPort: 9100 },
      ],
    },
  },
  ingress: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'api', namespace: 'shop', annotations: { 'haproxy.org/check': 'true' } },
    spec: {
      ingressClassName: 'haproxy',
      tls: [{ hosts: ['a.example.com'], secretName: 'tls' }],
      rules: [{ host: 'a.example.com' }, { host: 'b.example.com' }],
    },
  },
};

/** Patches of pods: the specification of the pod alone, and of the container `app` alone. */
const pod = (text: string): string => `spec:\n  template:\n    spec:\n${text.replace(/^/gm, '      ')}`;
const app = (text: string): string => pod(`containers:\n- name: app\n${text.replace(/^/gm, '  ')}`);

export type Case = { readonly title: string; readonly kind: PatchKind; readonly text: string };

function named(kind: PatchKind, texts: Readonly<Record<string, string>>): readonly Case[] {
  return Object.entries(texts).map(([title, text]) => ({ title, kind, text }));
}

/** What every part of the format does, each in one patch. kubectl's answers are recorded in test/golden/patch. */
export const CASES: readonly Case[] = [
  ...named('service', {
    'UDP 53 where TCP 53 exists': 'spec: {ports: [{name: dns-udp, port: 53, protocol: UDP, targetPort: 53}]}',
    'UDP 53 beside TCP 53, both in the patch':
      'spec: {ports: [{name: dns, port: 53, protocol: TCP}, {name: dns-udp, port: 53, protocol: UDP}]}',
    'a new port goes first': 'spec: {ports: [{name: more, port: 81}]}',
    'a port after one that is there': 'spec: {ports: [{port: 9100}, {name: more, port: 81}]}',
    'a port is deleted': 'spec: {ports: [{port: 53, $patch: delete}]}',
    'a port that is not there is deleted': 'spec: {ports: [{port: 1, $patch: delete}]}',
    'the ports are replaced': 'spec: {ports: [{$patch: replace}, {name: only, port: 81}]}',
    'the ports are ordered': 'spec: {$setElementOrder/ports: [{port: 9100}, {port: 53}]}',
    'a deleted port, a new one and an order':
      'spec: {$setElementOrder/ports: [{port: 81}, {port: 9100}], ports: [{name: more, port: 81}, {port: 53, $patch: delete}]}',
    'an order that leaves one out': 'spec: {$setElementOrder/ports: [{port: 81}], ports: [{name: more, port: 81}]}',
    'an order that does not name what is set':
      'spec: {$setElementOrder/ports: [{port: 53}], ports: [{name: more, port: 81}]}',
    'no ports': 'spec: {ports: null}',
    'an empty list of ports': 'spec: {ports: []}',
    'a selector merges': 'spec: {selector: {tier: front}}',
    'a selector is replaced': 'spec: {selector: {$patch: replace, tier: front}}',
    'a selector is deleted': 'spec: {selector: {$patch: delete}}',
    'only some keys are kept': 'spec: {$retainKeys: [type, sessionAffinity], sessionAffinity: ClientIP}',
    'a key that is set is not kept': 'spec: {$retainKeys: [type], sessionAffinity: ClientIP}',
    'a key that goes need not be kept': 'spec: {$retainKeys: [type, ports], selector: null}',
    'a directive below a replacement stays':
      'spec: {selector: {$patch: replace, $retainKeys: [a]}, ports: [{$patch: replace}, {port: 1, $setElementOrder/x: []}]}',
    'an object that says $patch below a replacement stays': 'spec: {$patch: replace, selector: {$patch: delete}}',
    'an empty patch': '{}',
  }),
  ...named('ingress', {
    'annotations merge': 'metadata: {annotations: {haproxy.org/timeout-server: 120s, haproxy.org/check: null}}',
    'rules are replaced as a whole': 'spec: {rules: [{host: c.example.com}]}',
    'tls goes': 'spec: {tls: null}',
  }),
  ...named('deployment', {
    'tolerations are replaced as a whole': pod('tolerations: [{key: dedicated, operator: Equal, value: api}]'),
    'a node selector merges': pod('nodeSelector: {disk: ssd}'),
    'a volume gets another source': pod(
      'volumes: [{name: scratch, $retainKeys: [name, downwardAPI], downwardAPI: {items: []}}]',
    ),
    'a volume is merged without $retainKeys': pod('volumes: [{name: scratch, downwardAPI: {items: []}}]'),
    'a new volume goes first': pod('volumes: [{name: more, emptyDir: {}}]'),
    'a strategy of another type': 'spec: {strategy: {$retainKeys: [type], type: Recreate}}',
    'an affinity where none is': pod('affinity: {nodeAffinity: {$patch: replace}}'),
    'nulls in a new object vanish': pod('dnsConfig: {nameservers: null, options: [{name: ndots, value: null}]}'),
    'nulls in a replaced list stay': pod('tolerations: [{key: one, value: null}]'),
    'containers change places': pod('$setElementOrder/containers: [{name: sidecar}, {name: app}]'),
    'a container is renamed: it is another one': pod('containers: [{name: renamed, image: x}]'),
    'a container twice': pod('containers: [{name: app, image: x}, {name: app, image: y}]'),
    'a container is replaced': pod('containers: [{name: app, $patch: replace, image: x}]'),
    'an environment variable is set, added and deleted': app(
      'env: [{name: B, value: two}, {name: D, value: "4"}, {name: A, $patch: delete}]',
    ),
    'the environment in another order': app(
      '$setElementOrder/env: [{name: C}, {name: D}, {name: A}]\nenv: [{name: D, value: "4"}]',
    ),
    'a deletion and an order of the environment': app(
      '$setElementOrder/env: [{name: D}]\nenv: [{name: D, value: "4"}, {name: A, $patch: delete}]',
    ),
    'an element deleted and set anew': app('env: [{name: C, $patch: delete}, {name: C, value: "4"}]'),
    'two ports of one number, patched': pod('containers: [{name: sidecar, ports: [{containerPort: 53, name: dns}]}]'),
    'two ports of one number behind another': pod(
      'containers: [{name: sidecar, $setElementOrder/ports: [{containerPort: 80}, {containerPort: 53}]}]',
    ),
    'two ports of one number before a new one': pod(
      'containers: [{name: sidecar, ports: [{containerPort: 80}, {containerPort: 81}]}]',
    ),
    'two ports of one number, deleted': pod(
      'containers: [{name: sidecar, ports: [{containerPort: 53, $patch: delete}]}]',
    ),
    'an order for a list without elements': app('$setElementOrder/volumeMounts: []'),
    'a directive inside a new container stays': pod('containers: [{name: new, env: [{name: A, $patch: delete}]}]'),
    'arguments are replaced as a whole': app('args: [--d]'),
    'arguments are taken out': app('$deleteFromPrimitiveList/args: [--a, --z]'),
    'finalizers are a set': 'metadata: {finalizers: [c, d]}',
    'finalizers are taken out': 'metadata: {$deleteFromPrimitiveList/finalizers: [b]}',
    'finalizers are ordered': 'metadata: {$setElementOrder/finalizers: [c, d, a], finalizers: [d]}',
    'UDP 53 where the container has TCP 53': app('ports: [{name: udp, containerPort: 53, protocol: UDP}]'),
    'a limit merges': app('resources: {limits: {memory: 2Gi}, requests: {cpu: 100m}}'),
    'a number for a quantity': app('resources: {limits: {cpu: 2}}'),
    'YAML that people write':
      'metadata: {labels: &l {on: "yes", 1: one}, annotations: *l}\nspec: {paused: yes, replicas: 010}',
    'a merge key': 'metadata: {labels: {<<: {app: other, team: blue}, app: mine}}',
    'a merge key after the fact': 'metadata: {labels: {app: mine, <<: {app: other, team: blue}}}',
  }),
];
