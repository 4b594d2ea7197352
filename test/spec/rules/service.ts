import {
  BAD_NAMES,
  BAD_RUNTIME_NAMES,
  GOOD_NAMES,
  GOOD_RUNTIME_NAMES,
  many,
  quoted,
  type RuleCase,
  refused,
  service,
  texts,
  values,
  web,
} from './rule-case.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;
const imaged = (image: string): string => `name = "shop"\n[services.web]\nimage = ${quoted(image)}\n`;

/** A field that is a RUNTIME_NAME or unset. */
function runtimeName(field: string, rest = ''): RuleCase {
  return {
    rule: `1: ${field} is a RUNTIME_NAME`,
    accept: values(field, ['""', ...GOOD_RUNTIME_NAMES.map(quoted)], rest),
    refuse: refused(field, [...BAD_RUNTIME_NAMES.map(quoted), 1], rest),
  };
}

/** A whole number from `low` to `high`, and the same outside. */
function range(
  field: string,
  [low, high]: readonly [number, number],
  options: { readonly zero?: boolean; readonly rest?: string } = {},
): RuleCase {
  const { zero = true, rest = '' } = options;
  return {
    rule: `1.3: ${field} is ${low} to ${high}`,
    accept: values(field, [low, high, ...(zero ? [0] : [])], rest),
    refuse: refused(
      field,
      [low - 1, high + 1, -1, 1.5, '"1"', true].filter((n) => !zero || n !== 0),
      rest,
    ),
  };
}

function flag(field: string, rest = ''): RuleCase {
  return {
    rule: `1.3: ${field} is true or false`,
    accept: values(field, [true, false], rest),
    refuse: refused(field, ['"true"', 1], rest),
  };
}

function words(field: string, good: readonly string[], rest = ''): RuleCase {
  return {
    rule: `1.3: ${field} is one of some words`,
    accept: values(field, ['""', ...good.map(quoted)], rest),
    refuse: refused(field, ['"other"', ...good.map((word) => quoted(word.toUpperCase())), 1], rest),
  };
}

const IMAGES: readonly RuleCase[] = [
  {
    rule: '2.2: image',
    accept: [
      'nginx',
      'nginx:1.27',
      'ghcr.io/acme/shop:1',
      'registry.example.com:5000/a/b_c.d-e',
      `nginx@${DIGEST}`,
      `nginx:1@${DIGEST}`,
      'a'.repeat(512),
    ].map(imaged),
    refuse: [
      '',
      'a b',
      'a\tb',
      'a\nb',
      'a\\b',
      'a?b',
      'a#b',
      'https://a/b',
      '/a',
      'a/../b',
      'a..b',
      `a@${DIGEST}@${DIGEST}`,
      `@${DIGEST}`,
      'a@sha256:00',
      `a@sha256:${'0A'.repeat(32)}`,
      `a@sha512:${'0a'.repeat(32)}`,
      'a'.repeat(513),
    ].map((image) => [imaged(image), 'services.web.image']),
  },
  {
    rule: '1.3: image is required, or build',
    accept: ['name = "shop"\n[services.web.build]\n'],
    refuse: [
      ['name = "shop"\n[services.web]\nport = 1\n', 'services.web'],
      [web('', '[services.web.build]\n'), 'services.web'],
      ['name = "shop"\n[services.web]\nimage = 1\n', 'services.web.image'],
    ],
  },
];

