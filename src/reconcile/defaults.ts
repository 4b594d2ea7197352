import type { Manifest } from '../kernel/index.ts';
import { array, type Mutable, object, setDefault } from './json.ts';
import { fillPodTemplate, fillQuantities } from './pod-defaults.ts';

/** Booleans the API server leaves out when false; for the others (pointers in its types) `false` and absent differ. */
const FALSE_IS_ABSENT = new Set([
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'stdin',
  'stdinOnce',
  'tty',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
]);

/** Maps that are left out when empty. Other empty objects (`emptyDir: {}`, `podSelector: {}`) mean something. */
const EMPTY_MAP_IS_ABSENT = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'requests',
  'limits',
  'overhead',
  'data',
]);

function isAbsent(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (value === false) return FALSE_IS_ABSENT.has(key);
  if (Array.isArray(value)) return value.length === 0;
  return EMPTY_MAP_IS_ABSENT.has(key) && Object.keys(value as object).length === 0;
}

/** A copy to fill, without what the API server does not store. */
function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Mutable = {};
  for (const [key, item] of Object.entries(value)) {
    const next = stored(item);
    if (isAbsent(key, next)) continue;
    // The one key a stranger could choose that assignment would swallow.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: next, enumerable: true });
    else copy[key] = next;
  }
  return copy;
}

function fillDeployment(spec: Mutable): void {
  // `replicas` is left alone: absent means that an autoscaler owns it.
  setDefault(spec, 'revisionHistoryLimit', 10);
  setDefault(spec, 'progressDeadlineSeconds', 600);
  setDefault(spec, 'strategy', {});
  const strategy = object(spec.strategy) ?? {};
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    setDefault(strategy, 'rollingUpdate', {});
    const rolling = object(strategy.rollingUpdate) ?? {};
    setDefault(rolling, 'maxSurge', '25%');
    setDefault(rolling, 'maxUnavailable', '25%');
  }
  if (spec.minReadySeconds === 0) delete spec.minReadySeconds;
}

function fillJob(spec: Mutable): void {
  setDefault(spec, 'completions', 1);
  setDefault(spec, 'parallelism', 1);
  setDefault(spec, 'backoffLimit', 6);
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'podReplacementPolicy', 'TerminatingOrFailed');
  setDefault(spec, 'manualSelector', false);
}

function fillCronJob(spec: Mutable): void {
  setDefault(spec, 'concurrencyPolicy', 'Allow');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'successfulJobsHistoryLimit', 3);
  setDefault(spec, 'failedJobsHistoryLimit', 1);
  const job = object(object(spec.jobTemplate)?.spec);
  if (job === undefined) return;
  // Unlike a Job, its template gets no defaults of its own beyond those of the pods.
  const template = object(job.template);
  if (template !== undefined) fillPodTemplate(template);
}

const SCALE_UP = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const SCALE_DOWN = [{ type: 'Percent', value: 100, periodSeconds: 15 }];

function fillAutoscaler(spec: Mutable): void {
  setDefault(spec, 'minReplicas', 1);
  const behavior = object(spec.behavior);
  if (behavior === undefined) return;
  for (const [direction, policies] of [
    ['scaleUp', SCALE_UP],
    ['scaleDown', SCALE_DOWN],
  ] as const) {
    setDefault(behavior, direction, {});
    const rules = object(behavior[direction]) ?? {};
    setDefault(rules, 'selectPolicy', 'Max');
    setDefault(rules, 'policies', policies);
    if (direction === 'scaleUp') setDefault(rules, 'stabilizationWindowSeconds', 0);
  }
}

function fillClaim(spec: Mutable): void {
  setDefault(spec, 'volumeMode', 'Filesystem');
  fillQuantities(object(object(spec.resources)?.requests));
}

function fillService(spec: Mutable): void {
  setDefault(spec, 'type', 'ClusterIP');
  setDefault(spec, 'sessionAffinity', 'None');
  setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  for (const port of array(spec.ports)) {
    setDefault(port, 'protocol', 'TCP');
    setDefault(port, 'targetPort', port.port);
  }
  if (spec.sessionAffinity === 'ClientIP') {
    setDefault(spec, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: 10_800 } });
  }
}

function fillNetworkPolicy(spec: Mutable): void {
  if (array(spec.egress).length > 0) setDefault(spec, 'policyTypes', ['Ingress', 'Egress']);
  else setDefault(spec, 'policyTypes', ['Ingress']);
  setDefault(spec, 'podSelector', {});
  for (const rule of [...array(spec.ingress), ...array(spec.egress)]) {
    for (const port of array(rule.ports)) setDefault(port, 'protocol', 'TCP');
  }
}

/**
 * The form of an object in which equal meaning is equal JSON: what the API server would fill in is filled in, what it would not store is
 * left out, quantities have one form, and status is gone. It is applied to the desired and to the live object, so comparing them needs no server. Covers
 * the kinds we render as of Kubernetes 1.35; the fixtures under `test/fixtures/defaulted` are a real server's answers.
 */
export function normalForm(manifest: Manifest): Manifest {
  const { status: _status, metadata, ...rest } = manifest;
  const { managedFields: _managed, ...named } = metadata;
  const copy = stored({ ...rest, metadata: named }) as Mutable;
  const spec = object(copy.spec);
  const template = object(spec?.template);
  if (spec !== undefined) {
    if (manifest.kind === 'Deployment') fillDeployment(spec);
    if (manifest.kind === 'Job') fillJob(spec);
    if (manifest.kind === 'CronJob') fillCronJob(spec);
    if (manifest.kind === 'HorizontalPodAutoscaler') fillAutoscaler(spec);
    if (manifest.kind === 'PersistentVolumeClaim') fillClaim(spec);
    if (manifest.kind === 'Service') fillService(spec);
    if (manifest.kind === 'NetworkPolicy') fillNetworkPolicy(spec);
    if (manifest.kind === 'ResourceQuota') fillQuantities(object(spec.hard));
    if (template !== undefined) fillPodTemplate(template);
  }
  if (manifest.kind === 'Secret') setDefault(copy, 'type', 'Opaque');
  return copy as Manifest;
}
