import fc from 'fast-check';

/*
 * Files that are valid by construction, with all tables that can stand together. Names are fixed, so that references hold.
 */

const text = fc.string({ maxLength: 30, unit: 'grapheme' }).filter((s) => !s.includes('\0') && !s.includes('@'));
const env = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9]{0,6}Q$/), text, { maxKeys: 5 });
const some = <T>(value: T): fc.Arbitrary<T | undefined> => fc.option(fc.constant(value), { nil: undefined });
const shuffled = <T>(...list: readonly T[]): fc.Arbitrary<T[]> => fc.shuffledSubarray([...list]);
const secret = fc.constantFrom<unknown>(
  { ref: 'a' },
  { ref: 'b', provider: '', path: '', key: '' },
  { provider: 'vault', path: 'team/app', key: 'k' },
  { provider: 'vault', key: 'k' },
);

const common = {
  image: fc.constantFrom('nginx', 'ghcr.io/a/b:1', `a@sha256:${'0'.repeat(64)}`),
  size: fc.constantFrom('', 'small', 'large', 'gpu'),
  env,
  command: fc.array(
    text.filter((s) => s.trim() !== ''),
    { maxLength: 3 },
  ),
  args: fc.array(text, { maxLength: 3 }),
  resources: fc.constantFrom({}, { cpu_request: '0.1' }, { memory_limit: '16384Mi', cpu_limit: '' }),
  secrets: fc.dictionary(fc.constantFrom('S1', 'S2'), secret),
  networks: fc.constantFrom(['default'], ['default', 'back'], ['back', 'default']),
  run_as_user: fc.constantFrom(0, 10_001, 70),
  run_as_group: fc.constantFrom(0, 70),
  working_dir: fc.constantFrom('', '/', '/app'),
  termination_grace_seconds: fc.constantFrom(0, 30, 300),
  restart_nonce: fc.constantFrom('', 'a_B-1'),
  registry_credential: fc.constantFrom('', 'cred'),
  temporary_mounts: shuffled(
    { mount_path: '/tmp/a', size_mib: 1 },
    { mount_path: '/tmp/b', size_mib: 2, memory: true },
  ),
  private_egress: shuffled('one', 'two'),
  node_name: fc.constantFrom('', 'node-1'),
};

const ports = shuffled(
  { name: 'metrics', port: 9100 },
  { name: 'udp', port: 80, protocol: 'udp' },
  { name: 'alt', port: 9200, target_port: 9300, protocol: 'tcp' },
);

/** A service others bind to. */
const db = fc.record(
  {
    ...common,
    port: fc.constant(5432),
    network_access: fc.constant({ from: ['web', 'job'] }),
    volume: fc.constant({ mount_path: '/data', size_gib: 5, storage_class: '' }),
  },
  { requiredKeys: ['image', 'port'] },
);

const web = fc.record(
  {
    ...common,
    port: fc.constant(80),
    ports,
    public: fc.constant(true),
    replicas: fc.integer({ min: 0, max: 20 }),
    healthcheck: fc.constantFrom('', '/healthz'),
    readiness: fc.constantFrom({}, { protocol: 'tcp', port: 80 }, { protocol: 'smtp', port: 80, period_seconds: 9 }),
    tls: fc.constantFrom({}, { issuer: 'i', issuer_kind: 'Issuer' }, { certificate: 'c' }),
    autoscaling: fc.constantFrom({ max_replicas: 3 }, { min_replicas: 2, max_replicas: 4, target_cpu: 50 }),
    depends_on: shuffled('db', 'job'),
    files: fc.constantFrom(
      {},
      { a: { mount_path: '/etc/app/a', content: 'x' }, b: { mount_path: '/b', secret: { ref: 's' }, mode: 288 } },
    ),
    http: fc.constantFrom({}, { root: { port: 80 } }),
    bindings: fc.constantFrom(
      {},
      { DB: { service: 'db', protocol: 'postgres', username: 'u', database: 'd', password: { ref: 'p' } } },
      { DB: { service: 'db', protocol: 'http', password: {} } },
    ),
    certificate_mounts: some([{ source: 'ingress', hostname: 'a.example.com', mount_path: '/certs' }]),
    kubernetes: fc.constantFrom({}, { deployment: 'metadata: {}', ingress: '' }),
  },
  { requiredKeys: ['image', 'port', 'public'] },
);

const job = fc.record(
  {
    ...common,
    job: fc.constantFrom({}, { timeout_seconds: 20, retries: 1 }),
    replicas: fc.constantFrom(0, 1),
  },
  { requiredKeys: ['image', 'job'] },
);

/** Two services on one volume. */
const worker = fc.record(
  {
    image: common.image,
    mounts: fc.constantFrom(
      [{ volume: 'shared', mount_path: '/shared' }],
      [
        { volume: 'shared', mount_path: '/z', sub_path: 'z' },
        { volume: 'shared', mount_path: '/a', read_only: true },
      ],
    ),
    architecture: fc.constantFrom('', 'arm64'),
    suspended: fc.boolean(),
  },
  { requiredKeys: ['image', 'mounts'] },
);

const nightly = fc.record({
  image: common.image,
  job: fc.constantFrom(
    { schedule: { cron: '5  4 * * mon' } },
    { schedule: { cron: '* * * * *', timezone: 'Europe/Berlin', history_limit: 2 } },
    { invocation: { allowed_identities: ['b'.repeat(32), 'a'.repeat(32)], input_keys: ['y', 'x'] } },
  ),
});

/** A whole file as JSON. */
export const file = fc.record(
  {
    name: fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/),
    services: fc.record(
      { web, db, job, worker, 'worker-two': worker, nightly },
      { requiredKeys: ['web', 'db', 'job'] },
    ),
    networks: fc.constantFrom(
      { back: {} },
      { back: { internal: true }, default: { virtual_network: '', segment: '' } },
    ),
    volumes: fc.constantFrom(
      { shared: { size_gib: 3 } },
      { shared: { size_gib: 3, storage_class: 'nfs', access_mode: 'ReadWriteMany' } },
    ),
    domains: fc.constantFrom({}, { 'a.example.com': 'web' }),
    env: fc.dictionary(fc.constantFrom('APP1', 'APP2'), text),
    secrets: fc.dictionary(fc.constantFrom('S3', 'S4'), secret),
    inject_env: fc.boolean(),
    recovery: fc.constantFrom({}, { on_failure: 'disabled' }),
  },
  { requiredKeys: ['name', 'services', 'networks', 'volumes'] },
);
