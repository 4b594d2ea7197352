import { expect, test } from 'vitest';
import { changesBetween } from '../../src/plan/changes.ts';
import { APPLICATION_FIELDS, SERVICE_FIELDS } from '../../src/plan/fields.ts';
import { application } from '../spec/support.ts';

const SHOP = 'name = "shop"\n[services.web]\nimage = "nginx"\n';
const between = (previous: string | undefined, next: string) =>
  changesBetween(previous === undefined ? undefined : application(previous), application(next));
const fields = (changes: ReturnType<typeof between>): readonly string[] =>
  changes.map((c) => `${c.service}.${c.field}`);

const PLAIN = { internal: false, virtual_network: '', segment: '' };

/** What a volume brings with it. */
const RECREATE = 'update_strategy = "recreate"';

/** Ways to change one field alone: lines of the service before, lines added, the field, its value before and after. */
const CHANGED: readonly (readonly [string, string, string, unknown, unknown])[] = [
  ['', 'job = {}', 'job', null, { timeout_seconds: 300, retries: 0 }],
  [
    '',
    'bindings.A = { service = "db", protocol = "redis", password = { ref = "p" } }',
    'bindings',
    {},
    { A: { service: 'db', protocol: 'redis', database: '', username: '', password: { ref: 'p' } } },
  ],
  ['port = 80\npublic = true', 'http.a = { port = 80 }', 'http', {}, { a: { port: 80, domain: '' } }],
  ['', 'files.a = { mount_path = "/a", content = "canary" }', 'files', '[redacted]', '[redacted]'],
  ['', 'port = 80', 'port', 0, 80],
  ['', 'ports = [{ name = "a", port = 1 }]', 'ports', [], [{ name: 'a', port: 1, target_port: 1, protocol: 'TCP' }]],
  [
    'port = 80',
    'public_tcp = [{ port = 5000, target_port = 80, source_cidrs = ["0.0.0.0/0"] }]',
    'public_tcp',
    [],
    [{ port: 5000, target_port: 80, source_cidrs: ['0.0.0.0/0'] }],
  ],
  ['', 'network_access = {}', 'network_access', null, { from: [], from_applications: [] }],
  ['port = 80', 'public = true', 'public', false, true],
  ['', 'size = "large"', 'size', 'small', 'large'],
  ['', 'resources.cpu_limit = "2"', 'resources', null, { cpu_limit: '2' }],
  ['', 'replicas = 2', 'replicas', 1, 2],
  ['port = 80', 'healthcheck = "/"', 'healthcheck', '', '/'],
  [
    'port = 80',
    'readiness = { protocol = "tcp", port = 80 }',
    'readiness',
    null,
    {
      protocol: 'tcp',
      port: 80,
      tls_server_name: '',
      tls_ca_file: '',
      period_seconds: 5,
      timeout_seconds: 3,
      failure_threshold: 3,
    },
  ],
  ['port = 80\npublic = true', 'backend_http2 = true', 'backend_http2', false, true],
  ['', 'update_strategy = "recreate"', 'update_strategy', 'rolling', 'recreate'],
  ['', 'env.A = "canary"', 'env', {}, { A: '[redacted]' }],
  ['', 'command = ["a"]', 'command', [], ['a']],
  ['', 'args = ["a"]', 'args', [], ['a']],
  ['', 'depends_on = ["db"]', 'depends_on', [], ['db']],
  ['', 'networks = ["back", "default"]', 'networks', ['default'], ['back', 'default']],
  ['', 'private_egress = ["a"]', 'private_egress', [], ['a']],
  ['', 'secrets.A.ref = "b"', 'secrets', {}, { A: { ref: 'b' } }],
  [
    '',
    'secrets.A = { provider = "vault", path = "a", key = "b" }',
    'secrets',
    {},
    { A: { provider: 'vault', path: 'a', key: 'b' } },
  ],
  ['', 'autoscaling = { max_replicas = 2 }', 'autoscaling', null, { min_replicas: 1, max_replicas: 2, target_cpu: 70 }],
  ['', 'restart_nonce = "a"', 'restart_nonce', '', 'a'],
  ['', 'registry_credential = "a"', 'registry_credential', '', 'a'],
  [
    'port = 80\npublic = true',
    'tls = { issuer = "a" }',
    'tls',
    null,
    { certificate: '', issuer: 'a', issuer_kind: 'ClusterIssuer' },
  ],
  ['', 'aws_identity = "a"', 'aws_identity', '', 'a'],
  ['', 'container_daemon = "a"', 'container_daemon', '', 'a'],
  ['', 'runtime_profile = "a"', 'runtime_profile', '', 'a'],
  [
    '',
    'certificate_mounts = [{ certificate = "a", hostname = "a.example.com", mount_path = "/c" }]',
    'certificate_mounts',
    [],
    [{ certificate: 'a', source: '', hostname: 'a.example.com', mount_path: '/c' }],
  ],
  [
    RECREATE,
    'volume = { mount_path = "/a", size_gib = 1 }',
    'volume',
    null,
    { mount_path: '/a', size_gib: 1, storage_class: '' },
  ],
  [
    RECREATE,
    'mounts = [{ volume = "data", mount_path = "/a" }]',
    'mounts',
    [],
    [{ volume: 'data', mount_path: '/a', read_only: false, sub_path: '' }],
  ],
  [
    '',
    'temporary_mounts = [{ mount_path = "/a", size_mib = 1 }]',
    'temporary_mounts',
    [],
    [{ mount_path: '/a', size_mib: 1, memory: false }],
  ],
  ['', 'gpu = { count = 1 }', 'gpu', null, { count: 1 }],
  ['run_as_group = 10001\nfs_group = 10001', 'run_as_user = 2000', 'run_as_user', 10001, 2000],
  ['', 'run_as_group = 2000', 'run_as_group', 10001, 2000],
  ['', 'fs_group = 2000', 'fs_group', 10001, 2000],
  ['', 'read_only_root_filesystem = true', 'read_only_root_filesystem', false, true],
  ['', 'working_dir = "/a"', 'working_dir', '', '/a'],
  ['', 'termination_grace_seconds = 10', 'termination_grace_seconds', 30, 10],
  ['', 'architecture = "arm64"', 'architecture', '', 'arm64'],
  ['', 'node_name = "a"', 'node_name', '', 'a'],
  [
    'port = 80\npublic = true',
    'serverless = {}',
    'serverless',
    null,
    {
      min_replicas: 0,
      idle_seconds: 300,
      startup_timeout_seconds: 60,
      request_timeout_seconds: 60,
      max_concurrency: 16,
    },
  ],
  ['', 'suspended = true', 'suspended', false, true],
  ['', 'startup_timeout_seconds = 10', 'startup_timeout_seconds', null, 10],
  ['', 'kubernetes.deployment = "a: b"', 'kubernetes', null, { deployment: 'a: b' }],
];
const TAIL = '\n[services.db]\nimage = "redis"\nport = 6379\n[networks.back]\n[volumes.data]\nsize_gib = 1\n';
const SENSITIVE = ['env', 'secrets', 'files'];

