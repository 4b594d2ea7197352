import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput, RenderOptions } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { endpointHost, namespaceName, publicHost, tlsSecretName } from './names.ts';

/** Who issues the certificate of a service's hosts. */
type Issuer = { readonly name: string; readonly kind: 'ClusterIssuer' | 'Issuer' };

/** The service's own issuer, or the installation's; `undefined` when its hosts are served without TLS (facts 3.4). */
export function issuerOf(service: Service, options: RenderOptions): Issuer | undefined {
  if (service.tls !== undefined && service.tls.issuer !== '')
    return { name: service.tls.issuer, kind: service.tls.issuer_kind };
  return options.tlsIssuer === undefined ? undefined : { name: options.tlsIssuer, kind: 'ClusterIssuer' };
}

/** Host name to the Service port behind it: the service itself, then its additional endpoints by name. */
function hostsOf(input: RenderInput, name: string, service: Service): readonly (readonly [string, number])[] {
  const { appDomain } = input.options;
  if (!service.public || appDomain === undefined) return [];
  const endpoints = Object.entries(service.http).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    [publicHost(name, input.id, appDomain), service.port],
    ...endpoints.map(([endpoint, { port }]): readonly [string, number] => {
      return [endpointHost(name, endpoint, { id: input.id, appDomain }), port];
    }),
  ];
}

function annotationsOf(input: RenderInput, service: Service): Record<string, string> {
  const issuer = issuerOf(service, input.options);
  const issuerKey = issuer?.kind === 'Issuer' ? 'cert-manager.io/issuer' : 'cert-manager.io/cluster-issuer';
  return {
    ...operationAnnotation(input),
    ...(issuer === undefined ? {} : { [issuerKey]: issuer.name, 'haproxy.org/ssl-redirect': 'true' }),
    ...(service.backend_http2 ? { 'haproxy.org/server-proto': 'h2' } : {}),
  };
}

/**
 * The Ingress of a public service, or `undefined` (facts 3.4): one rule for its host and one for each additional endpoint. Only generated
 * hosts: custom domains stay inactive until their ownership is verified.
 */
export function renderIngress(input: RenderInput, name: string, service: Service): Manifest | undefined {
  const hosts = hostsOf(input, name, service);
  if (hosts.length === 0) return undefined;
  const hasTls = issuerOf(service, input.options) !== undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: annotationsOf(input, service),
    },
    spec: {
      ingressClassName: input.options.ingressClass,
      rules: hosts.map(([host, port]) => ({
        host,
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { number: port } } } }] },
      })),
      tls: hasTls ? [{ hosts: hosts.map(([host]) => host), secretName: tlsSecretName(name) }] : [],
    },
  };
}
