import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import { startupSeconds } from './container.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName } from './names.ts';
import { renderPodTemplate } from './pod.ts';
import { keepsData } from './storage.ts';

/** A claim is not handed from one pod to the next while both run, so what keeps data stops first (facts 3.3). */
function strategyOf(service: Service): object {
  const recreate = service.update_strategy === 'recreate' || keepsData(service);
  return recreate ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
}

/**
 * The Deployment of a long-running service (facts 3.3). The number of replicas of one that scales itself is where it begins; whoever writes
 * it keeps what runs (`keepReplicas`).
 */
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
      replicas: service.suspended ? 0 : service.replicas,
      revisionHistoryLimit: 2,
      minReadySeconds: 2,
      progressDeadlineSeconds: startupSeconds(service, input.options.rolloutTimeoutSeconds),
      paused: false,
      selector: { matchLabels: labels },
      strategy: strategyOf(service),
      template: renderPodTemplate(input, name, { service, restartPolicy: 'Always' }),
    },
  };
}
