/**
 * The normalised application: what every stage after `spec` reads. Defaults are filled, lists sorted, quantities canonical; the same
 * meaning gives the same digest. Field names are the file's own, so that canonical JSON of it is a valid specification too. Texts that
 * say nothing are empty, lists and maps that hold nothing are empty, and a table is absent where its absence means something.
 */
export type Application = {
  readonly schema_version: 1;
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  /** `default` is always there. */
  readonly networks: Readonly<Record<string, Network>>;
  readonly volumes: Readonly<Record<string, NamedVolume>>;
  /** Custom host name to service. */
  readonly domains: Readonly<Record<string, string>>;
  /** Merged into the services when `inject_env` is set; see `effectiveEnv`. */
  readonly env: Readonly<Record<string, string>>;
  /** Inherited by the services; see `effectiveSecrets`. */
  readonly secrets: Readonly<Record<string, SecretRef>>;
  readonly inject_env: boolean;
  readonly recovery: { readonly on_failure: 'safe' | 'disabled' };
};

/** `virtual_network` and `segment` are both empty or both set. */
export type Network = { readonly internal: boolean; readonly virtual_network: string; readonly segment: string };

export type NamedVolume = {
  readonly size_gib: number;
  /** Empty: the cluster's default class. */
  readonly storage_class: string;
  readonly access_mode: 'ReadWriteOnce' | 'ReadWriteMany';
};

