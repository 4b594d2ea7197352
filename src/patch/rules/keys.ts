import type { Json } from '../../kernel/index.ts';
import { own } from '../json.ts';
import { asMap, identical, inBrackets } from './json.ts';
import { type ObjectRule, object, type ProtectedChange, protectedField, type Rule } from './rule.ts';

/** Why a key may not be added, or not with this value; `undefined` when it may. */
type Judge = (key: string, value: Json | undefined) => string | undefined;

/** Labels Kubernetes recommends for every tool; `managed-by` is missing because it says who owns the object. */
const RECOMMENDED = new Set(
  ['name', 'instance', 'version', 'component', 'part-of'].map((name) => `app.kubernetes.io/${name}`),
);

/** Prefix of the labels of cert-manager's solver pods, to which a network policy of ours opens a port (facts 3.5). */
const SOLVER_PREFIX = 'acme.cert-manager.io/';

/** What stands before the name of a key, in lower case: Kubernetes validates annotation keys without regard to case. */
function prefixOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/'))).toLowerCase();
}

/** Why no label or annotation with this key may be added (spec kubernetes-patches, "every object"). */
function reserved(key: string): string | undefined {
  if (key.toLowerCase().includes('hakopod')) return "keys that contain hakopod are Hakopod's own";
  if (/(^|\.)(kubernetes|k8s)\.io\.?$/.test(prefixOf(key))) {
    return 'prefixes of kubernetes.io and k8s.io are reserved, but for the recommended app.kubernetes.io labels';
  }
  return undefined;
}

function reservedLabel(key: string): string | undefined {
  return RECOMMENDED.has(key) ? undefined : reserved(key);
}

function reservedPodLabel(key: string): string | undefined {
  if (prefixOf(key) === SOLVER_PREFIX.slice(0, -1)) return 'network policies select pods by this prefix';
  return reservedLabel(key);
}

/** Annotations of a pod that its network plugin or its container runtime reads: how it is connected and confined. */
const CONNECTING = new RegExp(
  [
    '^[^/]*\\.cni\\.cncf\\.io/|^cni\\.|^[^/]*multus-cni\\.io/|^k8s\\.ovn\\.org/',
    '^io\\.kubernetes\\.cri|^io\\.(?:containerd|katacontainers)\\.|^[^/]*\\.nri\\.io/|^run\\.oci\\.|^org\\.systemd\\.property\\.',
  ].join('|'),
  'i',
);

function reservedPodAnnotation(key: string): string | undefined {
  return CONNECTING.test(key) ? 'network plugins and container runtimes read this prefix' : reserved(key);
}

/** Annotations of the ingress controller that inject configuration, read a Secret or change what Hakopod Edge sees. */
const HAPROXY_REFUSED = new Set([
  'auth-type',
  'auth-secret',
  'auth-realm',
  'server-ca',
  'server-crt',
  'client-ca',
  'client-crt-optional',
  'ssl-certificate',
  'ssl-passthrough',
  'src-ip-header',
  'route-acl',
  'path-rewrite',
  'set-host',
  'standalone-backend',
  // Another name for the class of an Ingress, which is protected.
  'ingress.class',
]);

/** Why the ingress controller may not be told this, by the name of an annotation without its prefix. */
function refusedByHaproxy(key: string): string | undefined {
  const name = nameOf(key);
  const refused = name.endsWith('-snippet') || name.startsWith('cr-') || HAPROXY_REFUSED.has(name);
  return refused
    ? 'HAProxy annotations that inject configuration, read a Secret or change what Hakopod Edge sees are refused'
    : undefined;
}

/** Of which each line is a value of its own to the ingress controller. */
const SEVERAL_LINES = new Set(['request-set-header', 'response-set-header', 'request-capture']);

/** What the ingress controller reads of a Service, beside what is refused. */
const OF_BACKENDS = new Set([
  ...['abortonclose', 'check', 'check-http', 'check-interval', 'cookie-persistence', 'forwarded-for', 'load-balance'],
  ...['pod-maxconn', 'send-proxy-protocol', 'server-proto', 'server-ssl', 'timeout-check', 'timeout-server'],
]);

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1).toLowerCase();
}

