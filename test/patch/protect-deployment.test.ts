import { describe, expect, it } from 'vitest';
import {
  APP,
  add,
  base,
  both,
  boundDeployment,
  type Case,
  drop,
  POD,
  POD_APP,
  put,
  refusedFields,
  turn,
} from './protect-fixture.ts';

const TOLERATION = { key: 'dedicated', operator: 'Equal', value: 'api', effect: 'NoSchedule' };
const ANTI = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };

const SPEC: readonly Case[] = [
  ['replicas', put('spec.replicas', 5), ['spec.replicas']],
  ['no replicas', drop('spec.replicas'), ['spec.replicas']],
  ['the same replicas', put('spec.replicas', 2), []],
  ['selector', put('spec.selector.matchLabels.x', 'y'), ['spec.selector']],
  ['no match expressions', put('spec.selector.matchExpressions', []), []],
  ['strategy', put('spec.strategy', { type: 'Recreate' }), ['spec.strategy']],
  ['minReadySeconds', put('spec.minReadySeconds', 0), ['spec.minReadySeconds']],
  ['revisionHistoryLimit', put('spec.revisionHistoryLimit', 9), ['spec.revisionHistoryLimit']],
  ['progressDeadlineSeconds', put('spec.progressDeadlineSeconds', 1), ['spec.progressDeadlineSeconds']],
  ['paused', put('spec.paused', true), ['spec.paused']],
  ['a field of a later version', put('spec.rolloutGate', true), ['spec.rolloutGate']],
  ['a field called like the prototype', put('spec.__proto__', { x: 1 }), ['spec.__proto__']],
  ['a field every object inherits', put('spec.constructor', { a: 1 }), ['spec.constructor']],
  ['apiVersion', put('apiVersion', 'apps/v2'), ['apiVersion']],
  ['kind', put('kind', 'DaemonSet'), ['kind']],
  ['status', put('status', { replicas: 1 }), ['status']],
  ['an empty status', put('status', {}), []],
  ['a template of another type', put('spec.template', ['x']), ['spec.template']],
];

const SCHEDULING: readonly Case[] = [
  ['tolerations', add(`${POD}.tolerations`, TOLERATION, { key: 'x', operator: 'Exists', tolerationSeconds: 3 }), []],
  ['a toleration without a key', add(`${POD}.tolerations`, { operator: 'Exists' }), [`${POD}.tolerations[0].key`]],
  ['one with an empty key', add(`${POD}.tolerations`, { key: '', operator: 'Exists' }), [`${POD}.tolerations[0].key`]],
  ["one of Hakopod's taint", add(`${POD}.tolerations`, { key: 'x.HakoPod.io/y' }), [`${POD}.tolerations[0].key`]],
  ['one with a later field', add(`${POD}.tolerations`, { ...TOLERATION, until: 1 }), [`${POD}.tolerations[0].until`]],
  ['one that is text', add(`${POD}.tolerations`, 'all'), [`${POD}.tolerations[0]`]],
  ['a node selector key', put(`${POD}.nodeSelector.pool`, 'fast'), []],
  ['affinity', put(`${POD}.affinity.podAntiAffinity`, ANTI), []],
  ['spread', put(`${POD}.topologySpreadConstraints`, [SPREAD]), []],
  ['a priority class', put(`${POD}.priorityClassName`, 'batch'), []],
  ['the system', put(`${POD}.priorityClassName`, 'system-node-critical'), [`${POD}.priorityClassName`]],
  ['priority', put(`${POD}.priority`, 1), [`${POD}.priority`]],
  ['preemption', put(`${POD}.preemptionPolicy`, 'Never'), [`${POD}.preemptionPolicy`]],
  ['a node', put(`${POD}.nodeName`, 'node-1'), [`${POD}.nodeName`]],
  ['a scheduler', put(`${POD}.schedulerName`, 'mine'), [`${POD}.schedulerName`]],
  ['a scheduling gate', put(`${POD}.schedulingGates`, [{ name: 'x' }]), [`${POD}.schedulingGates`]],
];

