import { excluded, lines, many, type RuleCase, service, texts, web } from './rule-case.ts';

const PUBLIC = 'port = 8080\npublic = true\n';
const listen = (fields: string, tail = ''): string => web(`${PUBLIC}${fields}`, tail);
const scale = (fields: string): string => web(`autoscaling = { ${fields} }`);

const SCALING: readonly RuleCase[] = [
  {
    rule: '1.6: autoscaling',
    accept: [
      'max_replicas = 1',
      'max_replicas = 20',
      'min_replicas = 20, max_replicas = 20',
      'min_replicas = 1, max_replicas = 2, target_cpu = 10',
      'max_replicas = 2, target_cpu = 95',
      'max_replicas = 2, target_cpu = 0, min_replicas = 0',
    ].map(scale),
    refuse: [
      [scale(''), 'services.web.autoscaling.max_replicas'],
      [scale('max_replicas = 0'), 'services.web.autoscaling.max_replicas'],
      [scale('max_replicas = 21'), 'services.web.autoscaling.max_replicas'],
      [scale('min_replicas = -1, max_replicas = 2'), 'services.web.autoscaling.min_replicas'],
      [scale('min_replicas = 3, max_replicas = 2'), 'services.web.autoscaling'],
      [scale('max_replicas = 2, target_cpu = 9'), 'services.web.autoscaling.target_cpu'],
      [scale('max_replicas = 2, target_cpu = 96'), 'services.web.autoscaling.target_cpu'],
    ],
  },
  {
    rule: '1.6: what autoscaling excludes',
    accept: [scale('max_replicas = 2'), web('autoscaling = { max_replicas = 2 }\nreplicas = 3')],
    refuse: [
      'gpu = { count = 1 }\n',
      'volume = { mount_path = "/data", size_gib = 1 }\n',
      'job = {}\n',
      `${PUBLIC}serverless = {}\n`,
    ]
      .map((fields): readonly [string, string] => [
        web(`autoscaling = { max_replicas = 2 }\n${fields}`),
        'services.web',
      ])
      .concat([
        [
          web(
            'autoscaling = { max_replicas = 2 }\nmounts = [{ volume = "data", mount_path = "/data" }]',
            '[volumes.data]\nsize_gib = 1\n',
          ),
          'services.web',
        ],
      ]),
  },
];

const sleepy = (fields: string): string => listen(`serverless = { ${fields} }`);
const limits = (field: string, [low, high]: readonly [number, number]): RuleCase => ({
  rule: `1.7: ${field} is ${low} to ${high}`,
  accept: [low, high, 0].map((n) => sleepy(`${field} = ${n}`)),
  refuse: [low - 1, high + 1, -1, 1.5]
    .filter((n) => n !== 0)
    .map((n) => [sleepy(`${field} = ${n}`), `services.web.serverless.${field}`]),
});

const SERVERLESS: readonly RuleCase[] = [
  limits('min_replicas', [0, 1]),
  limits('idle_seconds', [30, 86_400]),
  limits('startup_timeout_seconds', [5, 300]),
  limits('request_timeout_seconds', [1, 300]),
  limits('max_concurrency', [1, 64]),
  {
    rule: '1.7: what serverless wants and excludes',
    accept: [sleepy('')],
    refuse: [
      [web('serverless = {}'), 'services.web'],
      [web('port = 80\nserverless = {}'), 'services.web'],
      ...excluded(
        (fields) => listen(`serverless = {}\n${fields}`),
        [
          'replicas = 2',
          'job = {}',
          'autoscaling = { max_replicas = 2 }',
          'volume = { mount_path = "/data", size_gib = 1 }',
          'gpu = { count = 1 }',
          'ports = [{ name = "a", port = 1 }]',
          'http = { a = { port = 8080 } }',
          'public_tcp = [{ port = 7000, target_port = 8080, source_cidrs = ["0.0.0.0/0"] }]',
          'certificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/tls" }]',
          'runtime_profile = "a"',
        ],
      ),
      [
        listen(
          'serverless = {}\nmounts = [{ volume = "data", mount_path = "/data" }]',
          '[volumes.data]\nsize_gib = 1\n',
        ),
        'services.web',
      ],
    ],
  },
];

