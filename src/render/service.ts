import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName } from './names.ts';

/** A port as the Service and the pod see it. */
export type ServicePort = {
  readonly name: string;
  readonly port: number;
  readonly target: number;
  readonly protocol: 'TCP' | 'UDP';
};

/** All ports of a service: the primary one is named `service` and comes first (facts 1.5). */
export function portsOf(service: Service): readonly ServicePort[] {
  const primary: ServicePort[] =
    service.port === 0 ? [] : [{ name: 'service', port: service.port, target: service.port, protocol: 'TCP' }];
  const extra = service.ports.map((p): ServicePort => {
    return { name: p.name, port: p.port, target: p.target_port, protocol: p.protocol };
  });
  return [...primary, ...extra];
}

/** A ClusterIP Service, or `undefined` for a service that listens on nothing (facts 3.4). */
export function renderService(input: RenderInput, name: string, service: Service): Manifest | undefined {
  const ports = portsOf(service);
  if (ports.length === 0) return undefined;
  const labels = serviceLabels(input.id, name);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: namespaceName(input.id), labels, annotations: operationAnnotation(input) },
    spec: {
      type: 'ClusterIP',
      selector: labels,
      ports: ports.map((p) => ({ name: p.name, port: p.port, targetPort: p.target, protocol: p.protocol })),
      // Said out loud, so that a forced apply owns them and takes back what somebody else put there.
      externalIPs: [],
      loadBalancerSourceRanges: [],
      publishNotReadyAddresses: false,
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    },
  };
}