const STAY = {
  serviceAccountName: 'admin',
  serviceAccount: 'admin',
  automountServiceAccountToken: true,
  hostNetwork: true,
  hostPID: true,
  hostIPC: true,
  hostUsers: true,
  shareProcessNamespace: true,
  securityContext: { runAsUser: 0 },
  runtimeClassName: 'kata',
  imagePullSecrets: [{ name: 'x' }],
  resourceClaims: [{ name: 'x', resourceClaimName: 'y' }],
  os: { name: 'linux' },
  overhead: { cpu: '1' },
  restartPolicy: 'Never',
  ephemeralContainers: [{ name: 'debug', image: 'x' }],
  hostname: 'x',
  activeDeadlineSeconds: 5,
  resources: { limits: { cpu: '1' } },
  aFieldOfALaterVersion: 'x',
};
const CHANGE = {
  terminationGracePeriodSeconds: 90,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['10.0.0.10'], options: [{ name: 'ndots', value: '1' }] },
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }],
  enableServiceLinks: true,
  readinessGates: [{ conditionType: 'example.com/ready' }],
  // No change at all.
  ephemeralContainers: [],
  imagePullSecrets: null,
  resourceClaims: null,
  overhead: {},
};
const POD_FIELDS: readonly Case[] = [
  ...Object.entries(STAY).map(([field, value]): Case => [field, put(`${POD}.${field}`, value), [`${POD}.${field}`]]),
  ...Object.entries(CHANGE).map(([field, value]): Case => [`allowed ${field}`, put(`${POD}.${field}`, value), []]),
];

const SOURCES = [
  'secret',
  'configMap',
  'projected',
  'hostPath',
  'persistentVolumeClaim',
  'csi',
  'ephemeral',
  'image',
  'later',
];
const ITEM = { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } };
const A = `${POD}.volumes[a]`;
const VOLUMES: readonly Case[] = [
  ['emptyDir', add(`${POD}.volumes`, { name: 'a', emptyDir: {} }), []],
  ['a bounded one', add(`${POD}.volumes`, { name: 'b', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } }), []],
  ['downwardAPI', add(`${POD}.volumes`, { name: 'a', downwardAPI: { defaultMode: 256, items: [ITEM] } }), []],
  ...SOURCES.map((source): Case => {
    return [source, add(`${POD}.volumes`, { name: 'a', [source]: { name: 'x' } }), [`${A}.${source}`, A]];
  }),
  ['no source', add(`${POD}.volumes`, { name: 'a' }), [A]],
  ['an empty projected volume', add(`${POD}.volumes`, { name: 'a', projected: {} }), [A]],
  ['two sources', add(`${POD}.volumes`, { name: 'a', emptyDir: {}, downwardAPI: {} }), [A]],
  ['a source that is null', add(`${POD}.volumes`, { name: 'a', emptyDir: {}, secret: null }), []],
  ['a name twice', add(`${POD}.volumes`, { name: 'a', emptyDir: {} }, { name: 'a', emptyDir: {} }), [A]],
  ['a volume without a name', add(`${POD}.volumes`, { emptyDir: {} }), [`${POD}.volumes[0]`]],
  ['a volume that is text', add(`${POD}.volumes`, 'x'), [`${POD}.volumes[0]`]],
];