const RESOURCES: readonly RuleCase[] = [
  words('size', ['small', 'medium', 'large', 'compute', 'gpu']),
  {
    rule: '1.4: CPU',
    accept: [
      ...['1m', '120m', '0.001', '0.5', '1', '1.125', '2', '64', '64000m'].map((cpu) =>
        web(`resources = { cpu_request = ${quoted(cpu)}, cpu_limit = "64" }`),
      ),
      web('resources = { cpu_limit = "120m" }'),
      web('resources = {}'),
      web('resources = { cpu_request = "", cpu_limit = "", memory_request = "", memory_limit = "" }'),
    ],
    refuse: [
      ...[
        '0',
        '0m',
        '65',
        '64001m',
        '1.0001',
        '1.5m',
        '-1',
        '1k',
        '1 ',
        ' 1',
        '1e1',
        '.5',
        '1.',
        `${'0'.repeat(32)}1`,
      ].map(
        (cpu) =>
          [web(`resources = { cpu_request = ${quoted(cpu)}, cpu_limit = "64" }`), 'services.web.resources'] as const,
      ),
      [web('resources = { cpu_limit = "65" }'), 'services.web.resources.cpu_limit'],
      [web('resources = { cpu_request = 1 }'), 'services.web.resources.cpu_request'],
    ],
  },
  {
    rule: '1.4: memory',
    accept: [
      ...['1Mi', '1048576', '1024Ki', '2M', '1100k', '1G', '1Gi', '256Gi'].map((memory) =>
        web(`resources = { memory_request = ${quoted(memory)}, memory_limit = "256Gi" }`),
      ),
      web('resources = { memory_limit = "154Mi" }'),
    ],
    refuse: [
      ...[
        '0',
        '1048575',
        '1023Ki',
        '1M',
        '1000k',
        '257Gi',
        '1Ti',
        '1T',
        '1.5Gi',
        '1KI',
        '1gi',
        '1B',
        '-1Gi',
        '1 Gi',
      ].map(
        (memory) =>
          [
            web(`resources = { memory_request = ${quoted(memory)}, memory_limit = "256Gi" }`),
            'services.web.resources',
          ] as const,
      ),
      [web('resources = { memory_limit = "257Gi" }'), 'services.web.resources.memory_limit'],
    ],
  },
  {
    rule: '1.4: the request is within the limit, also against the profile',
    accept: [
      web('resources = { cpu_request = "600m", memory_request = "308Mi" }'),
      web('size = "medium"\nresources = { cpu_limit = "300m", memory_limit = "308Mi" }'),
      web('size = "gpu"\nresources = { cpu_request = "8", memory_request = "16Gi" }'),
      web('size = "compute"\nresources = { cpu_request = "4800m", memory_request = "4916Mi" }'),
      web('size = "large"\nresources = { cpu_request = "2400m", memory_request = "1229Mi" }'),
    ],
    refuse: [
      'resources = { cpu_request = "601m" }',
      'resources = { memory_request = "309Mi" }',
      'resources = { cpu_limit = "119m" }',
      'resources = { memory_limit = "153Mi" }',
      'resources = { cpu_request = "2", cpu_limit = "1" }',
      'resources = { memory_request = "2Gi", memory_limit = "1Gi" }',
      'size = "medium"\nresources = { cpu_limit = "299m" }',
      'size = "medium"\nresources = { cpu_request = "1201m" }',
      'size = "large"\nresources = { memory_request = "1230Mi" }',
      'size = "compute"\nresources = { cpu_request = "4801m" }',
      'size = "gpu"\nresources = { cpu_request = "8001m" }',
    ].map((fields) => [web(fields), 'services.web.resources']),
  },
];

const RUNTIME: readonly RuleCase[] = [
  range('replicas', [1, 20]),
  flag('suspended'),
  words('update_strategy', ['rolling', 'recreate']),
  {
    rule: '1.3: command',
    accept: [
      web(`command = ${texts(many(64, () => 'a'))}`),
      ...values('command', ['[]', '["a", ""]', `["${'é'.repeat(2048)}"]`]),
    ],
    refuse: [
      ...refused('command', [texts(many(65, () => 'a')), '[""]', '["  "]', '["a\\u0000"]', '"a"', '[1]']),
      ...refused('command', [`["${'é'.repeat(2048)}x"]`]),
    ],
  },
  {
    rule: '1.3: args',
    accept: [
      web(`args = ${texts(many(128, () => 'a'))}`),
      ...values('args', ['[]', '[""]', `["${'é'.repeat(2048)}"]`]),
    ],
    refuse: refused('args', [texts(many(129, () => 'a')), '["\\u0000"]', '"a"', '[1]', `["${'é'.repeat(2048)}x"]`]),
  },
  words('architecture', ['amd64', 'arm64']),
  {
    rule: '1.3: node_name',
    accept: values('node_name', ['""', '"node-1.example"', quoted('a'.repeat(253))]),
    refuse: refused('node_name', [quoted('a'.repeat(254)), '"Node"', '"a b"', '"-a"', 1]),
  },
  range('run_as_user', [1, 2_147_483_647]),
  range('run_as_group', [1, 2_147_483_647]),
  range('fs_group', [1, 2_147_483_647]),
  flag('read_only_root_filesystem'),
  {
    rule: '1.3: working_dir',
    accept: values('working_dir', ['""', '"/"', '"/app"', quoted(`/${'a'.repeat(199)}`)]),
    refuse: refused('working_dir', [
      '"app"',
      '"/app/"',
      '"/a/../b"',
      '"/a//b"',
      '"/./a"',
      quoted(`/${'a'.repeat(200)}`),
      1,
    ]),
  },
  range('termination_grace_seconds', [1, 300]),
  {
    rule: '1: restart_nonce',
    accept: values('restart_nonce', ['""', '"aZ0_-"', quoted('a'.repeat(64))]),
    refuse: refused('restart_nonce', ['"a b"', '"a.b"', quoted('a'.repeat(65)), 1]),
  },
  range('startup_timeout_seconds', [10, 900]),
  {
    rule: '1.3: gpu',
    accept: values('gpu', ['{ count = 1 }', '{ count = 8 }']),
    refuse: refused('gpu', ['{ count = 9 }', '{ count = -1 }', '{ count = 1.5 }', '1']),
  },
  runtimeName('registry_credential'),
  runtimeName('aws_identity'),
  runtimeName('container_daemon'),
  runtimeName('runtime_profile'),
  {
    rule: '1: database_client_profiles is accepted',
    accept: values('database_client_profiles', ['{}', '{ DATABASE_URL = "main" }']),
    refuse: refused('database_client_profiles', ['1', '{ A-B = "main" }']),
  },
];

