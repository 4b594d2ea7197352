import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName, publicHost, tlsSecretName } from './names.ts';

/**
 * The Ingress of a public service, or `undefined` (facts 3.4). Only the generated host: custom domains stay inactive until their
 * ownership is verified.
 */
export function renderIngress(input: RenderInput, name: string, service: Service): Manifest | undefined {
  const { appDomain, tlsIssuer, ingressClass } = input.options;
  if (!service.public || appDomain === undefined) return undefined;
  const host = publicHost(name, input.id, appDomain);
  const backend = { service: { name, port: { number: service.port } } };
  const tls = tlsIssuer === undefined ? [] : [{ hosts: [host], secretName: tlsSecretName(name) }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: {
        ...operationAnnotation(input),
        ...(tlsIssuer === undefined
          ? {}
          : { 'cert-manager.io/cluster-issuer': tlsIssuer, 'haproxy.org/ssl-redirect': 'true' }),
      },
    },
    spec: {
      ingressClassName: ingressClass,
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      tls,
    },
  };
}
