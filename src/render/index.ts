/**
 * Renders an application: normalised specification, image digests and secret values in, Kubernetes objects as plain JSON out, one file
 * per kind. Pure: no clock, no randomness, the same input gives the same bytes. It never reads the cluster, never applies anything and
 * never looks at `kubernetes` patches, which are the next stage. Names, labels and values: facts section 3.
 */

export {
  type CertificateFacts,
  certificateName,
  certificateProblems,
  certificateUses,
  coversHost,
  readCertificate,
} from './certificate.ts';
export { CONTAINER, startupSeconds } from './container.ts';
export { type ServiceHost, serviceHosts } from './hosts.ts';
export { DEFAULT_RENDER_OPTIONS, type RenderInput, type RenderOptions } from './input.ts';
export { ANNOTATIONS, LABELS, ownershipLabels, serviceLabels } from './labels.ts';
export {
  cronJobName,
  dataClaimName,
  endpointHost,
  isApplicationNamespace,
  jobName,
  namespaceName,
  publicHost,
  publicUrl,
  volumeClaimName,
} from './names.ts';
export { namedImages, previewInput } from './preview.ts';
export { DOCKER_CONFIG, dockerConfig } from './pull-secret.ts';
export { allObjects, RENDERED_KINDS, type Rendered, type RenderedWorkload, renderApplication } from './render.ts';
export { bindingKey, bindingUrl, fileKey, secretValues } from './secret-values.ts';
export { storageGroup } from './storage-group.ts';