const RELATIONS: readonly RuleCase[] = [
  {
    rule: '1.3: depends_on names other services',
    accept: [
      web('depends_on = []'),
      web('depends_on = ["api", "db"]', service('api') + service('db')),
      web('depends_on = ["setup"]', `${service('setup')}[services.setup.job]\n`),
    ],
    refuse: [
      [web('depends_on = ["nobody"]'), 'services.web.depends_on'],
      [web('depends_on = ["web"]'), 'services.web.depends_on'],
      [web('depends_on = ["api", "api"]', service('api')), 'services.web.depends_on'],
      [web('depends_on = "api"', service('api')), 'services.web.depends_on'],
      [
        web('depends_on = ["night"]', `${service('night')}job = { schedule = { cron = "0 0 * * *" } }\n`),
        'services.web.depends_on',
      ],
      ...BAD_NAMES.map((name) => [web(`depends_on = [${quoted(name)}]`), 'services.web.depends_on'] as const),
    ],
  },
  {
    rule: '2.7: no cycle',
    accept: [web('depends_on = ["a", "b"]', service('a', 'depends_on = ["b"]') + service('b'))],
    refuse: [
      [web('depends_on = ["a"]', service('a', 'depends_on = ["web"]')), 'services'],
      [
        web(
          '',
          service('a', 'depends_on = ["b"]') + service('b', 'depends_on = ["c"]') + service('c', 'depends_on = ["a"]'),
        ),
        'services',
      ],
    ],
  },
  {
    rule: '1.3: networks are declared, and not none',
    accept: [
      web('networks = ["default"]'),
      web('networks = ["back", "default"]', '[networks.back]\n'),
      web('networks = ["back"]', '[networks.back]\ninternal = true\n'),
    ],
    refuse: refused('networks', ['[]', '["other"]', '["default", "default"]', '"default"', '["Default"]']),
  },
  {
    rule: '1.3: private_egress',
    accept: values('private_egress', [
      '[]',
      ...GOOD_NAMES.map((name) => texts([name])),
      texts(many(16, (i) => `a${i}`)),
    ]),
    refuse: refused('private_egress', [
      ...BAD_NAMES.map((name) => texts([name])),
      texts(many(17, (i) => `a${i}`)),
      '["a", "a"]',
      '"a"',
    ]),
  },
  {
    rule: '2.5: network_access.from',
    accept: [
      web('network_access = {}'),
      web('network_access = { from = [] }'),
      web('network_access = { from = ["api"] }', service('api')),
      web(`network_access = { from = ${texts(many(19, (i) => `s${i}`))} }`, many(19, (i) => service(`s${i}`)).join('')),
    ],
    refuse: [
      [web('network_access = { from = ["nobody"] }'), 'services.web.network_access'],
      [web('network_access = { from = ["api", "api"] }', service('api')), 'services.web.network_access'],
      [
        web('network_access = { from = ["api"] }', `${service('api', 'networks = ["back"]')}[networks.back]\n`),
        'services.web.network_access',
      ],
      [web(`network_access = { from = ${texts(many(21, (i) => `s${i}`))} }`), 'services.web.network_access'],
      [web('network_access = { from = "api" }', service('api')), 'services.web.network_access'],
      [web('network_access = true'), 'services.web.network_access'],
    ],
  },
  {
    rule: '2.5: network_access.from_applications',
    accept: [
      web('network_access = { from_applications = [] }'),
      web(
        'networks = ["shared"]\nnetwork_access = { from_applications = ["blog/web", "blog/api"] }',
        '[networks.shared]\nvirtual_network = "a"\nsegment = "b"\n',
      ),
      web(
        `networks = ["shared"]\nnetwork_access = { from_applications = ${texts(many(32, (i) => `blog/s${i}`))} }`,
        '[networks.shared]\nvirtual_network = "a"\nsegment = "b"\n',
      ),
    ],
    refuse: [
      ...[
        '["blog"]',
        '["blog/"]',
        '["/web"]',
        '["blog/web/x"]',
        '["Blog/web"]',
        '["shop/web"]',
        '["blog/web", "blog/web"]',
        '"blog/web"',
        texts(many(33, (i) => `blog/s${i}`)),
      ].map(
        (list) =>
          [
            web(
              `networks = ["shared"]\nnetwork_access = { from_applications = ${list} }`,
              '[networks.shared]\nvirtual_network = "a"\nsegment = "b"\n',
            ),
            'services.web.network_access.from_applications',
          ] as const,
      ),
      [web('network_access = { from_applications = ["blog/web"] }'), 'services.web.network_access'],
    ],
  },
];

export const SERVICE_RULES: readonly RuleCase[] = [...IMAGES, ...RESOURCES, ...RUNTIME, ...RELATIONS];
