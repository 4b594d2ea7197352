import type { Json } from '../../kernel/index.ts';
import { own } from '../json.ts';
import type { PatchKind } from '../types.ts';
import { asMap } from './json.ts';
import { INGRESS_METADATA, METADATA, POD_METADATA, SERVICE_METADATA } from './keys.ts';
import { addedVolumes, podSpec } from './pod.ts';
import { ALLOWED, type ListRule, type ObjectRule, object, onlyFields, protectedField, type Rule } from './rule.ts';

const SCALING = protectedField('use replicas, autoscaling and update_strategy in TOML');
const EXPOSURE = protectedField('a Service stays inside the cluster; use public in TOML');

const SERVICE_PORTS: ListRule = {
  kind: 'list',
  condition: "extra ports, without a nodePort; Hakopod's stay",
  identify: (item) => {
    const port = own(item, 'port');
    return typeof port === 'number' ? `${port}/${String(own(item, 'protocol') ?? 'TCP')}` : undefined;
  },
  nameOf: (item) => own(item, 'name'),
  keeps: () => true,
  why: "Hakopod's ports can not be changed or removed; use port and ports in TOML",
  item: object(
    { ...onlyFields(['name', 'port', 'targetPort', 'protocol', 'appProtocol']).fields, nodePort: EXPOSURE },
    { condition: 'without a nodePort' },
  ),
};

function top(metadata: ObjectRule, spec: Rule): ObjectRule {
  return object({ metadata, spec });
}

function deployment(added: ReadonlySet<string>): ObjectRule {
  const template = object({ metadata: POD_METADATA, spec: podSpec(added) });
  const scaling = [
    'replicas',
    'strategy',
    'minReadySeconds',
    'revisionHistoryLimit',
    'progressDeadlineSeconds',
    'paused',
  ];
  return top(
    METADATA,
    object({
      template,
      selector: protectedField('it is how a Deployment finds its pods'),
      ...Object.fromEntries(scaling.map((name) => [name, SCALING])),
    }),
  );
}

const EXPOSING = [
  'type',
  'clusterIP',
  'clusterIPs',
  'externalIPs',
  'loadBalancerIP',
  'loadBalancerClass',
  'externalName',
];

const SERVICE = top(
  SERVICE_METADATA,
  object({
    ports: SERVICE_PORTS,
    sessionAffinity: ALLOWED,
    sessionAffinityConfig: ALLOWED,
    publishNotReadyAddresses: ALLOWED,
    internalTrafficPolicy: ALLOWED,
    trafficDistribution: ALLOWED,
    ...Object.fromEntries(EXPOSING.map((name) => [name, EXPOSURE])),
  }),
);

const INGRESS = top(
  INGRESS_METADATA,
  protectedField('the whole spec of an Ingress stays; use public and domains in TOML'),
);

function podOf(object: Json): Json | undefined {
  return ['spec', 'template', 'spec'].reduce<Json | undefined>((value, key) => own(asMap(value) ?? {}, key), object);
}

/** The rules for a kind of object. Which volumes may be mounted depends on what the patch adds, so the two objects are needed. */
export function rulesFor(kind: PatchKind, before: Json, after: Json): ObjectRule {
  switch (kind) {
    case 'deployment':
      return deployment(addedVolumes(podOf(before), podOf(after)));
    case 'service':
      return SERVICE;
    case 'ingress':
      return INGRESS;
  }
}
