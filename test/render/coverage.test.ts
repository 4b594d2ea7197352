import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/kernel/index.ts';
import { type RenderInput, renderApplication } from '../../src/render/index.ts';
import type { Application, Service } from '../../src/spec/index.ts';
import { inputFor } from './fixture.ts';

/*
 * Nothing is half understood: every field of the specification changes what is rendered, is refused, or is another stage's, which is named
 * here. The tables have a place for each field of the types, so that a new field does not compile without one.
 */

type Case =
  /** Lines of the service that stay, lines that are added, and lines behind the service. */
  | { readonly with?: string; readonly adds: string; readonly tail?: string }
  /** Refused, at this field. */
  | { readonly refused: string; readonly with?: string; readonly tail?: string; readonly at?: string }
  /** What reads the field instead of the rendering. */
  | { readonly elsewhere: string };

const PUBLIC = 'port = 80\npublic = true';
const JOB = '[services.web.job]';
const DB = '[services.db]\nimage = "db"\nport = 5432';

const SERVICE: Readonly<Record<keyof Service, Case>> = {
  image: { elsewhere: 'resolved to a digest, which is rendered' },
  build: { elsewhere: 'built, and rendered as the digest of what was built' },
  kubernetes: { elsewhere: 'the patch stage' },
  port: { adds: 'port = 80' },
  ports: { adds: 'ports = [{ name = "a", port = 81 }]' },
  public: { with: 'port = 80', adds: 'public = true' },
  public_tcp: {
    with: 'port = 80',
    refused: 'public_tcp = [{ port = 5000, target_port = 80, source_cidrs = ["0.0.0.0/0"] }]',
  },
  backend_http2: { with: PUBLIC, adds: 'backend_http2 = true' },
  size: { adds: 'size = "large"' },
  resources: { adds: 'resources.cpu_limit = "2"' },
  replicas: { adds: 'replicas = 2' },
  suspended: { adds: 'suspended = true' },
  autoscaling: { adds: 'autoscaling = { max_replicas = 2 }' },
  serverless: { with: PUBLIC, refused: 'serverless = {}' },
  healthcheck: { with: 'port = 80', adds: 'healthcheck = "/"' },
  readiness: { with: 'port = 80', adds: 'readiness = { protocol = "tcp", port = 80 }' },
  update_strategy: { adds: 'update_strategy = "recreate"' },
  env: { adds: 'env = { A = "1" }' },
  secrets: { adds: 'secrets = { A = { ref = "a" } }' },
  bindings: {
    adds: 'bindings.A = { service = "db", protocol = "redis", password = { ref = "p" } }',
    tail: DB,
  },
  command: { adds: 'command = ["/a"]' },
  args: { adds: 'args = ["a"]' },
  depends_on: { adds: 'depends_on = ["worker"]', tail: '[services.worker]\nimage = "worker"' },
  networks: { adds: 'networks = ["back"]', tail: '[networks.back]' },
  network_access: { with: 'port = 80', adds: 'network_access = {}', tail: '[services.other]\nimage = "other"' },
  private_egress: { refused: 'private_egress = ["vpn"]' },
  job: { adds: JOB },
  files: { adds: 'files.a = { mount_path = "/a", content = "a" }' },
  http: { with: PUBLIC, adds: 'http.a = { port = 80 }' },
  volume: { with: 'update_strategy = "recreate"', adds: 'volume = { mount_path = "/a", size_gib = 1 }' },
  mounts: {
    with: 'update_strategy = "recreate"',
    adds: 'mounts = [{ volume = "a", mount_path = "/a" }]',
    tail: '[volumes.a]\nsize_gib = 1',
  },
  temporary_mounts: { adds: 'temporary_mounts = [{ mount_path = "/a", size_mib = 1 }]' },
  certificate_mounts: {
    refused: 'certificate_mounts = [{ certificate = "a", hostname = "a.example.com", mount_path = "/c" }]',
  },
  gpu: { adds: 'gpu = { count = 1 }' },
  architecture: { adds: 'architecture = "arm64"' },
  node_name: { adds: 'node_name = "node-1"' },
  run_as_user: { with: 'run_as_group = 5\nfs_group = 5', adds: 'run_as_user = 7' },
  run_as_group: { adds: 'run_as_group = 7' },
  fs_group: { adds: 'fs_group = 7' },
  read_only_root_filesystem: { adds: 'read_only_root_filesystem = true' },
  working_dir: { adds: 'working_dir = "/srv"' },
  termination_grace_seconds: { adds: 'termination_grace_seconds = 7' },
  restart_nonce: { adds: 'restart_nonce = "again"' },
  startup_timeout_seconds: { with: 'port = 80', adds: 'startup_timeout_seconds = 77' },
  registry_credential: { elsewhere: 'what opened the image is pulled with: test/render/pull-secret.test.ts' },
  aws_identity: { refused: 'aws_identity = "a"' },
  container_daemon: { refused: 'container_daemon = "a"' },
  runtime_profile: { refused: 'runtime_profile = "a"' },
  tls: { with: PUBLIC, adds: 'tls = { issuer = "own" }' },
  actions: { refused: 'actions = { repository = "a/b", credential = "c" }' },
  session: { elsewhere: 'refused, see test/plan/unsupported.test.ts: it needs a file of its own' },
};

const APPLICATION: Readonly<Record<keyof Application, Case>> = {
  schema_version: { elsewhere: 'only 1 is read' },
  name: { elsewhere: 'the key of the application, which names the label' },
  services: { adds: '', tail: '[services.more]\nimage = "more"' },
  networks: { adds: '', tail: '[networks.default]\ninternal = true' },
  volumes: { adds: '', tail: '[volumes.a]\nsize_gib = 1' },
  domains: { elsewhere: 'inactive until their ownership is verified' },
  env: { adds: '', tail: '[env]\nA = "1"' },
  secrets: { adds: '', tail: '[secrets]\nA = { ref = "a" }' },
  inject_env: { elsewhere: 'with env' },
  recovery: { elsewhere: 'what a failed release does next' },
};

const head = (injects: boolean): string => `schema_version = 1\nname = "shop"\n${injects ? 'inject_env = true\n' : ''}`;

function input(service: string, tail: string): RenderInput {
  return inputFor(`${head(tail.startsWith('[env]'))}[services.web]\nimage = "web"\n${service}\n${tail}`);
}

function render(service: string, tail: string): string {
  const result = renderApplication(input(service, tail));
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  const { workloads, ...rest } = result.value;
  return canonicalJson({ ...rest, workloads });
}

const CASES = [
  ...Object.entries(SERVICE).map(([field, is]) => [`services.web.${field}`, is] as const),
  ...Object.entries(APPLICATION).map(([field, is]) => [field, is] as const),
];

test.each(CASES)('%s is rendered, refused or another stage’s', (field, is) => {
  if ('elsewhere' in is) return;
  if ('refused' in is) {
    const result = renderApplication(input(`${is.with ?? ''}\n${is.refused}`, is.tail ?? ''));
    expect(result).toMatchObject({ ok: false, problem: { code: 'unsupported_feature', at: is.at ?? field } });
    return;
  }
  const tail = is.tail ?? '';
  const before = render(is.with ?? '', is.adds === '' ? '' : tail);
  expect(render(`${is.with ?? ''}\n${is.adds}`, tail)).not.toBe(before);
});
