import { expect, test } from 'vitest';
import { faults, problems, withService } from './support.ts';

const JOB = '[services.web.job]';
const port = (name: string, number: number, protocol = 'TCP'): string =>
  `[[services.web.ports]]\nname = "${name}"\nport = ${number}\nprotocol = "${protocol}"`;

const RULES: readonly (readonly [string, string, readonly string[]])[] = [
  ['image and build', withService('build = {}'), ['services.web.build']],
  ['neither image nor build', 'name = "a"\n[services.web]\nport = 1', ['services.web.image']],
  ['an empty image is none', 'name = "a"\n[services.web]\nimage = ""', ['services.web.image']],
  ['an empty image beside a build', 'name = "a"\n[services.web]\nimage = ""\nbuild = {}', []],
  ['public without port', withService('public = true'), ['services.web.public']],
  ['public with port', withService('public = true\nport = 1'), []],
  ['healthcheck without port', withService('healthcheck = "/a"'), ['services.web.healthcheck']],
  ['two ports of one name', withService('', `${port('a', 1)}\n${port('a', 2)}`), ['services.web.ports[1].name']],
  ['two ports of one number', withService('', `${port('a', 1)}\n${port('b', 1)}`), ['services.web.ports[1].port']],
  ['one number, two protocols', withService('', `${port('a', 1)}\n${port('b', 1, 'udp')}`), []],
  ['the primary number again', withService('port = 80', port('a', 80)), ['services.web.ports[0].port']],
  ['the primary number as UDP', withService('port = 80', port('a', 80, 'UDP')), []],
  ['the name service beside a port', withService('port = 80', port('service', 1)), ['services.web.ports[0].name']],
  ['the name service without a port', withService('', port('service', 1)), []],
  [
    'request over own limit',
    withService('resources = { cpu_request = "2", cpu_limit = "1999m" }'),
    ['services.web.resources.cpu_request'],
  ],
  ['request at own limit', withService('resources = { cpu_request = "2", cpu_limit = "2000m" }'), []],
  [
    'request over the profile',
    withService('resources = { memory_request = "309Mi" }'),
    ['services.web.resources.memory_request'],
  ],
  ['request at the profile', withService('resources = { memory_request = "308Mi" }'), []],
  ['limit under the profile', withService('resources = { cpu_limit = "119m" }'), ['services.web.resources.cpu_limit']],
  ['limit at the profile', withService('resources = { cpu_limit = "120m" }'), []],
  ['blank command', withService('command = [" "]'), ['services.web.command[0]']],
  ['blank second command', withService('command = ["a", " "]'), []],
  ['job with port', withService('port = 1', JOB), ['services.web.port']],
  ['job with ports', withService('', `${JOB}\n${port('a', 1)}`), ['services.web.ports']],
  ['job with public', withService('public = true', JOB), ['services.web.public']],
  ['job with 2 replicas', withService('replicas = 2', JOB), ['services.web.replicas']],
  ['job with 1 replica', withService('replicas = 1', JOB), []],
  ['job with healthcheck', withService('healthcheck = "/"', JOB), ['services.web.healthcheck']],
  [
    'job with startup timeout',
    withService('startup_timeout_seconds = 10', JOB),
    ['services.web.startup_timeout_seconds'],
  ],
  ['job with patch', withService('kubernetes.deployment = "a: b"', JOB), ['services.web.kubernetes']],
  [
    'scheduled job with patch',
    withService('kubernetes.deployment = "a: b"', '[services.web.job]\nschedule = { cron = "0 3 * * *" }'),
    ['services.web.kubernetes'],
  ],
  [
    'serverless service with patch',
    withService('port = 1\npublic = true\nserverless = {}\nkubernetes.deployment = "a: b"'),
    ['services.web.kubernetes'],
  ],
  [
    'Actions pool with patch',
    withService(
      'kubernetes.deployment = "a: b"',
      '[services.web.actions]\nrepository = "acme/shop"\ncredential = "runner"',
    ),
    ['services.web.kubernetes'],
  ],
  ['job with an empty patch', withService('kubernetes.deployment = ""', JOB), []],
  ['env and secret of one name', withService('env.A = "a"\nsecrets.A.ref = "a"'), ['services.web.secrets.A']],
  ['sensitive env', withService('env.DB_PASSWORD = ""'), ['services.web.env.DB_PASSWORD']],
  [
    'sensitive build arg',
    'name = "a"\n[services.web.build.build_args]\nNPM_TOKEN = "x"',
    ['services.web.build.build_args.NPM_TOKEN'],
  ],
  [
    'sensitive build arg value',
    'name = "a"\n[services.web.build.build_args]\nREGISTRY = "https://robot:abc@registry.example.com"',
    ['services.web.build.build_args.REGISTRY'],
  ],
  [
    'a Dockerfile beside the context',
    'name = "a"\n[services.web.build]\ncontext = "api"\ndockerfile = "Dockerfile"',
    ['services.web.build.dockerfile'],
  ],
  [
    'a Dockerfile beside a context of a longer name',
    'name = "a"\n[services.web.build]\ncontext = "api"\ndockerfile = "api2/Dockerfile"',
    ['services.web.build.dockerfile'],
  ],
  [
    'a Dockerfile deep in the context',
    'name = "a"\n[services.web.build]\ncontext = "api"\ndockerfile = "api/docker/Dockerfile"',
    [],
  ],
  ['unknown dependency', withService('depends_on = ["db"]'), ['services.web.depends_on[0]']],
  ['a dependency named like a property', withService('depends_on = ["constructor"]'), ['services.web.depends_on[0]']],
  ['dependency on itself', withService('depends_on = ["web"]'), ['services.web.depends_on[0]']],
  [
    'dependency twice',
    withService('depends_on = ["db", "db"]', '[services.db]\nimage = "a"'),
    ['services.web.depends_on[1]'],
  ],
  [
    'cycle',
    withService('depends_on = ["db"]', '[services.db]\nimage = "a"\ndepends_on = ["web"]'),
    ['services.db.depends_on'],
  ],
  ['no networks', withService('networks = []'), ['services.web.networks']],
  ['unknown network', withService('networks = ["a", "default"]'), ['services.web.networks[0]']],
  ['a network named like a property', withService('networks = ["constructor"]'), ['services.web.networks[0]']],
  ['network twice', withService('networks = ["a", "a"]', '[networks.a]'), ['services.web.networks[1]']],
  ['domain of no service', withService('', '[domains]\n"a.example.com" = "db"'), ['domains."a.example.com"']],
  [
    'domain of a private service',
    withService('port = 1', '[domains]\n"a.example.com" = "web"'),
    ['domains."a.example.com"'],
  ],
  ['domain of a public service', withService('port = 1\npublic = true', '[domains]\n"a.example.com" = "web"'), []],
  ['domain of a property', withService('', '[domains]\n"a.example.com" = "constructor"'), ['domains."a.example.com"']],
  ['service patch without port', withService('kubernetes.service = "a: b"'), ['services.web.kubernetes.service']],
  ['service patch with port', withService('port = 1\nkubernetes.service = "a: b"'), []],
  [
    'ingress patch without public',
    withService('port = 1\nkubernetes.ingress = "a: b"'),
    ['services.web.kubernetes.ingress'],
  ],
  ['ingress patch with public', withService('port = 1\npublic = true\nkubernetes.ingress = "a: b"'), []],
  ['deployment patch of a worker', withService('kubernetes.deployment = "a: b"'), []],
];

