import type { Manifest } from '../kernel/index.ts';
import type { Job, Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, operationAnnotation, serviceLabels } from './labels.ts';
import { jobName, namespaceName } from './names.ts';
import { renderPodTemplate } from './pod.ts';

/**
 * The Job of a deployment job: one completion within its deadline (facts 3.6). The annotations say for which revision it runs and which
 * attempt created it; the rest of a Job can not be changed once it exists.
 */
export function renderJob(input: RenderInput, name: string, options: { service: Service; job: Job }): Manifest {
  const { service, job } = options;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(name),
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: {
        ...operationAnnotation(input),
        [ANNOTATIONS.jobRevision]: String(input.revision),
        [ANNOTATIONS.jobCreation]: input.creationId,
      },
    },
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: job.retries,
      activeDeadlineSeconds: job.timeout_seconds,
      suspend: false,
      template: renderPodTemplate(input, name, { service, restartPolicy: 'Never' }),
    },
  };
}
