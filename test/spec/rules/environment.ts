import {
  BAD_NAMES,
  GOOD_NAMES,
  quoted,
  type RuleCase,
  refused,
  root,
  service,
  table,
  values,
  web,
} from './rule-case.ts';

const NUL = '\\u0000';

const VARIABLES: readonly RuleCase[] = [
  {
    rule: '1.3: env',
    accept: values('env', [
      '{}',
      table(128, (i) => `A${i} = ""`),
      `{ A = "${'é'.repeat(2048)}" }`,
      `{ ${'A'.repeat(128)} = "", _1 = "", a = "" }`,
    ]),
    refuse: refused('env', [
      table(129, (i) => `A${i} = ""`),
      `{ A = "${'é'.repeat(2048)}x" }`,
      `{ A = "${NUL}" }`,
      '{ A = 1 }',
      '{ A = true }',
      `{ ${'A'.repeat(129)} = "" }`,
      '{ 1A = "" }',
      '{ A-B = "" }',
      '{ "A B" = "" }',
      '{ "" = "" }',
      '[]',
    ]),
  },
  {
    rule: '2.3: sensitive names and values',
    accept: [
      '{ TOKENS = "a", TOKENIZER = "a", PASSWORDLESS = "a", MYTOKEN = "a", SECRETARY = "a" }',
      '{ A = "ghp_abcdefghijk", B = "xghp_abcdefghijkl", C = "github_pat_abcdefghijk", D = "glpat-abcdefghijk", E = "sk-proj-abcdefghijk" }',
      '{ A = "-----BEGIN CERTIFICATE-----", B = "eyJhbGciOi.abc", C = "https://a.b/c@d?e=f@g", D = "a@b.c" }',
    ].flatMap((env) => [web(`env = ${env}`), root(`env = ${env}`)]),
    refuse: [
      ...[
        'PASSWORD',
        'PASSWD',
        'PWD',
        'TOKEN',
        'SECRET',
        'API_KEY',
        'PRIVATE_KEY',
        'ACCESS_KEY',
        'ACCESS_KEY_ID',
        'SECRET_KEY',
        'CLIENT_SECRET',
        'SIGNING_KEY',
        'ENCRYPTION_KEY',
      ].flatMap((name) => [name, `A_${name}`, `a_${name.toLowerCase()}`]),
      'A_SECRET_KEY_B',
      'PRIVATE_KEY_FILE',
      'x_api_key_y',
      'CLIENT_SECRET_1',
    ]
      .map((name): readonly [string, string] => [web(`env = { ${name} = "" }`), `services.web.env.${name}`])
      .concat(
        [
          '-----BEGIN PRIVATE KEY-----',
          'a\\n-----BEGIN RSA PRIVATE KEY-----\\nb',
          '-----BEGIN OPENSSH PRIVATE KEY-----',
          'ghp_abcdefghijkl',
          'gho_abcdefghijkl',
          'ghu_abcdefghijkl',
          'ghs_abcdefghijkl',
          'ghr_abcdefghijkl',
          'github_pat_abcdefghijkl',
          'glpat-abcdefghijkl',
          'sk-proj-abcdefghijkl',
          'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
          'postgres://user:pass@db:5432/shop',
          'https://token@example.com/x',
          'redis://:pass@cache',
        ].map((value) => [web(`env = { A = "${value}" }`), 'services.web.env.A']),
      ),
  },
  {
    rule: '1.3: secrets',
    accept: values('secrets', ['{}', table(32, (i) => `A${i} = { ref = "a" }`), '{ A_TOKEN = { ref = "a" } }']),
    refuse: refused('secrets', [
      table(33, (i) => `A${i} = { ref = "a" }`),
      '{ A = "a" }',
      '{ A = {} }',
      '{ A-B = { ref = "a" } }',
      '[]',
    ]),
  },
  {
    rule: '1.16: references',
    accept: [
      ...GOOD_NAMES.map((name) => web(`secrets = { A = { ref = ${quoted(name)} } }`)),
      ...['a', 'a/b', 'A-Z_0.9/x', 'a'.repeat(512)].map((path) =>
        web(`secrets = { A = { provider = "vault", path = ${quoted(path)}, key = "k" } }`),
      ),
      web(`secrets = { A = { provider = "vault", path = "", key = "${'k'.repeat(128)}" } }`),
      web('secrets = { A = { provider = "vault", key = "K-._9" } }'),
    ],
    refuse: [
      ...BAD_NAMES.map(
        (name) => [web(`secrets = { A = { ref = ${quoted(name)} } }`), 'services.web.secrets.A.ref'] as const,
      ),
      ...BAD_NAMES.map(
        (name) =>
          [
            web(`secrets = { A = { provider = ${quoted(name)}, path = "a", key = "k" } }`),
            'services.web.secrets.A.provider',
          ] as const,
      ),
      ...['/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a/./b', 'a b', 'a\\b', 'é', 'a'.repeat(513)].map(
        (path) =>
          [
            web(`secrets = { A = { provider = "vault", path = ${quoted(path)}, key = "k" } }`),
            'services.web.secrets.A.path',
          ] as const,
      ),
      ...['a/b', 'a b', 'é', 'k'.repeat(129)].map(
        (key) =>
          [
            web(`secrets = { A = { provider = "vault", path = "a", key = ${quoted(key)} } }`),
            'services.web.secrets.A.key',
          ] as const,
      ),
      [web('secrets = { A = { provider = "vault", path = "a" } }'), 'services.web.secrets.A'],
      [web('secrets = { A = { ref = "a", provider = "vault", path = "a", key = "k" } }'), 'services.web.secrets.A'],
      ...['key = "k"', 'path = "a"', 'provider = "vault"'].map(
        (more) => [web(`secrets = { A = { ref = "a", ${more} } }`), 'services.web.secrets.A'] as const,
      ),
      [
        web('files = { x = { mount_path = "/x", secret = { provider = "vault", path = "a" } } }'),
        'services.web.files.x.secret',
      ],
      [
        web(
          'bindings = { U = { service = "db", protocol = "redis", password = { provider = "vault" } } }',
          service('db', 'port = 1'),
        ),
        'services.web.bindings.U.password',
      ],
      [web('secrets = { A = { path = "a", key = "k" } }'), 'services.web.secrets.A'],
    ],
  },
  {
    rule: '1.16: references everywhere',
    accept: [root('secrets = { A = { provider = "vault", path = "a", key = "k" } }')],
    refuse: [
      ['provider', 'provider = "V", path = "a", key = "k"'],
      ['path', 'provider = "vault", path = "/a", key = "k"'],
      ['key', 'provider = "vault", path = "a", key = "k k"'],
    ].flatMap(([field, secret]): readonly (readonly [string, string])[] => [
      [root(`secrets = { A = { ${secret} } }`), `secrets.A.${field}`],
      [web(`files = { x = { mount_path = "/x", secret = { ${secret} } } }`), `services.web.files.x.secret.${field}`],
      [
        web(
          `bindings = { U = { service = "db", protocol = "redis", password = { ${secret} } } }`,
          service('db', 'port = 1'),
        ),
        `services.web.bindings.U.password.${field}`,
      ],
    ]),
  },
  {
    rule: '1.3: a key is in one table',
    accept: [web('env = { A = "" }\nsecrets = { B = { ref = "a" } }')],
    refuse: [[web('env = { A = "" }\nsecrets = { A = { ref = "a" } }'), 'services.web']],
  },
  {
    rule: '2.4: 128 variables and 32 secrets with those of the application',
    accept: [
      root(`inject_env = true\nenv = ${table(100, (i) => `A${i} = ""`)}`, `env = ${table(28, (i) => `B${i} = ""`)}`),
      root(`inject_env = true\nenv = ${table(100, (i) => `A${i} = ""`)}`, `env = ${table(128, (i) => `A${i} = ""`)}`),
      root(`env = ${table(100, (i) => `A${i} = ""`)}`, `env = ${table(100, (i) => `B${i} = ""`)}`),
      root(
        `secrets = ${table(20, (i) => `A${i} = { ref = "a" }`)}`,
        `secrets = ${table(12, (i) => `B${i} = { ref = "a" }`)}`,
      ),
      root(
        `secrets = ${table(32, (i) => `A${i} = { ref = "a" }`)}`,
        'env = { A0 = "" }\nsecrets = { B = { ref = "a" } }',
      ),
    ],
    refuse: [
      [
        root(`inject_env = true\nenv = ${table(100, (i) => `A${i} = ""`)}`, `env = ${table(29, (i) => `B${i} = ""`)}`),
        'services.web.env',
      ],
      [
        root(
          `secrets = ${table(20, (i) => `A${i} = { ref = "a" }`)}`,
          `secrets = ${table(13, (i) => `B${i} = { ref = "a" }`)}`,
        ),
        'services.web.secrets',
      ],
    ],
  },
];

