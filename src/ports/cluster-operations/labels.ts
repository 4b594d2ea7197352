/** Labels of objects made by a deployment request, beside `MANAGED_BY` (cluster operations 17). */
export const OPERATION_LABELS = {
  name: 'app.kubernetes.io/name',
  instanceName: 'app.kubernetes.io/instance',
  application: 'hakopod.io/application',
  /** Ownership: nothing without the request's instance id here is ever changed or deleted. */
  instance: 'hakopod.io/instance',
  service: 'hakopod.io/service',
  /** On what a create made: not an application's, and editable. */
  run: 'hakopod.io/run',
} as const;

export const OPERATION_ANNOTATIONS = {
  revision: 'hakopod.io/revision',
  deployment: 'hakopod.io/deployment',
  specDigest: 'hakopod.io/spec-digest',
  /** On a pod template: when a restart was asked for. */
  restartedAt: 'hakopod.io/restarted-at',
} as const;

/** The label of a Namespace that says which pods it admits; at least `baseline` is wanted. */
export const POD_SECURITY_LABEL = 'pod-security.kubernetes.io/enforce';
