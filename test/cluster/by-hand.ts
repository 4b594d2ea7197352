// biome-ignore lint/suspicious/noExplicitAny: a stranger's hand knows no types
type Loose = any;

/** What people and other controllers do to an application's objects, one change that a patch undoes and one that takes an update. */
export const BY_HAND: readonly {
  readonly title: string;
  readonly object: string;
  readonly change: (live: Loose) => void;
}[] = [
  { object: 'Service/web', title: 'another target', change: (live) => (live.spec.ports[0].targetPort = 22) },
  { object: 'Service/web', title: 'external addresses', change: (live) => (live.spec.externalIPs = ['198.51.100.7']) },
  {
    object: 'NetworkPolicy/hakopod-default-deny',
    title: 'one direction only',
    change: (live) => (live.spec.policyTypes = ['Ingress']),
  },
  {
    object: 'NetworkPolicy/hakopod-default-deny',
    title: 'open egress',
    change: (live) => (live.spec.egress = [{}]),
  },
  {
    object: 'ResourceQuota/hakopod-budget',
    title: 'a bigger budget',
    change: (live) => (live.spec.hard['limits.cpu'] = '1k'),
  },
  {
    object: 'ResourceQuota/hakopod-budget',
    title: 'another budget',
    change: (live) => (live.spec.hard['count/configmaps'] = '7'),
  },
  {
    object: 'Ingress/web',
    title: 'another backend',
    change: (live) => (live.spec.rules[0].http.paths[0].backend.service.name = 'api'),
  },
  {
    object: 'Ingress/web',
    title: 'a default backend',
    change: (live) => (live.spec.defaultBackend = { service: { name: 'web', port: { number: 8080 } } }),
  },
  {
    object: 'HorizontalPodAutoscaler/web',
    title: 'another bound',
    change: (live) => (live.spec.maxReplicas = 50),
  },
  {
    object: 'HorizontalPodAutoscaler/web',
    title: 'a mark of ours',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  },
  { object: 'CronJob/nightly', title: 'another schedule', change: (live) => (live.spec.schedule = '* * * * *') },
  {
    object: 'CronJob/nightly',
    title: 'a deadline',
    change: (live) => (live.spec.jobTemplate.spec.ttlSecondsAfterFinished = 1),
  },
  {
    object: 'PersistentVolumeClaim/hakopod-volume-kept',
    title: 'a mark less',
    change: (live) => delete live.metadata.annotations['hakopod.io/retain-data'],
  },
  {
    object: 'PersistentVolumeClaim/hakopod-volume-kept',
    title: 'a mark of ours',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  },
  {
    object: 'ConfigMap/web-files',
    title: 'a mark of ours',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  },
  { object: 'Deployment/web', title: 'paused', change: (live) => (live.spec.paused = true) },
  {
    object: 'Namespace/',
    title: 'less Pod Security',
    change: (live) => (live.metadata.labels['pod-security.kubernetes.io/enforce'] = 'privileged'),
  },
  {
    object: 'Namespace/',
    title: 'a mark of ours',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  },
  {
    object: 'Secret/web',
    title: 'a mark of ours',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  },
];