export type Service = {
  /** Exactly one of `image` and `build` is set. */
  readonly image?: string;
  readonly build?: Build;
  /** 0: the service listens on nothing. */
  readonly port: number;
  /** Extra ports, sorted by name; the primary one is not among them. */
  readonly ports: readonly Port[];
  readonly public: boolean;
  /** Sorted by port. */
  readonly public_tcp: readonly PublicTcp[];
  readonly backend_http2: boolean;
  readonly size: Size;
  readonly resources?: Resources;
  /** The minimum when the service scales itself. */
  readonly replicas: number;
  readonly suspended: boolean;
  readonly autoscaling?: Autoscaling;
  readonly serverless?: Serverless;
  /** HTTP path, or empty. */
  readonly healthcheck: string;
  readonly readiness?: Readiness;
  readonly update_strategy: 'rolling' | 'recreate';
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, SecretRef>>;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly depends_on: readonly string[];
  readonly networks: readonly string[];
  /** Absent: every peer on a shared network may connect. Present and empty: none may. */
  readonly network_access?: NetworkAccess;
  readonly private_egress: readonly string[];
  readonly job?: Job;
  readonly files: Readonly<Record<string, FileMount>>;
  readonly http: Readonly<Record<string, HttpEndpoint>>;
  readonly volume?: Volume;
  readonly mounts: readonly Mount[];
  readonly temporary_mounts: readonly TemporaryMount[];
  readonly certificate_mounts: readonly CertificateMount[];
  readonly gpu?: { readonly count: number };
  readonly architecture: '' | 'amd64' | 'arm64';
  /** Name of the one node it runs on, or empty. */
  readonly node_name: string;
  /** Numeric ids, never 0 here: 10001 unless said otherwise; the groups default to the user. */
  readonly run_as_user: number;
  readonly run_as_group: number;
  readonly fs_group: number;
  readonly read_only_root_filesystem: boolean;
  readonly working_dir: string;
  readonly termination_grace_seconds: number;
  readonly restart_nonce: string;
  /** Seconds for container start and readiness; absent means the installation's rollout timeout. */
  readonly startup_timeout_seconds?: number;
  readonly kubernetes?: KubernetesPatches;
  readonly registry_credential: string;
  readonly aws_identity: string;
  readonly container_daemon: string;
  readonly runtime_profile: string;
  readonly tls?: Tls;
  readonly actions?: Actions;
  readonly session?: SandboxSession;
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

/** A port of the installation's public address. `source_cidrs` are masked and sorted. */
export type PublicTcp = {
  readonly port: number;
  readonly target_port: number;
  readonly source_cidrs: readonly string[];
};

/** `target_cpu` in percent of the request. */
export type Autoscaling = {
  readonly min_replicas: number;
  readonly max_replicas: number;
  readonly target_cpu: number;
};

export type Serverless = {
  readonly min_replicas: number;
  readonly idle_seconds: number;
  readonly startup_timeout_seconds: number;
  readonly request_timeout_seconds: number;
  readonly max_concurrency: number;
};

/** `port` is a declared TCP target port. */
export type Readiness = {
  readonly protocol: 'tcp' | 'smtp' | 'smtp_starttls';
  readonly port: number;
  readonly tls_server_name: string;
  readonly tls_ca_file: string;
  readonly period_seconds: number;
  readonly timeout_seconds: number;
  readonly failure_threshold: number;
};

/** A secret of the application, or one an external provider holds. */
export type SecretRef =
  | { readonly ref: string }
  | { readonly provider: string; readonly path: string; readonly key: string };

/** A connection URL to another service, built when it is deployed. `password` is absent for `http` alone. */
export type Binding = {
  readonly service: string;
  readonly protocol: 'http' | 'postgres' | 'mysql' | 'redis' | 'amqp';
  readonly database: string;
  readonly username: string;
  readonly password?: SecretRef;
};

/** Service names, and `application/service` pairs on shared virtual networks, that may connect. Sorted. */
export type NetworkAccess = { readonly from: readonly string[]; readonly from_applications: readonly string[] };

/** A deployment job; with `schedule` a scheduled one; with `invocation` one that people start. */
export type Job = {
  readonly timeout_seconds: number;
  readonly retries: number;
  readonly schedule?: Schedule;
  readonly invocation?: Invocation;
};

export type Schedule = { readonly cron: string; readonly timezone: string; readonly history_limit: number };

export type Invocation = {
  readonly allowed_identities: readonly string[];
  readonly input_keys: readonly string[];
  readonly max_input_bytes: number;
  readonly queue_limit: number;
};

/** Exactly one of `content` and `secret` is set. `mode` is the number Kubernetes takes: 292 (0444) or 288 (0440). */
export type FileMount = {
  readonly mount_path: string;
  readonly content?: string;
  readonly secret?: SecretRef;
  readonly mode: number;
};

/** An extra HTTP host name that leads to a declared TCP service port. `domain`: a custom one, or empty. */
export type HttpEndpoint = { readonly port: number; readonly domain: string };

/** The volume of one service (legacy form). */
export type Volume = { readonly mount_path: string; readonly size_gib: number; readonly storage_class: string };

export type Mount = {
  readonly volume: string;
  readonly mount_path: string;
  readonly read_only: boolean;
  readonly sub_path: string;
};

/** `memory`: on tmpfs, counted to the container's memory limit. */
export type TemporaryMount = { readonly mount_path: string; readonly size_mib: number; readonly memory: boolean };

/** Exactly one of `certificate` and `source` says something. */
export type CertificateMount = {
  readonly certificate: string;
  readonly source: '' | 'ingress';
  readonly hostname: string;
  readonly mount_path: string;
};

/** Exactly one of `certificate` (uploaded) and `issuer` says something. */
export type Tls = {
  readonly certificate: string;
  readonly issuer: string;
  readonly issuer_kind: 'ClusterIssuer' | 'Issuer';
};

/** A pool of CI runners. */
export type Actions = {
  readonly repository: string;
  readonly organization: string;
  readonly runner_group_id: number;
  readonly credential: string;
  readonly labels: readonly string[];
  readonly timeout_minutes: number;
  readonly workspace_size_gib: number;
};

export type SandboxSession = {
  readonly allowed_identities: readonly string[];
  readonly helper_command: readonly string[];
  readonly idle_seconds: number;
  readonly lifetime_seconds: number;
};

/** YAML text of strategic merge patches. */
export type KubernetesPatches = { readonly deployment?: string; readonly service?: string; readonly ingress?: string };

export type Build = {
  readonly context: string;
  readonly dockerfile: string;
  readonly target?: string;
  readonly build_args: Readonly<Record<string, string>>;
  /** Absent: a Dockerfile build. This and what follows is refused at plan. */
  readonly mode?: 'buildpacks' | 'framework';
  readonly preset?: 'nodejs' | 'python' | 'go' | 'java' | 'dotnet' | 'ruby' | 'static';
  readonly submodules?: true;
  /** Build secret to the name of a CI secret. */
  readonly build_secrets?: Readonly<Record<string, string>>;
};
