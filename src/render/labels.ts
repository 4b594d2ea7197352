import { MANAGED_BY } from '../kernel/index.ts';
import type { RenderInput } from './input.ts';
import { storageGroup } from './storage-group.ts';

/** Label and annotation keys and values (facts 3.1). Every key that holds `hakopod` is ours alone. */
export const LABELS = {
  application: 'hakopod.io/application-id',
  service: 'hakopod.io/service',
  scope: 'hakopod.io/scope',
  applicationName: 'hakopod.io/application-name',
  /** On pods that share a claim only one node can attach; they attract each other. */
  storageGroup: 'hakopod.io/storage-group',
  /** On uploaded certificates. */
  tlsUpload: 'hakopod.io/tls-upload',
  /** On snapshots of configuration files. */
  configFiles: 'hakopod.io/config-files',
} as const;

export const ANNOTATIONS = {
  /** Revision of the release that last changed a Deployment. */
  revision: 'hakopod.io/revision',
  /** Name of the release that last wrote the object. */
  operation: 'hakopod.io/operation',
  jobRevision: 'hakopod.io/job-revision',
  jobCreation: 'hakopod.io/job-creation',
  restartNonce: 'hakopod.io/restart-nonce',
  retainData: 'hakopod.io/retain-data',
} as const;

/** The labels that make an object this application's. */
export function ownershipLabels(id: string): Record<string, string> {
  return { ...MANAGED_BY, [LABELS.application]: id };
}

/** Ownership and the service: the selector of a service's pods, immutable. */
export function serviceLabels(id: string, service: string): Record<string, string> {
  return { ...ownershipLabels(id), [LABELS.service]: service };
}

/** Labels of a service's pods: its networks, the pods it must share a node with, and the application's name for people. */
export function podLabels(input: RenderInput, service: string): Record<string, string> {
  const networks = input.application.services[service]?.networks ?? [];
  const group = storageGroup(input.application, service);
  return {
    ...serviceLabels(input.id, service),
    ...Object.fromEntries(networks.map((network) => [`hakopod.io/net-${network}`, 'true'])),
    [LABELS.applicationName]: input.key.name,
    ...(group === undefined ? {} : { [LABELS.storageGroup]: group }),
  };
}

/**
 * Every object names the release that wrote it. This is what lets a worker that died between creating an object and recording it
 * recognise the object as its own.
 */
export function operationAnnotation(input: RenderInput): Record<string, string> {
  return { [ANNOTATIONS.operation]: input.operation };
}
