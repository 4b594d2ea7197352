import { normalQuantity } from '../kernel/index.ts';
import { array, type Mutable, object, setDefault } from './json.ts';

/**
 * What the API server fills into a pod template it stores (k8s.io/kubernetes `pkg/apis/core/v1/defaults.go`, 1.35). Works in place on a
 * copy. It covers what we render and what a patch may add.
 */
export function fillPodTemplate(template: Mutable): void {
  const spec = object(template.spec);
  if (spec === undefined) return;
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'schedulerName', 'default-scheduler');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'securityContext', {});
  // The old name of the field is kept beside the new one.
  if (spec.serviceAccountName !== undefined) spec.serviceAccount = spec.serviceAccountName;
  for (const container of [...array(spec.initContainers), ...array(spec.containers)]) fillContainer(container);
  for (const volume of array(spec.volumes)) fillVolume(volume);
}

function fillContainer(container: Mutable): void {
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  setDefault(container, 'imagePullPolicy', /:latest$/.test(String(container.image)) ? 'Always' : 'IfNotPresent');
  setDefault(container, 'resources', {});
  for (const port of array(container.ports)) setDefault(port, 'protocol', 'TCP');
  for (const env of array(container.env)) fillEnv(env);
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = object(container[name]);
    if (probe !== undefined) fillProbe(probe);
  }
  const lifecycle = object(container.lifecycle);
  for (const name of ['postStart', 'preStop']) {
    const handler = object(lifecycle?.[name]);
    if (handler !== undefined) fillHandler(handler);
  }
  const resources = object(container.resources) ?? {};
  for (const name of ['requests', 'limits']) fillQuantities(object(resources[name]));
}

function fillEnv(env: Mutable): void {
  // An empty value is not stored, which means the same.
  if (env.value === '') delete env.value;
  const from = object(env.valueFrom);
  const field = object(from?.fieldRef);
  if (field !== undefined) setDefault(field, 'apiVersion', 'v1');
  const resource = object(from?.resourceFieldRef);
  if (resource !== undefined) resource.divisor = normalQuantity(resource.divisor ?? '0');
}

function fillProbe(probe: Mutable): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  if (probe.initialDelaySeconds === 0) delete probe.initialDelaySeconds;
  fillHandler(probe);
}

function fillHandler(handler: Mutable): void {
  const http = object(handler.httpGet);
  if (http !== undefined) {
    setDefault(http, 'path', '/');
    setDefault(http, 'scheme', 'HTTP');
  }
  const grpc = object(handler.grpc);
  if (grpc !== undefined) setDefault(grpc, 'service', '');
}

function fillVolume(volume: Mutable): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  const empty = object(volume.emptyDir);
  if (empty?.sizeLimit !== undefined) empty.sizeLimit = normalQuantity(empty.sizeLimit);
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = object(volume[name]);
    if (source !== undefined) setDefault(source, 'defaultMode', 0o644);
  }
  for (const item of array(object(volume.downwardAPI)?.items)) fillEnv({ valueFrom: item });
}

/** Brings every quantity of a map to one form. */
export function fillQuantities(map: Mutable | undefined): void {
  for (const [name, value] of Object.entries(map ?? {})) {
    if (map !== undefined) map[name] = normalQuantity(value);
  }
}
