import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName } from './names.ts';

/** Kubernetes' own pace upwards, slowly downwards (facts 3.4); said whole, so that an apply takes every change of it back. */
const BEHAVIOR = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  },
} as const;

/** The autoscaler of a service, or `undefined`: a stopped service has none, because nothing may start it again (facts 3.4). */
export function renderAutoscaler(input: RenderInput, name: string, service: Service): Manifest | undefined {
  const { autoscaling, suspended } = service;
  if (autoscaling === undefined || suspended) return undefined;
  const target = { type: 'Utilization', averageUtilization: autoscaling.target_cpu };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: operationAnnotation(input),
    },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: autoscaling.min_replicas,
      maxReplicas: autoscaling.max_replicas,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      behavior: BEHAVIOR,
    },
  };
}
