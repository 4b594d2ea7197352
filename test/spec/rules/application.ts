import {
  BAD_HOSTS,
  BAD_NAMES,
  GOOD_HOSTS,
  GOOD_NAMES,
  lines,
  many,
  quoted,
  type RuleCase,
  root,
  service,
  table,
  texts,
  web,
} from './rule-case.ts';

const SPEC_BYTES = 262_144;
const SMALLEST = web('');

/** A file of exactly so many bytes. */
function sized(bytes: number): string {
  return `${SMALLEST}#${'x'.repeat(bytes - SMALLEST.length - 1)}`;
}

/** Few bytes as a file, many as JSON: a tab is one byte here and two there. */
function tabs(count: number): string {
  return web('', `[services.web.env]\n${lines(count, (i) => `A${i} = '${'\t'.repeat(4000)}'`)}`);
}

const named = (name: string): string => SMALLEST.replace('"shop"', quoted(name));

/** Facts 1: the document. */
const DOCUMENT: readonly RuleCase[] = [
  {
    rule: '1: 256 KiB of text',
    accept: [sized(SPEC_BYTES), `\ufeff${SMALLEST}`, SMALLEST.replaceAll('\n', '\r\n')],
    refuse: [[sized(SPEC_BYTES + 1), '']],
  },
  { rule: '1: 256 KiB of JSON', accept: [tabs(30)], refuse: [[tabs(60), '']] },
  {
    rule: '1: unknown fields',
    accept: [SMALLEST],
    refuse: [
      [root('strange = 1'), 'strange'],
      [web('strange = 1'), 'services.web.strange'],
      [web('', '[services.web.resources]\nstrange = 1'), 'services.web.resources.strange'],
      [web('ports = [{ name = "a", port = 1, strange = 1 }]'), 'services.web.ports[0].strange'],
      [root('networks = { default = { strange = 1 } }'), 'networks.default.strange'],
      [root('', '["__proto__"]\na = 1'), '__proto__'],
      [root('', '[services.web.env]\n"__proto__" = "a"'), 'services.web.env'],
    ],
  },
  {
    rule: '1: services is explicit',
    accept: ['name = "shop"\n[services]\n', 'name = "shop"\nservices = {}\n'],
    refuse: [
      ['name = "shop"\n', 'services'],
      ['name = "shop"\nservices = []\n', 'services'],
      ['name = "shop"\nservices = 1\n', 'services'],
      ['name = "shop"\n[[services]]\nimage = "a"\n', 'services'],
      ['name = "shop"\n[services]\nweb = 1\n', 'services.web'],
    ],
  },
];

