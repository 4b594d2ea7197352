import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName } from './names.ts';
import { renderPodTemplate, startupSeconds } from './pod.ts';

/** The Deployment of a long-running service (facts 3.3). */
export function renderDeployment(input: RenderInput, name: string, service: Service): Manifest {
  const labels = serviceLabels(input.id, name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels,
      annotations: { ...operationAnnotation(input), [ANNOTATIONS.revision]: String(input.revision) },
    },
    spec: {
      replicas: service.replicas,
      revisionHistoryLimit: 2,
      minReadySeconds: 2,
      progressDeadlineSeconds: startupSeconds(service, input.options.rolloutTimeoutSeconds),
      paused: false,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: renderPodTemplate(input, name, { service, restartPolicy: 'Always' }),
    },
  };
}