const NONCE = 'hakopod.io/restart-nonce';
const GPU = 'nvidia.com/gpu';
const TEMPLATE = ['spec', 'template', 'metadata', 'annotations'];
const CONTAINER = ['spec', 'template', 'spec', 'containers', '0'];
const ARCH = [...CONTAINER.slice(0, 3), 'nodeSelector', 'kubernetes.io/arch'];
const BOUND: readonly Case[] = [
  ['nothing', () => undefined, []],
  ['a claim', put(`${POD}.volumes.0.persistentVolumeClaim.claimName`, 'x'), [`${POD}.volumes[data]`]],
  ['a second source', put(`${POD}.volumes.0.emptyDir`, {}), [`${POD}.volumes[data]`]],
  [
    'another empty source',
    put(`${POD}.volumes.2`, { name: 'temporary-0', projected: {} }),
    [`${POD}.volumes[temporary-0]`],
  ],
  ['a limit less', drop(`${POD}.volumes.1.emptyDir.sizeLimit`), [`${POD}.volumes[shm]`]],
  ['no items more', put(`${POD}.volumes.0.persistentVolumeClaim.items`, []), []],
  ['a volume removed', drop(`${POD}.volumes.0`), [`${POD}.volumes[data]`]],
  ['volumes in another order', turn(`${POD}.volumes`), []],
  ['tolerations replaced', put(`${POD}.tolerations`, [TOLERATION]), [`${POD}.tolerations[0]`]],
  ['a toleration more', add(`${POD}.tolerations`, TOLERATION), []],
  ['another first', both(add(`${POD}.tolerations`, TOLERATION), turn(`${POD}.tolerations`)), []],
  ['a toleration twice', (o) => add(`${POD}.tolerations`, { ...o.spec.template.spec.tolerations[0] })(o), []],
  ['a toleration changed', put(`${POD}.tolerations.0.effect`, 'NoExecute'), [`${POD}.tolerations[0]`]],
  ['architecture changed', put(ARCH, 'arm64'), [`${POD}.nodeSelector[kubernetes.io/arch]`]],
  ['no node selector', drop(`${POD}.nodeSelector`), [`${POD}.nodeSelector[kubernetes.io/arch]`]],
  ['affinity more', put(`${POD}.affinity.podAntiAffinity`, ANTI), [`${POD}.affinity`]],
  ['affinity removed', drop(`${POD}.affinity`), [`${POD}.affinity`]],
  ['an empty map in affinity', put(`${POD}.affinity.podAffinity`, {}), []],
  ['a GPU less', drop([...CONTAINER, 'resources', 'limits', GPU]), [`${APP}.resources.limits[${GPU}]`]],
  ['as many GPUs, as a number', put([...CONTAINER, 'resources', 'limits', GPU], 1), []],
  ['more GPUs', put([...CONTAINER, 'resources', 'limits', GPU], 2), [`${APP}.resources.limits[${GPU}]`]],
  ['the restart mark', put([...TEMPLATE, NONCE], 'n2'), [`spec.template.metadata.annotations[${NONCE}]`]],
  ['no template annotations', drop(TEMPLATE), [`spec.template.metadata.annotations[${NONCE}]`]],
  ['a sidecar removed', drop(`${POD}.initContainers.1`), [`${POD}.initContainers`]],
  ['sidecars in another order', turn(`${POD}.initContainers`), [`${POD}.initContainers`]],
  ["a sidecar's image", put(`${POD}.initContainers.0.image`, 'x'), [`${POD}.initContainers[helper].image`]],
  [
    'a sidecar that ends',
    drop(`${POD}.initContainers.0.restartPolicy`),
    [`${POD}.initContainers[helper].restartPolicy`],
  ],
  ["a sidecar's variable", put(`${POD}.initContainers.0.env`, [{ name: 'A', value: 'b' }]), []],
  ['a mount removed', drop(`${POD_APP}.volumeMounts.0`), [`${APP}.volumeMounts[/data]`]],
];

describe.each([
  ['the Deployment', base, SPEC],
  ['scheduling', base, SCHEDULING],
  ['fields of the pod', base, POD_FIELDS],
  ['volumes', base, VOLUMES],
  ['a Deployment with bindings', boundDeployment, BOUND],
] as const)('protect: %s', (_title, make, cases) => {
  it.each(cases)('%s', (_name, change, refused) => {
    expect(refusedFields('deployment', make('deployment'), change)).toEqual(refused);
  });
});

describe('protect: a Deployment whole', () => {
  it('refuses an object that lost everything, and lists no more than 20 fields', () => {
    const gone = drop('spec.template.spec.containers');
    expect(refusedFields('deployment', base('deployment'), gone)).toEqual([`${POD}.containers`]);
    expect(refusedFields('deployment', base('deployment'), drop('spec'))).toHaveLength(20);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`later${index}`, 1]));
    expect(refusedFields('deployment', base('deployment'), put('spec', many))).toHaveLength(20);
  });
});