/** Facts 1.1. */
const FIELDS: readonly RuleCase[] = [
  {
    rule: '1.1: schema_version',
    accept: [root('schema_version = 0'), root('schema_version = 1')],
    refuse: [2, -1, 1.5, '"1"'].map((version) => [root(`schema_version = ${version}`), 'schema_version']),
  },
  {
    rule: '1.1: name',
    accept: GOOD_NAMES.map(named),
    refuse: [
      ...BAD_NAMES.map((name) => [named(name), 'name'] as const),
      [named(''), 'name'],
      ['[services.web]\nimage = "a"\n', 'name'],
      ['name = 1\n[services.web]\nimage = "a"\n', 'name'],
    ],
  },
  {
    rule: '1.1: names of services',
    accept: GOOD_NAMES.map((name) => `name = "a"\n[services.${name}]\nimage = "a"\n`),
    refuse: BAD_NAMES.map((name) => [`name = "a"\n[services.${quoted(name)}]\nimage = "a"\n`, 'services']),
  },
  {
    rule: '1.1: 20 services',
    accept: [`name = "a"\n${lines(20, (i) => service(`s${i}`))}`],
    refuse: [[`name = "a"\n${lines(21, (i) => service(`s${i}`))}`, 'services']],
  },
  {
    rule: '1.1: 16 networks with the implicit default',
    accept: [
      root(`networks = ${table(15, (i) => `n${i} = {}`)}`),
      root(`networks = ${table(16, (i) => `${i === 0 ? 'default' : `n${i}`} = {}`)}`),
    ],
    refuse: [
      [root(`networks = ${table(16, (i) => `n${i} = {}`)}`), 'networks'],
      [root(`networks = ${table(17, (i) => `${i === 0 ? 'default' : `n${i}`} = {}`)}`), 'networks'],
      [root('networks = { Big = {} }'), 'networks'],
      [root('networks = []'), 'networks'],
    ],
  },
  {
    rule: '1.1: 20 domains',
    accept: [root(`domains = ${table(20, (i) => `"a${i}.example.com" = "web"`)}`), root('domains = {}')],
    refuse: [
      [root(`domains = ${table(21, (i) => `"a${i}.example.com" = "web"`)}`), 'domains'],
      [root('domains = { "a.example.com" = 1 }'), 'domains'],
    ],
  },
  {
    rule: '2.6: host names',
    accept: GOOD_HOSTS.map((host) => root(`domains = { ${quoted(host)} = "web" }`)),
    refuse: BAD_HOSTS.map((host) => [root(`domains = { ${quoted(host)} = "web" }`), 'domains']),
  },
  {
    rule: '1.1: a domain leads to a public service with a port',
    accept: [root('domains = { "a.example.com" = "web" }')],
    refuse: [
      [root('domains = { "a.example.com" = "nobody" }'), 'domains'],
      [root('domains = { "a.example.com" = "api" }', service('api', 'port = 1')), 'domains'],
      [root('domains = { "a.example.com" = "api" }', service('api')), 'domains'],
    ],
  },
  {
    rule: '1.1: env of the application',
    accept: [
      root(`env = ${table(128, (i) => `A${i} = ""`)}`),
      root(`env = { A = "${'é'.repeat(2048)}" }`),
      root(`env = { ${'A'.repeat(128)} = "a", _a = "b" }`),
      root('env = {}'),
    ],
    refuse: [
      [root(`env = ${table(129, (i) => `A${i} = ""`)}`), 'env'],
      [root(`env = { A = "${'é'.repeat(2048)}x" }`), 'env'],
      [root('env = { A = "\\u0000" }'), 'env'],
      [root('env = { A = 1 }'), 'env'],
      [root(`env = { ${'A'.repeat(129)} = "a" }`), 'env'],
      [root('env = { 1A = "a" }'), 'env'],
      [root('env = { A-B = "a" }'), 'env'],
      [root('env = { API_TOKEN = "" }'), 'env.API_TOKEN'],
      [root('env = { A = "ghp_abcdefghijkl" }'), 'env.A'],
    ],
  },
  {
    rule: '1.1: secrets of the application',
    accept: [root(`secrets = ${table(32, (i) => `A${i} = { ref = "a" }`)}`), root('secrets = {}')],
    refuse: [
      [root(`secrets = ${table(33, (i) => `A${i} = { ref = "a" }`)}`), 'secrets'],
      [root('env = { A = "b" }\nsecrets = { A = { ref = "a" } }'), 'secrets.A'],
      [root('secrets = { A = { ref = "Not" } }'), 'secrets.A'],
      [root('secrets = { 1A = { ref = "a" } }'), 'secrets'],
      [root('secrets = { A = "a" }'), 'secrets.A'],
    ],
  },
  {
    rule: '1.1: inject_env',
    accept: [root('inject_env = true'), root('inject_env = false')],
    refuse: [[root('inject_env = "true"'), 'inject_env']],
  },
  {
    rule: '1.1: recovery',
    accept: [
      root('recovery = { on_failure = "safe" }'),
      root('recovery = { on_failure = "disabled" }'),
      root('recovery = { on_failure = "" }'),
      root('recovery = {}'),
    ],
    refuse: [
      [root('recovery = { on_failure = "always" }'), 'recovery.on_failure'],
      [root('recovery = "safe"'), 'recovery'],
    ],
  },
  {
    rule: '1.16: env_file without its file',
    accept: [root('env_file = ""'), web('env_file = ""')],
    refuse: [
      [root('env_file = "a.env"'), 'env_file'],
      [web('env_file = ["a.env"]'), 'services.web.env_file[0]'],
      [root('env_file = []'), 'env_file'],
      [root('env_file = 1'), 'env_file'],
      [web('env_file = [1]'), 'services.web.env_file'],
      [web('env_file = ["a", "a"]'), 'services.web.env_file'],
      [web('env_file = "/a"'), 'services.web.env_file'],
      [web('env_file = "../a"'), 'services.web.env_file'],
      [web(`env_file = ${texts(many(9, String))}`), 'services.web.env_file'],
    ],
  },
];

/** Facts 1.2. */
const NETWORKS: readonly RuleCase[] = [
  {
    rule: '1.2: internal',
    accept: [root('networks = { back = { internal = true } }'), root('networks = { default = { internal = false } }')],
    refuse: [[root('networks = { back = { internal = 1 } }'), 'networks.back.internal']],
  },
  {
    rule: '1.2: virtual_network and segment belong together',
    accept: [
      root('networks = { back = { virtual_network = "shared", segment = "db" } }'),
      root('networks = { back = { virtual_network = "", segment = "" } }'),
    ],
    refuse: [
      [root('networks = { back = { virtual_network = "shared" } }'), 'networks.back'],
      [root('networks = { back = { segment = "db" } }'), 'networks.back'],
      [root('networks = { back = { virtual_network = "Shared", segment = "db" } }'), 'networks.back.virtual_network'],
      [root('networks = { back = { virtual_network = "shared", segment = "d b" } }'), 'networks.back.segment'],
    ],
  },
];

export const APPLICATION_RULES: readonly RuleCase[] = [...DOCUMENT, ...FIELDS, ...NETWORKS];
