import type { Manifest } from '../../kernel/index.ts';
import { mapField, mapItems, ownPodSpec, podTemplate, under } from './defaults-pod.ts';
import { at, type Fields, isRecord, items, record, text, without } from './objects.ts';

function deployment(spec: Fields): Fields {
  let filled = under(spec, {
    replicas: 1,
    strategy: {},
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  filled = mapField(filled, 'strategy', (strategy) => {
    const typed = under(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    const rolling = under(record(typed.rollingUpdate), { maxUnavailable: '25%', maxSurge: '25%' });
    return { ...typed, rollingUpdate: rolling };
  });
  return mapField(filled, 'template', podTemplate);
}

function replicaSet(spec: Fields): Fields {
  return mapField(under(spec, { replicas: 1 }), 'template', podTemplate);
}

function statefulSet(spec: Fields): Fields {
  const keep = { whenDeleted: 'Retain', whenScaled: 'Retain' };
  const filled = under(spec, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
  const kept = {
    ...filled,
    persistentVolumeClaimRetentionPolicy: under(record(spec.persistentVolumeClaimRetentionPolicy), keep),
  };
  const updated = { ...kept, updateStrategy: under(record(spec.updateStrategy), { type: 'RollingUpdate' }) };
  return mapField(updated, 'template', podTemplate);
}

function daemonSet(spec: Fields): Fields {
  const updated = { ...spec, updateStrategy: under(record(spec.updateStrategy), { type: 'RollingUpdate' }) };
  return mapField(under(updated, { revisionHistoryLimit: 10 }), 'template', podTemplate);
}

function job(spec: Fields): Fields {
  const filled = under(spec, {
    ...(spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  return mapField(filled, 'template', podTemplate);
}

function cronJob(spec: Fields): Fields {
  const filled = under(spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = (value: Fields): Fields =>
    mapField(under(value, { metadata: {} }), 'spec', (inner) => mapField(inner, 'template', podTemplate));
  return mapField(filled, 'jobTemplate', template);
}

function isExternal(spec: Fields): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer' || items(spec.externalIPs).length > 0;
}

function service(spec: Fields): Fields {
  const filled = under(isExternal(spec) ? spec : without(spec, 'externalTrafficPolicy'), {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...(spec.type === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' }),
    ...(isExternal(spec) ? { externalTrafficPolicy: 'Cluster' } : {}),
  });
  return mapItems(filled, 'ports', (port) => under(port, { protocol: 'TCP', targetPort: port.port }));
}

function networkPolicy(spec: Fields): Fields {
  const tcp = (rule: Fields): Fields => mapItems(rule, 'ports', (port) => under(port, { protocol: 'TCP' }));
  const hasEgress = Array.isArray(spec.egress) && spec.egress.length > 0;
  const filled = under(spec, { podSelector: {}, policyTypes: hasEgress ? ['Ingress', 'Egress'] : ['Ingress'] });
  return mapItems(mapItems(filled, 'ingress', tcp), 'egress', tcp);
}

function autoscaler(spec: Fields): Fields {
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  };
  const filled = under(spec, { minReplicas: 1, metrics: [cpu] });
  const rules = (direction: Fields, values: Fields): Fields => under(direction, { selectPolicy: 'Max', ...values });
  return mapField(filled, 'behavior', (behavior) => ({
    scaleUp: rules(record(behavior.scaleUp), {
      stabilizationWindowSeconds: 0,
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    }),
    scaleDown: rules(record(behavior.scaleDown), {
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    }),
  }));
}

function claim(spec: Fields): Fields {
  return under(spec, { volumeMode: 'Filesystem' });
}

function definition(spec: Fields): Fields {
  const kind = text(at(spec, 'names', 'kind')) ?? '';
  const filled = under(spec, { conversion: { strategy: 'None' } });
  return mapField(filled, 'names', (names) => under(names, { singular: kind.toLowerCase(), listKind: `${kind}List` }));
}

const SPECS: Readonly<Record<string, (spec: Fields) => Fields>> = {
  Deployment: deployment,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
  Service: service,
  NetworkPolicy: networkPolicy,
  HorizontalPodAutoscaler: autoscaler,
  PersistentVolumeClaim: claim,
  CustomResourceDefinition: definition,
  Pod: ownPodSpec,
};

/** `stringData` goes into `data`, base64; the type is filled in. */
function secret(object: Manifest): Manifest {
  const plain = record(object.stringData);
  const typed = { ...object, type: object.type ?? 'Opaque' };
  if (object.stringData === undefined) return typed;
  const data: Record<string, unknown> = { ...record(object.data) };
  for (const [key, value] of Object.entries(plain)) data[key] = Buffer.from(String(value)).toString('base64');
  return { ...without(typed, 'stringData'), data };
}

/** Fills in what the API server fills in for built-in kinds (v1.35). Custom resources pass unchanged. */
export function withDefaults(object: Manifest): Manifest {
  if (object.kind === 'Secret' && object.apiVersion === 'v1') return secret(object);
  const fill = SPECS[object.kind];
  if (fill === undefined || !isRecord(object.spec)) return object;
  return { ...object, spec: fill(object.spec) };
}
