import type { Manifest } from '../../src/kernel/index.ts';

/** A pod as policies see it. */
export type PolicyPod = { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
/** One end of a connection: a pod, or an address outside the cluster. */
export type End = PolicyPod | { readonly address: string };
export type PolicyPort = { readonly protocol: 'TCP' | 'UDP'; readonly port: number };

type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
};
type Peer = {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
};
type Rule = {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol?: string; readonly port?: number; readonly endPort?: number }[];
};
type PolicySpec = {
  readonly podSelector: Selector;
  readonly policyTypes?: readonly ('Ingress' | 'Egress')[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
};

/** Labels of namespaces besides the one each of them has, by name. */
type Namespaces = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Whether NetworkPolicies let one connection through, as Kubernetes says (networking.k8s.io/v1): a pod that no policy of a direction selects is
 * open in it; else one rule of one of them must allow the other end and the port of the destination. Both ends have to agree. `port` is the
 * pod's own.
 */
export function allowsConnection(
  policies: readonly Manifest[],
  connection: { readonly from: End; readonly to: End; readonly port: PolicyPort },
  namespaces: Namespaces = {},
): boolean {
  const { from, to, port } = connection;
  const passes = (own: End, other: End, direction: 'Ingress' | 'Egress'): boolean => {
    if ('address' in own) return true;
    const specs = policies
      .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === own.namespace)
      .map(({ spec }) => spec as PolicySpec)
      .filter((spec) => selects(spec.podSelector, own.labels) && typesOf(spec).includes(direction));
    if (specs.length === 0) return true;
    return specs.some((spec) => {
      const rules = (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [];
      return rules.some((rule) => {
        const peers = direction === 'Ingress' ? rule.from : rule.to;
        return (
          isAny(peers, (peer) => isPeer(peer, other, own.namespace, namespaces)) &&
          isAny(rule.ports, (one) => isPort(one, port))
        );
      });
    });
  };
  return passes(from, to, 'Egress') && passes(to, from, 'Ingress');
}

function typesOf({ policyTypes, egress }: PolicySpec): readonly string[] {
  return policyTypes ?? (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']);
}

/** A list that is absent or empty allows everything. */
function isAny<T>(list: readonly T[] | undefined, test: (one: T) => boolean): boolean {
  return list === undefined || list.length === 0 || list.some(test);
}

function isPeer(peer: Peer, other: End, own: string, namespaces: Namespaces): boolean {
  if (peer.ipBlock !== undefined) {
    if (!('address' in other)) return false;
    const { cidr, except = [] } = peer.ipBlock;
    return isIn(other.address, cidr) && !except.some((range) => isIn(other.address, range));
  }
  if ('address' in other) return false;
  const labels = { 'kubernetes.io/metadata.name': other.namespace, ...namespaces[other.namespace] };
  const isThere =
    peer.namespaceSelector === undefined ? other.namespace === own : selects(peer.namespaceSelector, labels);
  return isThere && (peer.podSelector === undefined || selects(peer.podSelector, other.labels));
}

function isPort(rule: NonNullable<Rule['ports']>[number], { protocol, port }: PolicyPort): boolean {
  if ((rule.protocol ?? 'TCP') !== protocol) return false;
  return rule.port === undefined || (port >= rule.port && port <= (rule.endPort ?? rule.port));
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          throw new Error(`unknown operator ${operator}`);
      }
    })
  );
}

function isIn(address: string, cidr: string): boolean {
  const [base = '', bits = ''] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size);
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
