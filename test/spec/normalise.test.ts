import { expect, test } from 'vitest';
import { parseSpecJson, specDigest } from '../../src/spec/index.ts';
import { application, faults, web, withService } from './support.ts';

test('defaults', () => {
  expect(application('name = "shop"\n[services.web]\nimage = "nginx"')).toEqual({
    schema_version: 1,
    name: 'shop',
    services: {
      web: {
        image: 'nginx',
        port: 0,
        ports: [],
        public: false,
        public_tcp: [],
        backend_http2: false,
        size: 'small',
        replicas: 1,
        suspended: false,
        healthcheck: '',
        update_strategy: 'rolling',
        env: {},
        secrets: {},
        bindings: {},
        command: [],
        args: [],
        depends_on: [],
        networks: ['default'],
        private_egress: [],
        files: {},
        http: {},
        mounts: [],
        temporary_mounts: [],
        certificate_mounts: [],
        architecture: '',
        node_name: '',
        run_as_user: 10001,
        run_as_group: 10001,
        fs_group: 10001,
        read_only_root_filesystem: false,
        working_dir: '',
        termination_grace_seconds: 30,
        restart_nonce: '',
        registry_credential: '',
        aws_identity: '',
        container_daemon: '',
        runtime_profile: '',
      },
    },
    networks: { default: { internal: false, virtual_network: '', segment: '' } },
    volumes: {},
    domains: {},
    env: {},
    secrets: {},
    inject_env: false,
    recovery: { on_failure: 'safe' },
  });
});

test('explicit empty values say the same as absence', () => {
  const lists = [
    'ports',
    'public_tcp',
    'command',
    'args',
    'depends_on',
    'private_egress',
    'mounts',
    'temporary_mounts',
  ];
  const texts = [
    'size',
    'healthcheck',
    'update_strategy',
    'architecture',
    'node_name',
    'working_dir',
    'restart_nonce',
    'registry_credential',
    'aws_identity',
    'container_daemon',
    'runtime_profile',
  ];
  const zeros = ['port', 'replicas', 'run_as_user', 'run_as_group', 'fs_group', 'termination_grace_seconds'];
  const flags = ['public', 'backend_http2', 'suspended', 'read_only_root_filesystem'];
  const tables = ['env', 'secrets', 'bindings', 'files', 'http', 'volume', 'gpu', 'readiness', 'tls', 'resources'];
  const set = (names: readonly string[], value: string): string => names.map((name) => `${name} = ${value}\n`).join('');
  const empty = withService(
    [
      set([...lists, 'certificate_mounts'], '[]'),
      set(texts, '""'),
      set([...zeros, 'startup_timeout_seconds'], '0'),
      set(flags, 'false'),
      set([...tables, 'kubernetes'], '{}'),
    ].join(''),
    '[networks]\n[domains]\n[volumes]\n[env]\n[secrets]\n[recovery]',
  );
  expect(application(`schema_version = 0\ninject_env = false\n${empty}`)).toEqual(application(withService('')));
});

test('tables of empty values say nothing either', () => {
  const empty = [
    'volume = { mount_path = "", size_gib = 0, storage_class = "" }',
    'gpu = { count = 0 }',
    'readiness = { protocol = "", port = 0, tls_server_name = "", tls_ca_file = "", period_seconds = 0, timeout_seconds = 0, failure_threshold = 0 }',
    'tls = { certificate = "", issuer = "", issuer_kind = "" }',
    'resources = { cpu_request = "", cpu_limit = "", memory_request = "", memory_limit = "" }',
    'kubernetes = { deployment = "", service = "", ingress = "" }',
  ].join('\n');
  expect(
    application(
      withService(empty, '[recovery]\non_failure = ""\n[networks.default]\nvirtual_network = ""\nsegment = ""'),
    ),
  ).toEqual(application(withService('')));
});

test('job, network_access and serverless mean something when they are empty, and autoscaling wants its maximum', () => {
  expect(web('job = {}').job).toEqual({ timeout_seconds: 300, retries: 0 });
  expect(web('network_access = {}').network_access).toEqual({ from: [], from_applications: [] });
  expect(web('port = 1\npublic = true\nserverless = {}').serverless).toEqual({
    min_replicas: 0,
    idle_seconds: 300,
    startup_timeout_seconds: 60,
    request_timeout_seconds: 60,
    max_concurrency: 16,
  });
  expect(faults(withService('autoscaling = {}'))).toEqual(['services.web.autoscaling.max_replicas']);
});

test('autoscaling sets the replicas', () => {
  expect(web('replicas = 9\nautoscaling = { min_replicas = 2, max_replicas = 5 }')).toMatchObject({
    replicas: 2,
    autoscaling: { min_replicas: 2, max_replicas: 5, target_cpu: 70 },
  });
});

