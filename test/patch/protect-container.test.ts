import { describe, expect, it } from 'vitest';
import {
  APP,
  add,
  base,
  both,
  boundDeployment,
  type Case,
  drop,
  type Loose,
  POD,
  POD_APP,
  put,
  refusedFields,
  turn,
} from './protect-fixture.ts';

const SECRET_REF = { secretKeyRef: { name: 'api-environment-0123456789abcdef', key: 'SIGNING' } };

const CONTAINERS: readonly Case[] = [
  ['one more', add(`${POD}.containers`, { name: 'extra', image: 'x' }), [`${POD}.containers`]],
  ['one less', drop(`${POD}.containers.0`), [`${POD}.containers`]],
  ['another name', put(`${POD_APP}.name`, 'main'), [`${POD}.containers`]],
  ['no name', drop(`${POD_APP}.name`), [`${POD}.containers[0]`]],
  ['the same twice', (o) => add(`${POD}.containers`, structuredClone(o.spec.template.spec.containers[0]))(o), [APP]],
  ['an init container', put(`${POD}.initContainers`, [{ name: 'i', image: 'x' }]), [`${POD}.initContainers`]],
  [
    'a mount over everything',
    both(
      add(`${POD}.volumes`, { name: 'mine', emptyDir: {} }),
      add(`${POD_APP}.volumeMounts`, { name: 'mine', mountPath: '/..' }),
    ),
    [`${APP}.volumeMounts[/..]`],
  ],
  ['no init containers', drop(`${POD}.initContainers`), []],
];

const STAY = {
  image: 'registry.example.com/api:1',
  imagePullPolicy: 'Always',
  command: ['/bin/sh'],
  args: ['-c', 'x'],
  workingDir: '/',
  envFrom: [{ secretRef: { name: 'x' } }],
  volumeDevices: [{ name: 'x', devicePath: '/dev/x' }],
  restartPolicy: 'Always',
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  stdin: true,
  stdinOnce: true,
  tty: true,
  aFieldOfALaterVersion: 1,
};
const SECURITY = {
  privileged: true,
  runAsNonRoot: false,
  runAsUser: 0,
  runAsGroup: 0,
  allowPrivilegeEscalation: true,
  capabilities: { add: ['NET_ADMIN'] },
  seccompProfile: { type: 'Unconfined' },
  appArmorProfile: { type: 'Unconfined' },
  readOnlyRootFilesystem: true,
  procMount: 'Unmasked',
};
const FIELDS: readonly Case[] = [
  ...Object.entries(STAY).map(
    ([field, value]): Case => [field, put(`${POD_APP}.${field}`, value), [`${APP}.${field}`]],
  ),
  ...Object.entries(SECURITY).map(([field, value]): Case => {
    return [field, put(`${POD_APP}.securityContext.${field}`, value), [`${APP}.securityContext`]];
  }),
  ['no security context', drop(`${POD_APP}.securityContext`), [`${APP}.securityContext`]],
  ['no capabilities more', put(`${POD_APP}.securityContext.capabilities.add`, null), []],
  ['no variables from elsewhere', put(`${POD_APP}.envFrom`, []), []],
  ['where it says why it ended', put(`${POD_APP}.terminationMessagePath`, '/tmp/why'), []],
  ['how it says why it ended', put(`${POD_APP}.terminationMessagePolicy`, 'FallbackToLogsOnError'), []],
];

