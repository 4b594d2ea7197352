import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import { type ServiceHost, serviceHosts } from './hosts.ts';
import type { RenderInput, RenderOptions } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName, tlsSecretName } from './names.ts';

/** Who issues the certificate of a service's hosts. */
type Issuer = { readonly name: string; readonly kind: 'ClusterIssuer' | 'Issuer' };

/**
 * The service's own issuer, or the installation's; `undefined` when nobody issues a certificate: its hosts are served without TLS, or with
 * one that was uploaded (facts 3.4).
 */
export function issuerOf(service: Service, options: RenderOptions): Issuer | undefined {
  if (service.tls !== undefined && service.tls.issuer !== '')
    return { name: service.tls.issuer, kind: service.tls.issuer_kind };
  if (uploadedCertificate(service) !== undefined || options.tlsIssuer === undefined) return undefined;
  return { name: options.tlsIssuer, kind: 'ClusterIssuer' };
}

/** Name of the uploaded certificate a service is served with. */
export function uploadedCertificate({ tls }: Pick<Service, 'tls'>): string | undefined {
  return tls === undefined || tls.certificate === '' ? undefined : tls.certificate;
}

/** The Secret the controller reads the certificate from. */
function secretOf(input: RenderInput, name: string, service: Service): string | undefined {
  return (
    uploadedCertificate(service) ?? (issuerOf(service, input.options) === undefined ? undefined : tlsSecretName(name))
  );
}

function annotationsOf(input: RenderInput, name: string, service: Service): Record<string, string> {
  const issuer = issuerOf(service, input.options);
  const issuerKey = issuer?.kind === 'Issuer' ? 'cert-manager.io/issuer' : 'cert-manager.io/cluster-issuer';
  return {
    ...operationAnnotation(input),
    ...(issuer === undefined ? {} : { [issuerKey]: issuer.name }),
    ...(secretOf(input, name, service) === undefined ? {} : { 'haproxy.org/ssl-redirect': 'true' }),
    ...(service.backend_http2 ? { 'haproxy.org/server-proto': 'h2' } : {}),
  };
}

/** Whether a host may lead to its service now. */
function isActive(input: RenderInput, { host, custom }: ServiceHost): boolean {
  return !custom || input.domains?.includes(host) === true;
}

/**
 * The Ingress of a public service, or `undefined` (facts 3.4): one rule for its host, one for each additional endpoint, and one for each
 * custom domain that is verified; a pending one is neither in the rules nor asked a certificate for.
 */
export function renderIngress(input: RenderInput, name: string, service: Service): Manifest | undefined {
  const hosts = serviceHosts(input, name).filter((one) => isActive(input, one));
  if (hosts.length === 0) return undefined;
  const secretName = secretOf(input, name, service);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: annotationsOf(input, name, service),
    },
    spec: {
      ingressClassName: input.options.ingressClass,
      rules: hosts.map(({ host, port }) => ({
        host,
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { number: port } } } }] },
      })),
      tls: secretName === undefined ? [] : [{ hosts: hosts.map(({ host }) => host), secretName }],
    },
  };
}