/** The controller writes some values into HAProxy's configuration as they are, where a new line is a new directive. */
function refusedLines(key: string, value: Json | undefined): string | undefined {
  const isOneLine = typeof value !== 'string' || SEVERAL_LINES.has(nameOf(key)) || !/[\r\n]/.test(value);
  return isOneLine ? undefined : 'a value of more than one line could inject configuration';
}

function reservedIngressAnnotation(key: string, value: Json | undefined): string | undefined {
  if (!key.startsWith('haproxy.org/')) return 'an Ingress takes only annotations under haproxy.org/';
  return reserved(key) ?? refusedByHaproxy(key) ?? refusedLines(key, value);
}

/** The ingress controller reads annotations of a Service too, and by name: it cuts off whatever prefix there is. */
function reservedServiceAnnotation(key: string, value: Json | undefined): string | undefined {
  return (
    reserved(key) ?? refusedByHaproxy(key) ?? (OF_BACKENDS.has(nameOf(key)) ? refusedLines(key, value) : undefined)
  );
}

/**
 * A map of which Hakopod's keys stay and others may be added, unless `judge` says why not. `overrides`: keys of Hakopod's whose value may
 * change, though they may not go.
 */
export function addedKeys(condition: string, judge: Judge, overrides: (key: string) => boolean = () => false): Rule {
  const stays = 'what Hakopod sets here can not be changed or removed';
  const ruleFor = (key: string, ours: boolean, next: Json | undefined): string | undefined =>
    ours && (next === undefined || !overrides(key)) ? stays : judge(key, next);
  return {
    kind: 'value',
    condition,
    check: ({ path, before, after }) => {
      const [old, now] = [asMap(before ?? {}), asMap(after ?? {})];
      if (old === undefined || now === undefined) return [{ field: path, rule: 'it has to keep its type' }];
      const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
        (key) => !identical(own(old, key), own(now, key)),
      );
      return changed.flatMap((key): ProtectedChange[] => {
        const rule = ruleFor(key, Object.hasOwn(old, key), own(now, key));
        return rule === undefined ? [] : [{ field: `${path}${inBrackets(key)}`, rule }];
      });
    },
  };
}

const NEW = 'new keys without hakopod or a kubernetes.io or k8s.io prefix; those Hakopod sets stay';
const LABELS = `${NEW}; the recommended app.kubernetes.io/ labels may be added`;
const NAMES = {
  name: protectedField('it is the name of the service'),
  namespace: protectedField("it is the application's"),
};

function metadata(labels: Rule, annotations: Rule, condition = 'only labels and annotations'): ObjectRule {
  return object({ labels, annotations, ...NAMES }, { condition });
}

/** Metadata of a Deployment. */
export const METADATA = metadata(addedKeys(LABELS, reservedLabel), addedKeys(NEW, reserved));

/** Metadata of the pod template of a Deployment. */
export const POD_METADATA = metadata(
  addedKeys(`${LABELS}; none under ${SOLVER_PREFIX}`, reservedPodLabel),
  addedKeys(`${NEW}; none that network plugins or container runtimes read`, reservedPodAnnotation),
);

/** Metadata of a Service. */
export const SERVICE_METADATA = metadata(
  addedKeys(LABELS, reservedLabel),
  addedKeys(`${NEW}; none of a name refused on an Ingress, whatever its prefix`, reservedServiceAnnotation),
);

/** Metadata of an Ingress. */
export const INGRESS_METADATA = metadata(
  protectedField('an Ingress takes only annotations under haproxy.org/'),
  addedKeys(
    'under haproxy.org/, added or changed; none of *-snippet, cr-* and the refused names',
    reservedIngressAnnotation,
    (key) => key.startsWith('haproxy.org/'),
  ),
  'only annotations',
);