const SIGNING = 3;
const ENV: readonly Case[] = [
  ['a variable', add(`${POD_APP}.env`, { name: 'A', value: '$(SIGNING)' }), []],
  [
    'a field of the pod',
    add(`${POD_APP}.env`, { name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }),
    [],
  ],
  ['a resource', add(`${POD_APP}.env`, { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }), []],
  ['a Secret', add(`${POD_APP}.env`, { name: 'A', valueFrom: SECRET_REF }), [`${APP}.env[A].valueFrom.secretKeyRef`]],
  [
    'a ConfigMap',
    add(`${POD_APP}.env`, { name: 'A', valueFrom: { configMapKeyRef: { name: 'x', key: 'y' } } }),
    [`${APP}.env[A].valueFrom.configMapKeyRef`],
  ],
  [
    'a file',
    add(`${POD_APP}.env`, { name: 'A', valueFrom: { fileKeyRef: { volumeName: 'x' } } }),
    [`${APP}.env[A].valueFrom.fileKeyRef`],
  ],
  [
    'a later source',
    add(`${POD_APP}.env`, { name: 'A', valueFrom: { later: 'x' } }),
    [`${APP}.env[A].valueFrom.later`],
  ],
  ['a plain one of ours', put(`${POD_APP}.env.1.value`, 'debug'), []],
  ['a plain one of ours removed', drop(`${POD_APP}.env.1`), []],
  [
    'a plain one of ours to a Secret',
    put(`${POD_APP}.env.1`, { name: 'LOG_LEVEL', valueFrom: SECRET_REF }),
    [`${APP}.env[LOG_LEVEL].valueFrom.secretKeyRef`],
  ],
  ['a secret one removed', drop(`${POD_APP}.env.${SIGNING}`), [`${APP}.env[SIGNING]`]],
  ['a secret one as text', put(`${POD_APP}.env.${SIGNING}`, { name: 'SIGNING', value: 'x' }), [`${APP}.env[SIGNING]`]],
  ['text beside its source', put(`${POD_APP}.env.${SIGNING}.value`, 'x'), [`${APP}.env[SIGNING]`]],
  ['another key', put(`${POD_APP}.env.${SIGNING}.valueFrom.secretKeyRef.key`, 'DATABASE_URL'), [`${APP}.env[SIGNING]`]],
  ['an optional one', put(`${POD_APP}.env.${SIGNING}.valueFrom.secretKeyRef.optional`, true), [`${APP}.env[SIGNING]`]],
  ['a secret one twice', add(`${POD_APP}.env`, { name: 'SIGNING', value: 'x' }), [`${APP}.env[SIGNING]`]],
  ['a new one twice', add(`${POD_APP}.env`, { name: 'A', value: '1' }, { name: 'A', value: '2' }), [`${APP}.env[A]`]],
  ['another order', turn(`${POD_APP}.env`), []],
  ['no name', add(`${POD_APP}.env`, { value: 'x' }), [`${APP}.env[4]`]],
  ['all gone', drop(`${POD_APP}.env`), [`${APP}.env[DATABASE_URL]`, `${APP}.env[SIGNING]`]],
  [
    'a name that is no name',
    add(`${POD_APP}.env`, { name: 'a\nb', valueFrom: SECRET_REF }),
    [`${APP}.env[…].valueFrom.secretKeyRef`],
  ],
];

const RESOURCES: readonly Case[] = [
  ['limits', put(`${POD_APP}.resources.limits`, { cpu: '2', memory: '1Gi', 'ephemeral-storage': '1Gi' }), []],
  ['requests', put(`${POD_APP}.resources.requests.cpu`, '2'), []],
  ['no resources', drop(`${POD_APP}.resources`), []],
  [
    'a GPU',
    put([...POD_APP.split('.'), 'resources', 'limits', 'nvidia.com/gpu'], '1'),
    [`${APP}.resources.limits[nvidia.com/gpu]`],
  ],
  ['huge pages', put(`${POD_APP}.resources.requests.hugepages-2Mi`, '1'), [`${APP}.resources.requests[hugepages-2Mi]`]],
  ['claims', put(`${POD_APP}.resources.claims`, [{ name: 'x' }]), [`${APP}.resources.claims`]],
  ['a later field', put(`${POD_APP}.resources.later`, { cpu: '1' }), [`${APP}.resources.later`]],
];

const HEADERS = [{ name: 'Host', value: 'example.com' }];
const PROBES: readonly Case[] = ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe): Case[] => [
  [
    `${probe} http`,
    put(`${POD_APP}.${probe}`, { httpGet: { path: '/', port: 80, httpHeaders: HEADERS }, periodSeconds: 9 }),
    [],
  ],
  [`${probe} tcp`, put(`${POD_APP}.${probe}`, { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 3 }), []],
  [`${probe} grpc`, put(`${POD_APP}.${probe}`, { grpc: { port: 80, service: 'x' }, failureThreshold: 3 }), []],
  [`${probe} exec`, put(`${POD_APP}.${probe}`, { exec: { command: ['true'] }, initialDelaySeconds: 3 }), []],
  [`no ${probe}`, put(`${POD_APP}.${probe}`, null), []],
  [
    `${probe} elsewhere`,
    put(`${POD_APP}.${probe}`, { httpGet: { host: '10.0.0.1', port: 80 } }),
    [`${APP}.${probe}.httpGet.host`],
  ],
  [
    `${probe} tcp elsewhere`,
    put(`${POD_APP}.${probe}`, { tcpSocket: { host: 'localhost', port: 80 } }),
    [`${APP}.${probe}.tcpSocket.host`],
  ],
  [
    `${probe} grpc elsewhere`,
    put(`${POD_APP}.${probe}`, { grpc: { host: 'x', port: 80 } }),
    [`${APP}.${probe}.grpc.host`],
  ],
  [`${probe} by a later handler`, put(`${POD_APP}.${probe}`, { udp: { host: 'x' } }), [`${APP}.${probe}.udp`]],
]);
const HOOKS: readonly Case[] = ['postStart', 'preStop'].flatMap((hook): Case[] => [
  [`${hook} exec`, put(`${POD_APP}.lifecycle.${hook}`, { exec: { command: ['true'] } }), []],
  [`${hook} sleep`, put(`${POD_APP}.lifecycle.${hook}`, { sleep: { seconds: 3 } }), []],
  [`${hook} http`, put(`${POD_APP}.lifecycle.${hook}`, { httpGet: { port: 'service' } }), []],
  [
    `${hook} elsewhere`,
    put(`${POD_APP}.lifecycle.${hook}.httpGet`, { host: 'x', port: 1 }),
    [`${APP}.lifecycle.${hook}.httpGet.host`],
  ],
  [
    `${hook} tcp elsewhere`,
    put(`${POD_APP}.lifecycle.${hook}.tcpSocket`, { host: 'x', port: 1 }),
    [`${APP}.lifecycle.${hook}.tcpSocket.host`],
  ],
]);