test.each(CHANGED)('%s %s', (lines, added, field, before, after) => {
  const [from, to] = [`${SHOP}${lines}${TAIL}`, `${SHOP}${lines}\n${added}${TAIL}`];
  const sensitive = SENSITIVE.includes(field);
  expect(between(from, to)).toMatchObject([{ service: 'web', field, before, after, sensitive }]);
  expect(between(to, from)).toMatchObject([{ service: 'web', field, before: after, after: before, sensitive }]);
});

test('every field of a service has a case, and its place among the others', () => {
  const cases = [...new Set(CHANGED.map(([, , field]) => field))];
  // two kinds of services that exclude all others, and what excludes itself
  expect(Object.keys(SERVICE_FIELDS)).toEqual(['image', ...cases, 'build', 'actions', 'session']);
});

test('public, healthcheck, depends_on, networks, image and build', () => {
  const more = '\n[services.db]\nimage = "a"\n[networks.back]';
  const next =
    'name = "shop"\n[services.web]\nbuild = {}\nport = 80\npublic = true\nhealthcheck = "/"\ndepends_on = ["db"]\nnetworks = ["back"]';
  expect(fields(between(`${SHOP}port = 80${more}`, next + more))).toEqual(
    ['image', 'public', 'healthcheck', 'depends_on', 'networks', 'build'].map((f) => `web.${f}`),
  );
});