const RESERVED = [22, 53, 80, 443, 1024, 1042, 2379, 2380, 6060, 6443, 8080, 8443, 10_250];
const tcp = (fields: string): string => web(`port = 5432\npublic_tcp = [{ ${fields} }]`);
const cidrs = (list: string): string => tcp(`port = 7000, target_port = 5432, source_cidrs = ${list}`);
const manyTcp = (name: string, count: number, from: number): string =>
  service(
    name,
    `port = 5432\npublic_tcp = [${many(count, (i) => `{ port = ${from + i}, target_port = 5432, source_cidrs = ["10.0.0.0/8"] }`)}]`,
  );

const PUBLIC_TCP: readonly RuleCase[] = [
  {
    rule: '1.14: port',
    accept: [1, 65_535, 7000].map((port) => tcp(`port = ${port}, target_port = 5432, source_cidrs = ["10.0.0.0/8"]`)),
    refuse: [
      ...[0, 65_536, ...RESERVED].map(
        (port) =>
          [
            tcp(`port = ${port}, target_port = 5432, source_cidrs = ["10.0.0.0/8"]`),
            'services.web.public_tcp[0].port',
          ] as const,
      ),
      [tcp('target_port = 5432, source_cidrs = ["10.0.0.0/8"]'), 'services.web.public_tcp[0].port'],
      [`name = "a"\n${manyTcp('a', 1, 7000)}${manyTcp('b', 1, 7000)}`, 'services'],
    ],
  },
  {
    rule: '1.14: target_port',
    accept: [
      cidrs('["10.0.0.0/8"]'),
      web(
        'port = 80\nports = [{ name = "a", port = 1, target_port = 2 }]\npublic_tcp = [{ port = 7000, target_port = 2, source_cidrs = ["10.0.0.0/8"] }]',
      ),
    ],
    refuse: [
      [tcp('port = 7000, source_cidrs = ["10.0.0.0/8"]'), 'services.web.public_tcp[0].target_port'],
      [tcp('port = 7000, target_port = 1, source_cidrs = ["10.0.0.0/8"]'), 'services.web.public_tcp[0]'],
      [
        web(
          'port = 80\nports = [{ name = "a", port = 1, target_port = 80 }]\npublic_tcp = [{ port = 7000, target_port = 80, source_cidrs = ["10.0.0.0/8"] }]',
        ),
        'services.web.public_tcp[0]',
      ],
      [
        listen('public_tcp = [{ port = 7000, target_port = 8080, source_cidrs = ["10.0.0.0/8"] }]'),
        'services.web.public_tcp[0]',
      ],
    ],
  },
  {
    rule: '1.14: source_cidrs',
    accept: ['["0.0.0.0/0"]', '["10.1.2.3/8", "203.0.113.7/32"]', texts(many(16, (i) => `10.${i}.0.0/16`))].map(cidrs),
    refuse: [
      '[]',
      '["10.0.0.0"]',
      '["10.0.0.0/33"]',
      '["10.0.0/8"]',
      '["256.0.0.0/8"]',
      '["260.0.0.0/8"]',
      '["01.0.0.0/8"]',
      '["::/0"]',
      '["2001:db8::/32"]',
      '[""]',
      '"10.0.0.0/8"',
      texts(many(17, (i) => `10.${i}.0.0/16`)),
    ].map((list) => [cidrs(list), 'services.web.public_tcp[0].source_cidrs']),
  },
  {
    rule: '1.14: 16 of a service, 64 of an application, and only with a port',
    accept: [
      `name = "a"\n${manyTcp('a', 16, 7000)}`,
      `name = "a"\n${lines(4, (i) => manyTcp(`s${i}`, 16, 7000 + 16 * i))}`,
    ],
    refuse: [
      [`name = "a"\n${manyTcp('a', 17, 7000)}`, 'services.a.public_tcp'],
      [`name = "a"\n${lines(5, (i) => manyTcp(`s${i}`, 13, 7000 + 13 * i))}`, 'services'],
      [web('public_tcp = [{ port = 7000, target_port = 1, source_cidrs = ["10.0.0.0/8"] }]'), 'services.web'],
    ],
  },
];

export const SCALING_RULES: readonly RuleCase[] = [...SCALING, ...SERVERLESS, ...PUBLIC_TCP];
