import type { Json } from '../kernel/index.ts';
import type { Application, Service } from '../spec/index.ts';

/** How one field is compared and shown. */
export type Rule = {
  /** What a service that does not exist yet is compared with. */
  readonly zero: Json;
  /** Marked in the change, because its values or names deserve care. */
  readonly sensitive: boolean;
  /** Entries by name: a change says which names differ. */
  readonly map: boolean;
  /** What may enter a plan: everything, of a map of texts the keys alone, or nothing. */
  readonly shown: 'all' | 'keys' | 'nothing';
};

/** A field whose `zero` is what a file that does not mention it means, or nothing at all where that is worth telling. */
function plain(zero: Json): Rule {
  return { zero, sensitive: false, map: false, shown: 'all' };
}

const MAP: Rule = { ...plain({}), map: true };
const ENV: Rule = { ...MAP, sensitive: true, shown: 'keys' };
// references only: a secret's value is in no specification
const SECRETS: Rule = { ...MAP, sensitive: true };
const FILES: Rule = { ...MAP, sensitive: true, shown: 'nothing' };

/** Facts 2.12, in its order, then what it does not mention. A field added to `Service` and not to this table does not compile. */
export const SERVICE_FIELDS: { readonly [F in keyof Service]-?: Rule } = {
  image: plain(null),
  job: plain(null),
  bindings: MAP,
  http: MAP,
  files: FILES,
  port: plain(0),
  ports: plain([]),
  public_tcp: plain([]),
  network_access: plain(null),
  public: plain(false),
  size: plain(''),
  resources: plain(null),
  replicas: plain(0),
  healthcheck: plain(''),
  readiness: plain(null),
  backend_http2: plain(false),
  update_strategy: plain('rolling'),
  env: ENV,
  command: plain([]),
  args: plain([]),
  depends_on: plain([]),
  networks: plain([]),
  private_egress: plain([]),
  secrets: SECRETS,
  autoscaling: plain(null),
  restart_nonce: plain(''),
  registry_credential: plain(''),
  tls: plain(null),
  aws_identity: plain(''),
  container_daemon: plain(''),
  runtime_profile: plain(''),
  certificate_mounts: plain([]),
  volume: plain(null),
  mounts: plain([]),
  temporary_mounts: plain([]),
  gpu: plain(null),
  run_as_user: plain(10_001),
  run_as_group: plain(10_001),
  fs_group: plain(10_001),
  read_only_root_filesystem: plain(false),
  working_dir: plain(''),
  termination_grace_seconds: plain(30),
  architecture: plain(''),
  node_name: plain(''),
  serverless: plain(null),
  suspended: plain(false),
  startup_timeout_seconds: plain(null),
  kubernetes: plain(null),
  build: plain(null),
  actions: plain(null),
  session: plain(null),
};

/** The application's own fields but `services`, in the order of facts 2.12; `schema_version` has one value. */
export const APPLICATION_FIELDS: { readonly [F in Exclude<keyof Application, 'services' | 'schema_version'>]: Rule } = {
  inject_env: plain(false),
  env: ENV,
  secrets: SECRETS,
  recovery: plain({ on_failure: 'safe' }),
  name: plain(''),
  networks: MAP,
  volumes: MAP,
  domains: MAP,
};