const PORTS: readonly Case[] = [
  ['a port', add(`${POD_APP}.ports`, { name: 'metrics', containerPort: 9500 }), []],
  ['the same number in another protocol', add(`${POD_APP}.ports`, { containerPort: 9000, protocol: 'UDP' }), []],
  ['another name for ours', put(`${POD_APP}.ports.0.name`, 'main'), []],
  ['ours in another protocol', put(`${POD_APP}.ports.0.protocol`, 'UDP'), []],
  ['none', put(`${POD_APP}.ports`, []), []],
  ['a port of the node', add(`${POD_APP}.ports`, { containerPort: 1, hostPort: 80 }), [`${APP}.ports[2].hostPort`]],
  ['ours on the node', put(`${POD_APP}.ports.0.hostPort`, 80), [`${APP}.ports[0].hostPort`]],
  ['an address of the node', put(`${POD_APP}.ports.0.hostIP`, '0.0.0.0'), [`${APP}.ports[0].hostIP`]],
  ['the same twice', add(`${POD_APP}.ports`, { containerPort: 9000, protocol: 'TCP' }), [`${APP}.ports[2]`]],
  ['the same by default', add(`${POD_APP}.ports`, { containerPort: 9000 }), [`${APP}.ports[2]`]],
];

const MINE = add(`${POD}.volumes`, { name: 'mine', emptyDir: {} });
const mount = (mountPath: string, more: object = {}): ((object: Loose) => void) =>
  both(MINE, add(`${POD_APP}.volumeMounts`, { name: 'mine', mountPath, ...more }));
const at = (path: string): readonly string[] => [`${APP}.volumeMounts[${path}]`];
const HIDING = [
  '/data',
  '/data/',
  '/data/cache',
  '/./data',
  'data',
  '//data/x',
  '/cache/../data',
  '/etc/app',
  '/etc/app/config.yaml',
  '/dev',
  '/',
];
const SECRETS = ['/var/run/secrets', '/var/run/secrets/', '/var/run/secrets/kubernetes.io', 'run/secrets/x'];
const MOUNTS: readonly Case[] = [
  ['a volume of the patch', mount('/cache', { readOnly: true, subPath: 'x' }), []],
  ['beside ours', mount('/data-2'), []],
  ['the run directory', mount('/var/run'), []],
  ...[...HIDING, ...SECRETS].map(
    (path): Case => [`hiding ${path}`, mount(path), at(path.includes('..') ? path : path)],
  ),
  ['a volume of ours', add(`${POD_APP}.volumeMounts`, { name: 'data', mountPath: '/again' }), at('/again')],
  ['no volume at all', add(`${POD_APP}.volumeMounts`, { name: 'nothing', mountPath: '/x' }), at('/x')],
  ['a later field', mount('/x', { later: true }), [`${APP}.volumeMounts[/x].later`]],
  ['ours in another place', put(`${POD_APP}.volumeMounts.0.mountPath`, '/x'), [...at('/data'), ...at('/x')]],
  ['ours read-only', put(`${POD_APP}.volumeMounts.0.readOnly`, true), at('/data')],
  ['ours of another volume', both(MINE, put(`${POD_APP}.volumeMounts.0.name`, 'mine')), at('/data')],
  [
    'the same place twice',
    both(mount('/x'), add(`${POD_APP}.volumeMounts`, { name: 'mine', mountPath: '/x/' })),
    at('/x/'),
  ],
  ['a message over ours', put(`${POD_APP}.terminationMessagePath`, '/data/x'), [`${APP}.terminationMessagePath`]],
  [
    'a message over secrets',
    put(`${POD_APP}.terminationMessagePath`, '/run/secrets/t'),
    [`${APP}.terminationMessagePath`],
  ],
];

describe.each([
  ['containers', base, CONTAINERS],
  ['fields of a container', base, FIELDS],
  ['environment', base, ENV],
  ['resources', base, RESOURCES],
  ['probes', base, PROBES],
  ['hooks', base, HOOKS],
  ['container ports', base, PORTS],
  ['mounts', boundDeployment, MOUNTS],
] as const)('protect: %s', (_title, make, cases) => {
  it.each(cases)('%s', (_name, change, refused) => {
    expect(refusedFields('deployment', make('deployment'), change)).toEqual(refused);
  });
});
