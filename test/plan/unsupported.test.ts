import { expect, test } from 'vitest';
import { planOf } from './support.ts';

const IDS = `["${'a'.repeat(32)}"]`;
const DIGEST = `nginx@sha256:${'a'.repeat(64)}`;

/** A file that is valid, and the fields a plan refuses in it. */
const REFUSED: readonly (readonly [name: string, paths: readonly string[], lines: string, tail?: string])[] = [
  [
    'public_tcp',
    ['services.web.public_tcp'],
    'port = 80\npublic_tcp = [{ port = 5000, target_port = 80, source_cidrs = ["0.0.0.0/0"] }]',
  ],
  ['serverless', ['services.web.serverless'], 'port = 80\npublic = true\nserverless = {}'],
  [
    'readiness over SMTP',
    ['services.web.readiness.protocol'],
    'port = 25\nreadiness = { protocol = "smtp", port = 25 }',
  ],
  [
    'readiness over SMTP with TLS',
    ['services.web.readiness.protocol'],
    'port = 25\nreadiness = { protocol = "smtp_starttls", port = 25, tls_server_name = "a.example.com" }',
  ],
  [
    'readiness together with a healthcheck',
    ['services.web.readiness'],
    'port = 80\nhealthcheck = "/"\nreadiness = { protocol = "tcp", port = 80 }',
  ],
  [
    'a virtual network and who may connect from there',
    ['networks.joined.virtual_network', 'services.web.network_access.from_applications'],
    'networks = ["joined"]\nnetwork_access = { from_applications = ["other/api"] }',
    '[networks.joined]\nvirtual_network = "corp"\nsegment = "front"',
  ],
  ['private egress', ['services.web.private_egress'], 'private_egress = ["vpn"]'],
  [
    'invocation',
    ['services.web.job.invocation'],
    `job = { invocation = { allowed_identities = ${IDS}, input_keys = ["a"] } }`,
  ],
  [
    'certificate mounts',
    ['services.web.certificate_mounts'],
    'certificate_mounts = [{ certificate = "a", hostname = "a.example.com", mount_path = "/c" }]',
  ],
  ['an AWS identity', ['services.web.aws_identity'], 'aws_identity = "a"'],
  ['a container daemon', ['services.web.container_daemon'], 'container_daemon = "a"'],
  ['a runtime profile', ['services.web.runtime_profile'], 'runtime_profile = "a"'],
  [
    'secrets of a provider, wherever they are used',
    [
      'secrets.A.provider',
      'services.web.secrets.B.provider',
      'services.web.bindings.C.password.provider',
      'services.web.files.d.secret.provider',
    ],
    [
      'secrets.B = { provider = "vault", path = "a", key = "b" }',
      'bindings.C = { service = "db", protocol = "redis", password = { provider = "vault", path = "a", key = "b" } }',
      'files.d = { mount_path = "/d", secret = { provider = "vault", path = "a", key = "b" } }',
    ].join('\n'),
    '[secrets]\nA = { provider = "vault", path = "a", key = "b" }\n[services.db]\nimage = "redis"\nport = 6379',
  ],
];

test.each(REFUSED.map(([name, paths, lines, tail = '']) => ({ name, paths, lines, tail })))(
  '$name',
  ({ paths, lines, tail }) => {
    const { refusals } = planOf(`name = "shop"\n[services.web]\nimage = "nginx"\n${lines}\n${tail}`);
    expect(refusals.map(({ code, at }) => [code, at])).toEqual(paths.map((path) => ['unsupported_feature', path]));
  },
);

test('sandbox sessions', () => {
  const { refusals } = planOf(
    `name = "shop"\n[services.web]\nimage = "${DIGEST}"\ncommand = ["/a"]\nruntime_profile = "gvisor"\nrun_as_user = 1000\nrun_as_group = 1000\nfs_group = 1000\nread_only_root_filesystem = true\nsession = { allowed_identities = ${IDS}, helper_command = ["/h"] }`,
  );
  expect(refusals.map(({ at }) => at)).toEqual(['services.web.runtime_profile', 'services.web.session']);
});

test('runner pools', () => {
  const { refusals } = planOf(
    'name = "shop"\n[services.web]\nimage = "nginx"\nactions = { repository = "acme/shop", credential = "token" }',
  );
  expect(refusals.map(({ at }) => at)).toEqual(['services.web.actions']);
});

test('fields of a build for the CI of a provider', () => {
  const { refusals } = planOf(
    'name = "shop"\n[services.web]\nbuild = { mode = "framework", preset = "nodejs", submodules = true, build_secrets = { npm = "NPM_TOKEN" } }',
  );
  expect(refusals.map(({ at }) => at)).toEqual(
    ['build_secrets', 'mode', 'preset', 'submodules'].map((field) => `services.web.build.${field}`),
  );
});

test('services by name, and nothing of what is explicitly empty', () => {
  const service = (name: string, lines: string): string => `[services.${name}]\nimage = "nginx"\n${lines}\n`;
  const empty =
    'private_egress = []\npublic_tcp = []\naws_identity = ""\nruntime_profile = ""\ncertificate_mounts = []';
  const { refusals } = planOf(
    `name = "shop"\n${service('b', 'aws_identity = "x"')}${service('a', 'aws_identity = "x"')}${service('c', empty)}`,
  );
  expect(refusals.map(({ at }) => at)).toEqual(['services.a.aws_identity', 'services.b.aws_identity']);
});
