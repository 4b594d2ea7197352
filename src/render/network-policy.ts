import type { Manifest } from '../kernel/index.ts';
import { type Application, allowsPeer, type Service } from '../spec/index.ts';
import { issuerOf } from './ingress.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, ownershipLabels, serviceLabels } from './labels.ts';
import { ACME_POLICY, DEFAULT_DENY, namespaceName, policyName } from './names.ts';
import { portsOf } from './service.ts';

/** Addresses that are not the internet; services with egress reach everything else (facts 3.5). */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

type Port = { readonly protocol: 'TCP' | 'UDP'; readonly port: number };

function policy(
  input: RenderInput,
  name: string,
  parts: { labels: Record<string, string>; podLabels: Record<string, string>; ingress: unknown[]; egress: unknown[] },
): Manifest {
  const selector = Object.keys(parts.podLabels).length === 0 ? {} : { matchLabels: parts.podLabels };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: parts.labels,
      annotations: operationAnnotation(input),
    },
    // Both lists are always said: an empty one denies, and a forced apply then owns it whole.
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: parts.ingress,
      egress: parts.egress,
    },
  };
}

/** Ports of the pods, which is what policies judge; sorted and unique. */
function targetPorts(service: Service): readonly Port[] {
  const seen = new Map(portsOf(service).map((p) => [`${p.protocol}/${p.target}`, p]));
  return [...seen.values()]
    .map((p) => ({ protocol: p.protocol, port: p.target }))
    .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1));
}

/** Ports of the pods that public hosts lead to: the primary one and the targets of additional endpoints. */
function publicPorts(service: Service): readonly number[] {
  if (!service.public) return [];
  const endpoints = Object.values(service.http).map(({ port }) => port);
  const targets = portsOf(service).filter(({ protocol, port }) => protocol === 'TCP' && endpoints.includes(port));
  return [...new Set([service.port, ...targets.map(({ target }) => target)])].sort((a, b) => a - b);
}

function fromController(input: RenderInput, ports: readonly number[]): unknown {
  const { namespace, podLabels } = input.options.ingressController;
  return {
    from: [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        podSelector: { matchLabels: podLabels },
      },
    ],
    ports: ports.map((port) => ({ protocol: 'TCP', port })),
  };
}

function hasInternet(application: Application, service: Service): boolean {
  return service.networks.some((network) => application.networks[network]?.internal === false);
}

function servicePolicy(input: RenderInput, name: string, service: Service): Manifest {
  const { application, id } = input;
  const others = Object.keys(application.services).sort();
  const from = others.filter((other) => allowsPeer(application, other, name));
  const to = others.filter((other) => allowsPeer(application, name, other));
  const own = targetPorts(service);
  const podsOf = (peer: string): unknown => ({ podSelector: { matchLabels: serviceLabels(id, peer) } });
  const ingress: unknown[] = [];
  if (from.length > 0 && own.length > 0) ingress.push({ from: from.map(podsOf), ports: own });
  if (service.public) ingress.push(fromController(input, publicPorts(service)));
  const egress: unknown[] = [
    {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
  ];
  for (const peer of to) {
    const target = application.services[peer];
    const ports = target === undefined ? [] : targetPorts(target);
    if (ports.length > 0) egress.push({ to: [podsOf(peer)], ports });
  }
  if (hasInternet(application, service)) {
    egress.push({ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: NOT_PUBLIC } }] });
  }
  const labels = serviceLabels(id, name);
  return policy(input, policyName(name), { labels, podLabels: labels, ingress, egress });
}

/**
 * The policies of an application: deny all, then per service what its networks, its public portss and name resolution need. With a
 * TLS issuer, the solver pods of cert-manager accept the controller's challenge requests too (facts 3.5).
 */
export function renderNetworkPolicies(input: RenderInput): readonly Manifest[] {
  const { application, id, options } = input;
  const names = Object.keys(application.services).sort();
  const labels = ownershipLabels(id);
  const deny = policy(input, DEFAULT_DENY, { labels, podLabels: {}, ingress: [], egress: [] });
  const perService = names.flatMap((name) => {
    const service = application.services[name];
    return service === undefined ? [] : [servicePolicy(input, name, service)];
  });
  const services = names.flatMap((name) => application.services[name] ?? []);
  const needsSolver = services.some((service) => service.public && issuerOf(service, options) !== undefined);
  const acme = policy(input, ACME_POLICY, {
    labels,
    podLabels: { 'acme.cert-manager.io/http01-solver': 'true' },
    ingress: [fromController(input, [8089])],
    egress: [],
  });
  return [deny, ...(needsSolver ? [acme] : []), ...perService];
}
