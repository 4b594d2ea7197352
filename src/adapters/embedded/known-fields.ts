import type { Manifest } from '../../kernel/index.ts';
import { isRecord } from './objects.ts';

/** The fields of a type and the type of each; `*` is anything, `[T]` a list of T. */
type Shape = Readonly<Record<string, string>>;

function all(names: string, type = '*'): Shape {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

const PROBES: Shape = { readinessProbe: 'Probe', livenessProbe: 'Probe', startupProbe: 'Probe' };

/** Kubernetes 1.35 types, as deep as a misspelt field is likely. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Metadata: all(
    'name namespace labels annotations uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds finalizers ownerReferences generateName selfLink managedFields',
  ),
  Deployment: { spec: 'DeploymentSpec', status: '*' },
  DeploymentSpec: {
    ...all('replicas selector minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds'),
    template: 'PodTemplate',
    strategy: 'Strategy',
  },
  Strategy: { type: '*', rollingUpdate: 'RollingUpdate' },
  RollingUpdate: all('maxSurge maxUnavailable'),
  PodTemplate: { metadata: 'Metadata', spec: 'PodSpec' },
  Pod: { spec: 'PodSpec', status: '*' },
  PodSpec: {
    ...all(
      'ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride workloadRef',
    ),
    containers: '[Container]',
    initContainers: '[Container]',
    volumes: '[Volume]',
    securityContext: 'PodSecurity',
  },
  PodSecurity: all(
    'seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup sysctls fsGroupChangePolicy seccompProfile appArmorProfile seLinuxChangePolicy',
  ),
  Container: {
    ...all(
      'name image command args workingDir envFrom resizePolicy restartPolicy restartPolicyRules volumeDevices lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy stdin stdinOnce tty',
    ),
    ...PROBES,
    ports: '[ContainerPort]',
    env: '[Env]',
    resources: 'Resources',
    volumeMounts: '[Mount]',
    securityContext: 'ContainerSecurity',
  },
  ContainerPort: all('name hostPort containerPort protocol hostIP'),
  Env: { ...all('name value'), valueFrom: 'EnvSource' },
  EnvSource: all('fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef'),
  Resources: all('limits requests claims'),
  Mount: all('name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr'),
  ContainerSecurity: all(
    'capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount seccompProfile appArmorProfile',
  ),
  Probe: {
    ...all(
      'initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds exec grpc',
    ),
    httpGet: 'HttpGet',
    tcpSocket: 'TcpSocket',
  },
  HttpGet: all('path port host scheme httpHeaders'),
  TcpSocket: all('port host'),
  Volume: all(
    'name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image',
  ),
  Service: { spec: 'ServiceSpec', status: '*' },
  ServiceSpec: {
    ...all(
      'selector clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution',
    ),
    ports: '[ServicePort]',
  },
  ServicePort: all('name protocol appProtocol port targetPort nodePort'),
  Job: { spec: 'JobSpec', status: '*' },
  JobSpec: {
    ...all(
      'parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy',
    ),
    template: 'PodTemplate',
  },
  CronJob: { spec: 'CronJobSpec', status: '*' },
  CronJobSpec: {
    ...all(
      'schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend successfulJobsHistoryLimit failedJobsHistoryLimit',
    ),
    jobTemplate: 'JobTemplate',
  },
  JobTemplate: { metadata: 'Metadata', spec: 'JobSpec' },
  Ingress: { spec: 'IngressSpec', status: '*' },
  IngressSpec: { ingressClassName: '*', defaultBackend: '*', tls: '[IngressTls]', rules: '[IngressRule]' },
  IngressTls: all('hosts secretName'),
  IngressRule: { host: '*', http: 'IngressHttp' },
  IngressHttp: { paths: '[IngressPath]' },
  IngressPath: all('path pathType backend'),
  NetworkPolicy: { spec: 'PolicySpec' },
  PolicySpec: { podSelector: '*', policyTypes: '*', ingress: '[IngressRules]', egress: '[EgressRules]' },
  IngressRules: { ports: '[PolicyPort]', from: '[PolicyPeer]' },
  EgressRules: { ports: '[PolicyPort]', to: '[PolicyPeer]' },
  PolicyPort: all('protocol port endPort'),
  PolicyPeer: all('podSelector namespaceSelector ipBlock'),
  HorizontalPodAutoscaler: { spec: 'AutoscalerSpec', status: '*' },
  AutoscalerSpec: all('scaleTargetRef minReplicas maxReplicas metrics behavior'),
  ConfigMap: all('data binaryData immutable'),
  Secret: all('data stringData type immutable'),
  Namespace: { spec: 'NamespaceSpec', status: '*' },
  NamespaceSpec: all('finalizers'),
  ResourceQuota: { spec: 'QuotaSpec', status: '*' },
  QuotaSpec: all('hard scopes scopeSelector'),
  PersistentVolumeClaim: { spec: 'ClaimSpec', status: '*' },
  ClaimSpec: {
    ...all(
      'accessModes selector volumeName storageClassName volumeMode dataSource dataSourceRef volumeAttributesClassName',
    ),
    resources: 'Resources',
  },
  Lease: { spec: 'LeaseSpec' },
  LeaseSpec: all('holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder'),
};

function unknown(value: unknown, type: string, path: string): readonly string[] {
  if (type.startsWith('[')) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => unknown(item, type.slice(1, -1), `${path}[${index}]`));
  }
  const shape = SHAPES[type];
  if (shape === undefined || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const inner = shape[name];
    return inner === undefined ? [`${path}.${name}`] : unknown(child, inner, `${path}.${name}`);
  });
}

/** Dotted names of the fields that Kubernetes 1.35 does not know in a built-in object; kinds not described here know all. */
export function unknownBuiltIn(object: Manifest): readonly string[] {
  const shape = SHAPES[object.kind];
  if (shape === undefined) return [];
  const { apiVersion: _a, kind: _k, metadata, ...content } = object;
  return [...unknown(metadata, 'Metadata', '.metadata'), ...unknown(content, object.kind, '')];
}