/** As above for the application: lines of its root, tables after the service, the field, before, after. */
const ROOT: readonly (readonly [string, string, string, unknown, unknown])[] = [
  ['inject_env = true', '', 'inject_env', false, true],
  ['', '[env]\nA = "canary"', 'env', {}, { A: '[redacted]' }],
  ['', '[secrets]\nA = { ref = "b" }', 'secrets', {}, { A: { ref: 'b' } }],
  ['', '[recovery]\non_failure = "disabled"', 'recovery', { on_failure: 'safe' }, { on_failure: 'disabled' }],
  ['name = "store"', '', 'name', 'shop', 'store'],
  [
    '',
    '[networks.a]\ninternal = true',
    'networks',
    { default: PLAIN },
    { default: PLAIN, a: { ...PLAIN, internal: true } },
  ],
  [
    '',
    '[volumes.a]\nsize_gib = 1',
    'volumes',
    {},
    { a: { size_gib: 1, storage_class: '', access_mode: 'ReadWriteOnce' } },
  ],
  ['', '[domains]\n"a.example.com" = "web"', 'domains', {}, { 'a.example.com': 'web' }],
];

test.each(ROOT)('%s%s of the application', (root, tables, field, before, after) => {
  const web = '\n[services.web]\nimage = "a"\nport = 80\npublic = true\n';
  const from = `name = "shop"${web}`;
  const to = `${root.startsWith('name') ? root : `name = "shop"\n${root}`}${web}${tables}`;
  const sensitive = SENSITIVE.includes(field);
  expect(between(from, to)).toMatchObject([{ service: '', field, before, after, sensitive }]);
  const isMap = !['inject_env', 'recovery', 'name'].includes(field);
  expect(between(from, to)[0]?.keys?.added.length).toBe(isMap ? 1 : undefined);
});

test('every field of the application has a case, in its order', () => {
  expect(Object.keys(APPLICATION_FIELDS)).toEqual(ROOT.map(([, , field]) => field));
});

test('a new service is compared with nothing', () => {
  expect(between(undefined, SHOP)).toEqual([
    { service: '', field: 'name', before: '', after: 'shop', sensitive: false },
    {
      service: '',
      field: 'networks',
      before: {},
      after: { default: PLAIN },
      sensitive: false,
      keys: { added: ['default'], removed: [], changed: [] },
    },
    { service: 'web', field: 'service', before: null, after: 'added', sensitive: false },
    { service: 'web', field: 'image', before: null, after: 'nginx', sensitive: false },
    { service: 'web', field: 'size', before: '', after: 'small', sensitive: false },
    { service: 'web', field: 'replicas', before: 0, after: 1, sensitive: false },
    { service: 'web', field: 'networks', before: [], after: ['default'], sensitive: false },
  ]);
});

test('a removed service is one change', () => {
  expect(between(SHOP, 'name = "shop"\n[services]')).toEqual([
    { service: 'web', field: 'service', before: 'present', after: null, sensitive: false },
  ]);
});

test('a service named like a property is new', () => {
  expect(fields(between(SHOP, `${SHOP}[services.constructor]\nimage = "a"`))[0]).toBe('constructor.service');
});

test('values of env never enter a change; which differ does', () => {
  const changes = between(
    `${SHOP}env = { A = "canary1", B = "canary2", C = "same" }`,
    `${SHOP}env = { B = "canary3", C = "same", D = "canary4" }`,
  );
  expect(JSON.stringify(changes)).not.toContain('canary');
  expect(changes[0]?.keys).toEqual({ added: ['D'], removed: ['A'], changed: ['B'] });
});

test('contents of files never enter a change; which differ does', () => {
  const file = (name: string, content: string): string =>
    `files.${name} = { mount_path = "/${name}", content = "${content}" }`;
  const changes = between(
    [SHOP, file('a', 'canary1'), file('b', 'canary2'), file('c', 'same')].join('\n'),
    [SHOP, file('b', 'canary3'), file('c', 'same'), file('d', 'canary4')].join('\n'),
  );
  expect(JSON.stringify(changes)).not.toContain('canary');
  expect(changes[0]?.keys).toEqual({ added: ['d'], removed: ['a'], changed: ['b'] });
});

test('a new service with files, and values of the application', () => {
  const changes = between(undefined, `${SHOP}files.a = { mount_path = "/a", content = "canary" }\n[env]\nB = "canary"`);
  expect(JSON.stringify(changes)).not.toContain('canary');
  expect(fields(changes)).toEqual(expect.arrayContaining(['.env', 'web.files']));
});