test('the groups are the user unless said otherwise', () => {
  expect(web('run_as_user = 5\nfs_group = 7')).toMatchObject({ run_as_user: 5, run_as_group: 5, fs_group: 7 });
  expect(specDigest(application(withService('run_as_user = 5\nrun_as_group = 5')))).toBe(
    specDigest(application(withService('run_as_user = 5\nrun_as_group = 0'))),
  );
});

test('what keeps data is recreated', () => {
  expect(web('volume = { mount_path = "/data", size_gib = 1 }').update_strategy).toBe('recreate');
  expect(web('mounts = [{ volume = "v", mount_path = "/v" }]', '[volumes.v]\nsize_gib = 1').update_strategy).toBe(
    'recreate',
  );
  expect(web('job = {}\nmounts = [{ volume = "v", mount_path = "/v" }]', '[volumes.v]\nsize_gib = 1')).toMatchObject({
    update_strategy: 'rolling',
  });
});

test('a table of a file is complete', () => {
  const service = web(
    [
      'port = 80',
      'public = true',
      'public_tcp = [{ port = 9000, target_port = 90, source_cidrs = ["10.1.2.3/8", "1.2.3.4/32", "10.0.0.0/8"] }, { port = 8999, target_port = 91, source_cidrs = ["0.0.0.0/0"] }]',
      'ports = [{ name = "a", port = 90 }, { name = "b", port = 91 }]',
      'readiness = { protocol = "smtp", port = 90 }',
      'tls = { issuer = "i" }',
      'temporary_mounts = [{ mount_path = "/tmp/b", size_mib = 1 }, { mount_path = "/tmp/a", size_mib = 2, memory = true }]',
      'certificate_mounts = [{ source = "ingress", hostname = "a.example.com", mount_path = "/certs" }]',
      'files = { f = { mount_path = "/etc/f", content = "x" }, s = { mount_path = "/s", content = "", secret = { ref = "s", provider = "" }, mode = 288 } }',
      'http = { console = { port = 90 } }',
      'gpu = { count = 1 }',
    ].join('\n'),
  );
  expect(service).toMatchObject({
    public_tcp: [
      { port: 8999, target_port: 91, source_cidrs: ['0.0.0.0/0'] },
      { port: 9000, target_port: 90, source_cidrs: ['1.2.3.4/32', '10.0.0.0/8'] },
    ],
    readiness: {
      protocol: 'smtp',
      port: 90,
      tls_server_name: '',
      tls_ca_file: '',
      period_seconds: 5,
      timeout_seconds: 3,
      failure_threshold: 3,
    },
    tls: { certificate: '', issuer: 'i', issuer_kind: 'ClusterIssuer' },
    temporary_mounts: [
      { mount_path: '/tmp/a', size_mib: 2, memory: true },
      { mount_path: '/tmp/b', size_mib: 1, memory: false },
    ],
    certificate_mounts: [{ certificate: '', source: 'ingress', hostname: 'a.example.com', mount_path: '/certs' }],
    http: { console: { port: 90, domain: '' } },
    gpu: { count: 1 },
  });
  expect(service.files).toEqual({
    f: { mount_path: '/etc/f', content: 'x', mode: 292 },
    s: { mount_path: '/s', secret: { ref: 's' }, mode: 288 },
  });
});

test('jobs are complete', () => {
  const id = 'a'.repeat(32);
  expect(web('job = { schedule = { cron = " 5  4 * * MON " } }').job).toEqual({
    timeout_seconds: 300,
    retries: 0,
    schedule: { cron: '5 4 * * MON', timezone: 'UTC', history_limit: 1 },
  });
  expect(web(`job = { invocation = { allowed_identities = ["${id}"], input_keys = ["b", "a"] } }`).job).toEqual({
    timeout_seconds: 300,
    retries: 0,
    invocation: { allowed_identities: [id], input_keys: ['a', 'b'], max_input_bytes: 65_536, queue_limit: 16 },
  });
});

test('secrets and bindings keep what they say', () => {
  const service = web(
    'secrets = { A = { ref = "a", key = "" }, B = { provider = "vault", path = "x/y", key = "k" } }\nbindings = { C = { service = "db", protocol = "redis", password = { ref = "a" } }, D = { service = "db", protocol = "http", password = {} } }',
    '[services.db]\nimage = "a"\nport = 1',
  );
  expect(service.secrets).toEqual({ A: { ref: 'a' }, B: { provider: 'vault', path: 'x/y', key: 'k' } });
  expect(service.bindings).toEqual({
    C: { service: 'db', protocol: 'redis', database: '', username: '', password: { ref: 'a' } },
    D: { service: 'db', protocol: 'http', database: '', username: '' },
  });
});

