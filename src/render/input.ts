import type { ApplicationKey } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';

/** What the installation decides for every application. */
export type RenderOptions = {
  /** Public services get a host name under it; without it a public service is refused. */
  readonly appDomain?: string;
  readonly ingressClass: string;
  /** Seconds a service has to become ready when it sets no `startup_timeout_seconds` (facts 3.3: 30 to 900). */
  readonly rolloutTimeoutSeconds: number;
  /** A cert-manager ClusterIssuer; when set, public hosts are served over TLS. */
  readonly tlsIssuer?: string;
  /** Where the ingress controller's pods are, for network policies. */
  readonly ingressController: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
  /** Version of the Pod Security standard `restricted`, such as `v1.35`. */
  readonly podSecurityVersion: string;
  /** Port of public URLs when it is not the scheme's own. */
  readonly publicPort?: number;
};

/** The installation's defaults (facts 3.3 to 3.5). */
export const DEFAULT_RENDER_OPTIONS: RenderOptions = {
  ingressClass: 'haproxy',
  rolloutTimeoutSeconds: 180,
  ingressController: {
    namespace: 'haproxy-controller',
    podLabels: {
      'app.kubernetes.io/name': 'kubernetes-ingress',
      'app.kubernetes.io/instance': 'hakopod-ingress',
    },
  },
  podSecurityVersion: 'v1.35',
};

export type RenderInput = {
  readonly application: Application;
  readonly key: ApplicationKey;
  /** 32 lowercase hex digits, immutable; names the namespace. */
  readonly id: string;
  readonly revision: number;
  /** Name of the release: `project.environment.name.revision`. */
  readonly operation: string;
  /** Service to image reference with `@sha256:`. */
  readonly images: Readonly<Record<string, string>>;
  /** Service to key to base64 value: the snapshot of everything secret the services read, as `secretValues` makes it. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Group of services that share storage to the names of the nodes it may run on; a group that is not in it runs anywhere. */
  readonly placement?: Readonly<Record<string, readonly string[]>>;
  /** Service to the name of the registry credentials its image is pulled with; their login is among its `secrets`. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Custom domains whose ownership is verified; the others lead nowhere. */
  readonly domains?: readonly string[];
  /** Service to its uploaded certificate and key, base64. */
  readonly certificates?: Readonly<Record<string, { readonly certificate: string; readonly key: string }>>;
  /** Keys the hash in the names of environment secrets, so that a name confirms no guessed value. Any installation secret. */
  readonly snapshotKey?: string;
  /** Marks the Jobs of one attempt, so that a create with an unknown outcome can be recognised afterwards. */
  readonly creationId: string;
  /** For people only: tags are allowed and secrets are left out. Such a rendering is never applied. */
  readonly preview?: boolean;
  readonly options: RenderOptions;
};