const AWS =
  'AWS_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SECRET_KEY AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_SECURITY_TOKEN AWS_CREDENTIAL_EXPIRATION AWS_ROLE_ARN AWS_ROLE_SESSION_NAME AWS_WEB_IDENTITY_TOKEN_FILE AWS_REGION AWS_DEFAULT_REGION AWS_STS_REGIONAL_ENDPOINTS AWS_EC2_METADATA_DISABLED AWS_EC2_METADATA_SERVICE_ENDPOINT AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AWS_PROFILE AWS_DEFAULT_PROFILE AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE AWS_ENDPOINT_URL AWS_ENDPOINT_URL_STS AWS_CA_BUNDLE aws_region'.split(
    ' ',
  );
const DOCKER =
  'DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH DOCKER_CONFIG DOCKER_API_VERSION BUILDKIT_HOST docker_host'.split(
    ' ',
  );

function reserved(field: string, names: readonly string[], free: string): RuleCase {
  return {
    rule: `2.9: variables that ${field} reserves`,
    accept: [
      web(`${field} = "a"\nsecrets = { ${free} = { ref = "a" } }`),
      ...names.map((name) => web(`secrets = { ${name} = { ref = "a" } }`)),
      root('env = { AWS_REGION = "a", DOCKER_HOST = "b" }', `${field} = "a"`),
    ],
    refuse: [
      ...names.map((name) => [web(`${field} = "a"\nsecrets = { ${name} = { ref = "a" } }`), 'services.web'] as const),
      [web(`${field} = "a"\nenv = { ${names.at(-1)} = "a" }`), 'services.web'],
      [
        web(
          `${field} = "a"\nbindings = { ${names.at(-1)} = { service = "api", protocol = "http" } }`,
          service('api', 'port = 80'),
        ),
        'services.web',
      ],
      [root(`inject_env = true\nenv = { ${names.at(-1)} = "a" }`, `${field} = "a"`), 'services.web'],
      [root(`secrets = { ${names.at(-1)} = { ref = "a" } }`, `${field} = "a"`), 'services.web'],
    ],
  };
}