test.each(RULES)('%s', (_name, text, at) => {
  expect(faults(text)).toEqual(at);
});

test('a cycle names its services', () => {
  const text = withService(
    'depends_on = ["b"]',
    '[services.b]\nimage = "a"\ndepends_on = ["c"]\n[services.c]\nimage = "a"\ndepends_on = ["web"]',
  );
  expect(problems(text)).toEqual(['services.b.depends_on: the dependencies form a cycle: b -> c -> web -> b']);
});

test('cross-field checks go on beside a service the schema refused', () => {
  const text = withService(
    'public = true\ndepends_on = ["db", "gone"]',
    '[services.db]\nimage = "a"\nport = "x"\n[domains]\n"a.example.com" = "db"',
  );
  expect(faults(text)).toEqual(['services.web.public', 'services.web.depends_on[1]', 'services.db.port']);
});

test('networks are not judged when their table is refused', () => {
  expect(faults(withService('networks = ["a"]\npublic = true', '[networks.a]\ninternal = 1'))).toEqual([
    'services.web.public',
    'networks.a.internal',
  ]);
});

test('a sandbox session takes no patch', () => {
  const session = `[services.web.session]\nallowed_identities = ["${'a'.repeat(32)}"]\nhelper_command = ["/bin/help"]`;
  expect(faults(withService('kubernetes.deployment = "a: b"', session))).toContain('services.web.kubernetes');
  expect(faults(withService('', session))).not.toContain('services.web.kubernetes');
});
