import { expect, test } from 'vitest';
import { faults, withService } from './support.ts';

const many = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('\n');
const list = (n: number, item = '"a"'): string => `[${Array.from({ length: n }, () => item).join(', ')}]`;
const names = (n: number): string => `[${Array.from({ length: n }, (_, i) => `"n${i}"`).join(', ')}]`;
const x = (n: number): string => 'x'.repeat(n);
const service = (i: number): string => `[services.s${i}]\nimage = "a"`;
const network = (i: number): string => `[networks.n${i}]`;
const port = (i: number): string => `[[services.web.ports]]\nname = "p${i}"\nport = ${i + 1}`;

/** Each limit one below or at its edge: accepted. */
const ACCEPTED: readonly (readonly [string, string])[] = [
  ['schema_version 1', `schema_version = 1\n${withService('')}`],
  ['schema_version 0 is 1', `schema_version = 0\n${withService('')}`],
  ['name of 1', 'name = "a"\n[services]'],
  ['name of 40', `name = "${x(40)}"\n[services]`],
  ['explicitly no services', 'name = "a"\n[services]'],
  ['20 services', `name = "a"\n${many(20, service)}`],
  ['16 networks with default', `name = "a"\n[services]\n[networks.default]\n${many(15, network)}`],
  ['15 networks beside default', `name = "a"\n[services]\n${many(15, network)}`],
  [
    '20 domains',
    `${withService('port = 1\npublic = true')}\n[domains]\n${many(20, (i) => `"a${i}.example.com" = "web"`)}`,
  ],
  ['image of 512', withService('').replace('nginx', x(512))],
  ['port 0', withService('port = 0')],
  ['port 65535', withService('port = 65535')],
  ['15 ports', withService('', many(15, port))],
  ['extra port 1', withService('', '[[services.web.ports]]\nname = "a"\nport = 1')],
  ['extra port 65535', withService('', '[[services.web.ports]]\nname = "a"\nport = 65535')],
  ['port name of 15', withService('', `[[services.web.ports]]\nname = "${x(15)}"\nport = 1`)],
  ['target_port 0', withService('', '[[services.web.ports]]\nname = "a"\nport = 1\ntarget_port = 0')],
  ['protocol udp', withService('', '[[services.web.ports]]\nname = "a"\nport = 1\nprotocol = "udp"')],
  ['protocol empty', withService('', '[[services.web.ports]]\nname = "a"\nport = 1\nprotocol = ""')],
  ['size empty', withService('size = ""')],
  ['size gpu', withService('size = "gpu"')],
  ['replicas 0', withService('replicas = 0')],
  ['replicas 20', withService('replicas = 20')],
  ['healthcheck of 2048', withService(`port = 1\nhealthcheck = "/${x(2047)}"`)],
  ['healthcheck with query', withService('port = 1\nhealthcheck = "/a?b=%20"')],
  ['env 128', withService('', `[services.web.env]\n${many(128, (i) => `A${i} = ""`)}`)],
  ['env name of 128', withService('', `[services.web.env]\n${x(128)} = ""`)],
  ['env value of 4096 bytes', withService('', `[services.web.env]\nA = "${x(4096)}"`)],
  ['32 secrets', withService('', `[services.web.secrets]\n${many(32, (i) => `A${i} = { ref = "a" }`)}`)],
  ['64 command elements', withService(`command = ${list(64)}`)],
  ['command element of 4096 bytes', withService(`command = ["${x(4096)}"]`)],
  ['128 args', withService(`args = ${list(128)}`)],
  ['empty arg', withService('args = [""]')],
  ['job of 10 s', withService('job.timeout_seconds = 10')],
  ['job of 900 s', withService('job.timeout_seconds = 900')],
  ['job default', withService('job.timeout_seconds = 0')],
  ['3 retries', withService('job.retries = 3')],
  ['startup of 10 s', withService('startup_timeout_seconds = 10')],
  ['startup of 900 s', withService('startup_timeout_seconds = 900')],
  ['startup unset', withService('startup_timeout_seconds = 0')],
  ['patch of 16 KiB', withService(`kubernetes.deployment = "${x(16_384)}"`)],
  ['32 build args', built(many(32, (i) => `build_args.A${i} = "1"`))],
  ['build arg of 2048 bytes', built(`build_args.A = "${x(2048)}"`)],
  ['build path of 200', built(`context = "${x(200)}"`)],
  ['build context .', built('context = "."')],
  ['build target', built('target = "final-1.2_x"')],
];