const DB = service('db', 'port = 5432');
const bind = (fields: string, tail = DB): string => web(`bindings = { URL = { ${fields} } }`, tail);
const FULL = 'service = "db", database = "shop", username = "app", password = { ref = "p" }';

const BINDINGS: readonly RuleCase[] = [
  {
    rule: '1.12: what each protocol wants',
    accept: [
      bind('service = "db", protocol = "http"'),
      ...['postgres', 'mysql', 'amqp'].map((protocol) => bind(`${FULL}, protocol = "${protocol}"`)),
      bind('service = "db", protocol = "redis", password = { ref = "p" }'),
      ...['0', '1', '9', '10', '15', ''].map((db) =>
        bind(`service = "db", protocol = "redis", database = "${db}", password = { ref = "p" }`),
      ),
      bind(`${FULL.replace('"shop"', quoted('a'.repeat(64)))}, protocol = "postgres"`),
      bind(`${FULL.replace('"app"', quoted('a'.repeat(64)))}, protocol = "postgres"`),
      bind(`${FULL.replace('{ ref = "p" }', '{ provider = "vault", path = "a", key = "k" }')}, protocol = "postgres"`),
    ],
    refuse: [
      ...['database = "a"', 'username = "a"', 'password = { ref = "p" }'].map(
        (field) => [bind(`service = "db", protocol = "http", ${field}`), 'services.web.bindings.URL'] as const,
      ),
      ...['postgres', 'mysql', 'amqp'].flatMap((protocol) =>
        ['database = "shop", ', 'username = "app", ', ', password = { ref = "p" }'].map(
          (field) =>
            [bind(`${FULL.replace(field, '')}, protocol = "${protocol}"`), 'services.web.bindings.URL'] as const,
        ),
      ),
      [bind('service = "db", protocol = "redis"'), 'services.web.bindings.URL'],
      ...['16', '-1', 'a', '01', '1.0'].map(
        (db) =>
          [
            bind(`service = "db", protocol = "redis", database = "${db}", password = { ref = "p" }`),
            'services.web.bindings.URL.database',
          ] as const,
      ),
      ...['a/b', 'a?b', 'a#b', 'a\\b', 'a\rb', 'a\nb', 'a'.repeat(65)].map(
        (db) =>
          [
            bind(`${FULL.replace('"shop"', quoted(db))}, protocol = "postgres"`),
            'services.web.bindings.URL.database',
          ] as const,
      ),
      [
        bind(`${FULL.replace('"app"', quoted('a'.repeat(65)))}, protocol = "postgres"`),
        'services.web.bindings.URL.username',
      ],
      [bind(`${FULL.replace('"p"', '"P"')}, protocol = "postgres"`), 'services.web.bindings.URL.password'],
      [bind(`${FULL}, protocol = "ftp"`), 'services.web.bindings.URL.protocol'],
      [bind(FULL), 'services.web.bindings.URL.protocol'],
      [bind('protocol = "http"'), 'services.web.bindings.URL.service'],
    ],
  },
  {
    rule: '1.12: the target can be reached',
    accept: [
      bind('service = "db", protocol = "http"', service('db', 'port = 1\nnetwork_access = { from = ["web"] }')),
      web(
        'networks = ["back"]\nbindings = { URL = { service = "db", protocol = "http" } }',
        `${service('db', 'port = 1\nnetworks = ["back", "default"]')}[networks.back]\n`,
      ),
    ],
    refuse: [
      [bind('service = "nobody", protocol = "http"'), 'services.web.bindings.URL'],
      [bind('service = "db", protocol = "http"', service('db')), 'services.web.bindings.URL'],
      [
        bind('service = "db", protocol = "http"', service('db', 'ports = [{ name = "a", port = 1 }]')),
        'services.web.bindings.URL',
      ],
      [bind('service = "db", protocol = "http"', service('db', 'job = {}')), 'services.web.bindings.URL'],
      [
        bind('service = "db", protocol = "http"', service('db', 'port = 1\nnetwork_access = {}')),
        'services.web.bindings.URL',
      ],
      [
        bind('service = "db", protocol = "http"', service('db', 'port = 1\nnetwork_access = { from = [] }')),
        'services.web.bindings.URL',
      ],
      [
        bind('service = "db", protocol = "http"', `${service('db', 'port = 1\nnetworks = ["back"]')}[networks.back]\n`),
        'services.web.bindings.URL',
      ],
    ],
  },
  {
    rule: '1.12: 16 bindings, whose keys are free',
    accept: [
      web(`bindings = ${table(16, (i) => `A${i} = { service = "db", protocol = "http" }`)}`, DB),
      web('bindings = {}'),
    ],
    refuse: [
      [
        web(`bindings = ${table(17, (i) => `A${i} = { service = "db", protocol = "http" }`)}`, DB),
        'services.web.bindings',
      ],
      [web('env = { A = "" }\nbindings = { A = { service = "db", protocol = "http" } }', DB), 'services.web'],
      [
        web('secrets = { A = { ref = "a" } }\nbindings = { A = { service = "db", protocol = "http" } }', DB),
        'services.web',
      ],
      [web('bindings = { 1A = { service = "db", protocol = "http" } }', DB), 'services.web.bindings'],
      [web('bindings = { A = "db" }', DB), 'services.web.bindings'],
    ],
  },
  {
    rule: '1.11: internal keys',
    accept: [web('secrets = { __file_a = { ref = "a" }, __binding_A = { ref = "a" } }')],
    refuse: [
      [
        web('secrets = { __file_a = { ref = "a" } }\nfiles = { a = { mount_path = "/a", secret = { ref = "a" } } }'),
        'services.web',
      ],
      [
        web(`secrets = { __binding_A = { ref = "a" } }\nbindings = { A = { ${FULL}, protocol = "postgres" } }`, DB),
        'services.web',
      ],
    ],
  },
];

export const ENVIRONMENT_RULES: readonly RuleCase[] = [
  ...VARIABLES,
  reserved('aws_identity', AWS, 'DOCKER_HOST'),
  reserved('container_daemon', DOCKER, 'AWS_REGION'),
  ...BINDINGS,
];
