/**
 * The normalised application: what every stage after `spec` reads. Defaults are filled, lists sorted, quantities canonical; the same
 * meaning gives the same digest. Field names are the file's own, so that canonical JSON of it is a valid specification too.
 */
export type Application = {
  readonly schema_version: 1;
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  /** `default` is always there. */
  readonly networks: Readonly<Record<string, Network>>;
  /** Custom host name to service. */
  readonly domains: Readonly<Record<string, string>>;
};

export type Network = { readonly internal: boolean };

export type Service = {
  /** Exactly one of `image` and `build` is set. */
  readonly image?: string;
  readonly build?: Build;
  /** 0: the service listens on nothing. */
  readonly port: number;
  /** Extra ports, sorted by name; the primary one is not among them. */
  readonly ports: readonly Port[];
  readonly public: boolean;
  readonly size: Size;
  readonly resources?: Resources;
  readonly replicas: number;
  /** HTTP path, or empty. */
  readonly healthcheck: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, SecretRef>>;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly depends_on: readonly string[];
  readonly networks: readonly string[];
  readonly job?: Job;
  /** Seconds for container start and readiness; absent means the installation's rollout timeout. */
  readonly startup_timeout_seconds?: number;
  readonly kubernetes?: KubernetesPatches;
};

export type Size = 'small' | 'medium' | 'large' | 'compute' | 'gpu';

/** Kubernetes quantities in canonical form; absent ones come from the size's profile. */
export type Resources = {
  readonly cpu_request?: string;
  readonly cpu_limit?: string;
  readonly memory_request?: string;
  readonly memory_limit?: string;
};

export type Port = {
  readonly name: string;
  readonly port: number;
  readonly target_port: number;
  readonly protocol: 'TCP' | 'UDP';
};

export type SecretRef = { readonly ref: string };

export type Job = { readonly timeout_seconds: number; readonly retries: number };

/** YAML text of strategic merge patches. */
export type KubernetesPatches = { readonly deployment?: string; readonly service?: string; readonly ingress?: string };

export type Build = {
  readonly context: string;
  readonly dockerfile: string;
  readonly target?: string;
  readonly build_args: Readonly<Record<string, string>>;
};