/** Each limit one above, and each shape that is refused: with the field at fault. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['schema_version 2', `schema_version = 2\n${withService('')}`, 'schema_version'],
  ['schema_version text', `schema_version = "1"\n${withService('')}`, 'schema_version'],
  ['no name', '[services]', 'name'],
  ['name empty', 'name = ""\n[services]', 'name'],
  ['name of 41', `name = "${x(41)}"\n[services]`, 'name'],
  ['name upper case', 'name = "Shop"\n[services]', 'name'],
  ['name ends in hyphen', 'name = "shop-"\n[services]', 'name'],
  ['name begins with digit', 'name = "1shop"\n[services]', 'name'],
  ['name with line break', 'name = "shop\\n"\n[services]', 'name'],
  ['no services', 'name = "a"', 'services'],
  ['services a list', 'name = "a"\nservices = []', 'services'],
  ['21 services', `name = "a"\n${many(21, service)}`, 'services'],
  ['service name', 'name = "a"\n[services.Web]\nimage = "a"', 'services.Web'],
  ['service a text', 'name = "a"\n[services]\nweb = "nginx"', 'services.web'],
  ['17 networks with default', `name = "a"\n[services]\n[networks.default]\n${many(16, network)}`, 'networks'],
  ['16 networks beside default', `name = "a"\n[services]\n${many(16, network)}`, 'networks'],
  ['internal a text', 'name = "a"\n[services]\n[networks.a]\ninternal = "yes"', 'networks.a.internal'],
  [
    '21 domains',
    `${withService('port = 1\npublic = true')}\n[domains]\n${many(21, (i) => `"a${i}.example.com" = "web"`)}`,
    'domains',
  ],
  ['image of 513', withService('').replace('nginx', x(513)), 'services.web.image'],
  ['port -1', withService('port = -1'), 'services.web.port'],
  ['port 65536', withService('port = 65536'), 'services.web.port'],
  ['port 1.5', withService('port = 1.5'), 'services.web.port'],
  ['port nan', withService('port = nan'), 'services.web.port'],
  ['port inf', withService('port = inf'), 'services.web.port'],
  ['port a date', withService('port = 2020-01-01'), 'services.web.port'],
  ['16 ports', withService('', many(16, port)), 'services.web.ports'],
  ['extra port 0', withService('', '[[services.web.ports]]\nname = "a"\nport = 0'), 'services.web.ports[0].port'],
  [
    'extra port 65536',
    withService('', '[[services.web.ports]]\nname = "a"\nport = 65536'),
    'services.web.ports[0].port',
  ],
  [
    'target_port 65536',
    withService('', '[[services.web.ports]]\nname = "a"\nport = 1\ntarget_port = 65536'),
    'services.web.ports[0].target_port',
  ],
  ['port without name', withService('', '[[services.web.ports]]\nport = 1'), 'services.web.ports[0].name'],
  [
    'port name of 16',
    withService('', `[[services.web.ports]]\nname = "${x(16)}"\nport = 1`),
    'services.web.ports[0].name',
  ],
  [
    'port name of digits',
    withService('', '[[services.web.ports]]\nname = "1"\nport = 1'),
    'services.web.ports[0].name',
  ],
  ['port name --', withService('', '[[services.web.ports]]\nname = "a--b"\nport = 1'), 'services.web.ports[0].name'],
  [
    'protocol SCTP',
    withService('', '[[services.web.ports]]\nname = "a"\nport = 1\nprotocol = "SCTP"'),
    'services.web.ports[0].protocol',
  ],
  ['size huge', withService('size = "huge"'), 'services.web.size'],
  ['replicas -1', withService('replicas = -1'), 'services.web.replicas'],
  ['replicas 21', withService('replicas = 21'), 'services.web.replicas'],
  ['healthcheck of 2049', withService(`port = 1\nhealthcheck = "/${x(2048)}"`), 'services.web.healthcheck'],
  ['healthcheck relative', withService('port = 1\nhealthcheck = "a"'), 'services.web.healthcheck'],
  ['healthcheck //', withService('port = 1\nhealthcheck = "//host/a"'), 'services.web.healthcheck'],
  ['healthcheck URL', withService('port = 1\nhealthcheck = "http://a/b"'), 'services.web.healthcheck'],
  ['healthcheck #', withService('port = 1\nhealthcheck = "/a#b"'), 'services.web.healthcheck'],
  ['healthcheck space', withService('port = 1\nhealthcheck = "/a b"'), 'services.web.healthcheck'],
  ['healthcheck line break', withService('port = 1\nhealthcheck = "/a\\nb"'), 'services.web.healthcheck'],
  ['healthcheck percent', withService('port = 1\nhealthcheck = "/a%zz"'), 'services.web.healthcheck'],
  ['env 129', withService('', `[services.web.env]\n${many(129, (i) => `A${i} = ""`)}`), 'services.web.env'],
  ['env name of 129', withService('', `[services.web.env]\n${x(129)} = ""`), `services.web.env."${x(64)}..."`],
  ['env name with hyphen', withService('', '[services.web.env]\nA-B = ""'), 'services.web.env.A-B'],
  ['env name with digit', withService('', '[services.web.env]\n1A = ""'), 'services.web.env.1A'],
  ['env value of 4097 bytes', withService('', `[services.web.env]\nA = "${x(4095)}é"`), 'services.web.env.A'],
  ['env value NUL', withService('', '[services.web.env]\nA = "a\\u0000"'), 'services.web.env.A'],
  ['env value a number', withService('', '[services.web.env]\nA = 1'), 'services.web.env.A'],
  [
    '33 secrets',
    withService('', `[services.web.secrets]\n${many(33, (i) => `A${i} = { ref = "a" }`)}`),
    'services.web.secrets',
  ],
  ['secret a text', withService('', '[services.web.secrets]\nA = "a"'), 'services.web.secrets.A'],
  ['secret without ref', withService('', '[services.web.secrets]\nA = {}'), 'services.web.secrets.A.ref'],
  ['secret ref', withService('', '[services.web.secrets]\nA = { ref = "A" }'), 'services.web.secrets.A.ref'],
  ['65 command elements', withService(`command = ${list(65)}`), 'services.web.command'],
  ['command element of 4097 bytes', withService(`command = ["a", "${x(4097)}"]`), 'services.web.command[1]'],
  ['command element NUL', withService('command = ["a\\u0000"]'), 'services.web.command[0]'],
  ['129 args', withService(`args = ${list(129)}`), 'services.web.args'],
  ['21 dependencies', withService(`depends_on = ${names(21)}`), 'services.web.depends_on'],
  ['17 service networks', withService(`networks = ${names(17)}`), 'services.web.networks'],
  ['job of 9 s', withService('job.timeout_seconds = 9'), 'services.web.job.timeout_seconds'],
  ['job of 901 s', withService('job.timeout_seconds = 901'), 'services.web.job.timeout_seconds'],
  ['4 retries', withService('job.retries = 4'), 'services.web.job.retries'],
  ['-1 retries', withService('job.retries = -1'), 'services.web.job.retries'],
  ['startup of 9 s', withService('startup_timeout_seconds = 9'), 'services.web.startup_timeout_seconds'],
  ['startup of 901 s', withService('startup_timeout_seconds = 901'), 'services.web.startup_timeout_seconds'],
  [
    'patch of 16 KiB and 1',
    withService(`kubernetes.deployment = "${x(16_383)}é"`),
    'services.web.kubernetes.deployment',
  ],
  ['patch a table', withService('kubernetes.deployment = { a = 1 }'), 'services.web.kubernetes.deployment'],
  ['33 build args', built(many(33, (i) => `build_args.A${i} = "1"`)), 'services.web.build.build_args'],
  ['build arg of 2049 bytes', built(`build_args.A = "${x(2047)}é"`), 'services.web.build.build_args.A'],
  ['build arg line', built('build_args.A = "a\\nb"'), 'services.web.build.build_args.A'],
  ['build arg return', built('build_args.A = "a\\rb"'), 'services.web.build.build_args.A'],
  ['build arg NUL', built('build_args.A = "a\\u0000b"'), 'services.web.build.build_args.A'],
  ['build arg expression', built('build_args.A = "$' + '{{ secrets.A }}"'), 'services.web.build.build_args.A'],
  ['build arg template', built('build_args.A = "{{ a }}"'), 'services.web.build.build_args.A'],
  ['build path of 201', built(`context = "${x(201)}"`), 'services.web.build.context'],
  ['build path up', built('context = "a/../b"'), 'services.web.build.context'],
  ['build path absolute', built('dockerfile = "/Dockerfile"'), 'services.web.build.dockerfile'],
  ['build path ./', built('dockerfile = "./Dockerfile"'), 'services.web.build.dockerfile'],
  ['dockerfile .', built('dockerfile = "."'), 'services.web.build.dockerfile'],
  ['build target option', built('target = "-x"'), 'services.web.build.target'],
  ['build target of 129', built(`target = "${x(129)}"`), 'services.web.build.target'],
];

function built(lines: string): string {
  return `name = "shop"\n[services.web.build]\n${lines}\n`;
}

test.each(ACCEPTED)('accepts %s', (_name, text) => {
  expect(faults(text)).toEqual([]);
});

test.each(REFUSED)('refuses %s', (_name, text, at) => {
  expect(faults(text)).toEqual([at]);
});