test('one node and architecture hold for all services that share a volume, also over others', () => {
  const mounts = (...names: readonly string[]): string =>
    `mounts = [${names.map((name) => `{ volume = "${name}", mount_path = "/${name}" }`).join(', ')}]`;
  const app = application(
    [
      'name = "a"',
      `[services.a]\nimage = "a"\nnode_name = "n1"\n${mounts('x')}`,
      `[services.b]\nimage = "a"\n${mounts('x', 'y')}`,
      `[services.c]\nimage = "a"\narchitecture = "arm64"\n${mounts('y')}`,
      `[services.d]\nimage = "a"\n${mounts('z')}`,
      '[volumes]\nx.size_gib = 1\ny.size_gib = 1\nz.size_gib = 1',
    ].join('\n'),
  );
  const placed = Object.values(app.services).map(({ node_name, architecture }) => `${node_name} ${architecture}`);
  expect(placed).toEqual(['n1 arm64', 'n1 arm64', 'n1 arm64', ' ']);
});

test('a release from before the newer fields reads as one that does not set them', () => {
  const old = {
    schema_version: 1,
    name: 'shop',
    domains: {},
    networks: { default: { internal: false } },
    services: {
      web: {
        image: 'nginx',
        port: 80,
        ports: [],
        public: false,
        size: 'small',
        replicas: 1,
        healthcheck: '',
        env: {},
        secrets: {},
        command: [],
        args: [],
        depends_on: ['job'],
        networks: ['default'],
      },
      job: {
        build: { context: '.', dockerfile: 'Dockerfile', build_args: {} },
        port: 0,
        ports: [],
        public: false,
        size: 'small',
        replicas: 1,
        healthcheck: '',
        env: {},
        secrets: { A: { ref: 'a' } },
        command: [],
        args: [],
        depends_on: [],
        networks: ['default'],
        job: { timeout_seconds: 300, retries: 0 },
      },
    },
  };
  const now = application(
    withService('port = 80\ndepends_on = ["job"]', '[services.job]\nbuild = {}\njob = {}\nsecrets.A.ref = "a"'),
  );
  expect(parseSpecJson(old)).toMatchObject({ ok: true, application: now });
});

test('an empty build is a build', () => {
  expect(application('name = "a"\n[services.web]\nbuild = {}').services.web?.build).toEqual({
    context: '.',
    dockerfile: 'Dockerfile',
    build_args: {},
  });
});

test('the Dockerfile is looked for in the context', () => {
  const built = application('name = "a"\n[services.web.build]\ncontext = "app/web"\ntarget = "final"').services.web;
  expect(built?.build).toEqual({
    context: 'app/web',
    dockerfile: 'app/web/Dockerfile',
    target: 'final',
    build_args: {},
  });
});

test('ports are sorted and completed', () => {
  const ports =
    '[[services.web.ports]]\nname = "b"\nport = 2\ntarget_port = 0\nprotocol = "udp"\n[[services.web.ports]]\nname = "a"\nport = 1\ntarget_port = 9';
  expect(web('', ports).ports).toEqual([
    { name: 'a', port: 1, target_port: 9, protocol: 'TCP' },
    { name: 'b', port: 2, target_port: 2, protocol: 'UDP' },
  ]);
});

test('lists of names are sorted, elements of a command are not', () => {
  const service = web(
    'depends_on = ["z", "a"]\nnetworks = ["z", "a"]\ncommand = ["z", "a"]',
    '[services.a]\nimage="a"\n[services.z]\nimage="a"\n[networks.a]\n[networks.z]',
  );
  expect(service).toMatchObject({ depends_on: ['a', 'z'], networks: ['a', 'z'], command: ['z', 'a'] });
});

test('quantities are canonical', () => {
  expect(
    web('resources = { cpu_request = "0.1", cpu_limit = "2000m", memory_request = "64Mi", memory_limit = "1024Mi" }')
      .resources,
  ).toEqual({
    cpu_request: '100m',
    cpu_limit: '2',
    memory_request: '64Mi',
    memory_limit: '1Gi',
  });
});

test('minus zero is zero', () => {
  expect(Object.is(web('port = -0').port, 0)).toBe(true);
});

test('the input is not changed', () => {
  const freeze = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const raw = {
    name: 'a',
    services: { web: { image: 'a', depends_on: ['z', 'b'], mounts: [] }, z: { image: 'a' }, b: { image: 'a' } },
  };
  expect(parseSpecJson(freeze(raw)).ok).toBe(true);
});

test('the same meaning has the same digest, another meaning another', () => {
  const one = application('name = "a"\n[services.web]\nimage = "a"\nport = 80\n[services.db]\nimage = "b"');
  const other = application(
    'name = "a"\nschema_version = 1\n[services.db]\nimage = "b"\n[services.web]\nport = 80\nimage = "a"\nreplicas = 1',
  );
  expect(specDigest(one)).toBe(specDigest(other));
  expect(specDigest(one)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(specDigest(application('name = "a"\n[services.web]\nimage = "a"\nport = 81'))).not.toBe(specDigest(one));
});

test('the longest context gives a release that can be read again', () => {
  const built = application(`name = "a"\n[services.web.build]\ncontext = "${'x'.repeat(200)}"`);
  expect(parseSpecJson(JSON.parse(JSON.stringify(built)))).toMatchObject({ ok: true, application: built });
});
