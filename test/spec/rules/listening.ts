import {
  BAD_HOSTS,
  BAD_RUNTIME_NAMES,
  GOOD_HOSTS,
  GOOD_RUNTIME_NAMES,
  many,
  quoted,
  type RuleCase,
  refused,
  root,
  service,
  values,
  web,
} from './rule-case.ts';

const PUBLIC = 'port = 8080\npublic = true\n';
const listen = (fields: string, tail = ''): string => web(`${PUBLIC}${fields}`, tail);

const PORTS: readonly RuleCase[] = [
  {
    rule: '1.3: port',
    accept: values('port', [0, 1, 65_535]),
    refuse: refused('port', [-1, 65_536, 1.5, '"80"']),
  },
  {
    rule: '1.3: public needs a port',
    accept: [listen(''), web('public = false'), web('public = false\nport = 0')],
    refuse: [...refused('public', [true, '"true"']), [web('public = true\nport = 0'), 'services.web']],
  },
  {
    rule: '1.5: 15 extra ports',
    accept: [web(`ports = [${many(15, (i) => `{ name = "p${i}", port = ${i + 1} }`)}]`), web('ports = []')],
    refuse: refused('ports', [`[${many(16, (i) => `{ name = "p${i}", port = ${i + 1} }`)}]`, '{}', '[1]']),
  },
  {
    rule: '1.5: names of ports',
    accept: ['a', '1a', 'a-b', 'service', 'a'.repeat(15)].map((name) =>
      web(`ports = [{ name = ${quoted(name)}, port = 1 }]`),
    ),
    refuse: [
      ...['', 'A', '-a', 'a-', 'a_b', 'a b', '1', 'a--b', 'a'.repeat(16)].map(
        (name) => [web(`ports = [{ name = ${quoted(name)}, port = 1 }]`), 'services.web.ports[0].name'] as const,
      ),
      [web('ports = [{ port = 1 }]'), 'services.web.ports[0].name'],
      [web('port = 80\nports = [{ name = "service", port = 1 }]'), 'services.web.ports[0].name'],
      [web('ports = [{ name = "a", port = 1 }, { name = "a", port = 2 }]'), 'services.web.ports[1].name'],
    ],
  },
  {
    rule: '1.5: numbers of ports',
    accept: [
      web('ports = [{ name = "a", port = 1 }, { name = "b", port = 65535 }]'),
      web('ports = [{ name = "a", port = 1, target_port = 65535 }, { name = "b", port = 2, target_port = 0 }]'),
      web('port = 53\nports = [{ name = "a", port = 53, protocol = "UDP" }]'),
      web('ports = [{ name = "a", port = 53, protocol = "TCP" }, { name = "b", port = 53, protocol = "udp" }]'),
    ],
    refuse: [
      [web('ports = [{ name = "a" }]'), 'services.web.ports[0].port'],
      [web('ports = [{ name = "a", port = 0 }]'), 'services.web.ports[0].port'],
      [web('ports = [{ name = "a", port = 65536 }]'), 'services.web.ports[0].port'],
      [web('ports = [{ name = "a", port = 1, target_port = 65536 }]'), 'services.web.ports[0].target_port'],
      [web('ports = [{ name = "a", port = 1, target_port = -1 }]'), 'services.web.ports[0].target_port'],
      [web('ports = [{ name = "a", port = 1 }, { name = "b", port = 1 }]'), 'services.web.ports[1]'],
      [web('ports = [{ name = "a", port = 1 }, { name = "b", port = 1, protocol = "tcp" }]'), 'services.web.ports[1]'],
      [web('port = 80\nports = [{ name = "a", port = 80 }]'), 'services.web.ports[0]'],
    ],
  },
  {
    rule: '1.5: protocol',
    accept: ['', 'TCP', 'tcp', 'Tcp', 'UDP', 'udp'].map((word) =>
      web(`ports = [{ name = "a", port = 1, protocol = ${quoted(word)} }]`),
    ),
    refuse: ['SCTP', 'tcp ', 'http'].map((word) => [
      web(`ports = [{ name = "a", port = 1, protocol = ${quoted(word)} }]`),
      'services.web.ports[0].protocol',
    ]),
  },
];

const HTTP: readonly RuleCase[] = [
  {
    rule: '1.3: healthcheck',
    accept: values('healthcheck', ['""', '"/"', '"/healthz?full=1"', quoted(`/${'a'.repeat(2047)}`)], 'port = 1\n'),
    refuse: [
      ...refused(
        'healthcheck',
        ['"healthz"', '"//host/x"', '"https://host/x"', '"/a#b"', quoted(`/${'a'.repeat(2048)}`), '"/a b"', 1],
        'port = 1\n',
      ),
      ...refused('healthcheck', ['"/healthz"']),
    ],
  },
  {
    rule: '1.3: backend_http2',
    accept: [listen('backend_http2 = true'), web('backend_http2 = false')],
    refuse: [
      ...refused('backend_http2', [true, '"true"']),
      [web('port = 80\nbackend_http2 = true'), 'services.web.backend_http2'],
      [listen('backend_http2 = true\nports = [{ name = "a", port = 1 }]\nhttp = { a = { port = 1 } }'), 'services.web'],
      [listen('backend_http2 = true\nserverless = {}'), 'services.web'],
    ],
  },
  {
    rule: '1.13: http endpoints',
    accept: [
      listen('http = {}'),
      listen('http = { a = { port = 8080 } }'),
      listen('ports = [{ name = "a", port = 9000, target_port = 9001 }]\nhttp = { console = { port = 9000 } }'),
      listen(`http = { ${many(4, (i) => `a${i} = { port = 8080 }`)}, }`.replace(', }', ' }')),
      listen('http = { abcdefgh = { port = 8080 } }'),
    ],
    refuse: [
      [listen(`http = { ${many(5, (i) => `a${i} = { port = 8080 }`)} }`), 'services.web.http'],
      [listen('http = { abcdefghi = { port = 8080 } }'), 'services.web.http'],
      [listen('http = { A = { port = 8080 } }'), 'services.web.http'],
      [listen('http = { a = { port = 9 } }'), 'services.web.http.a.port'],
      [listen('http = { a = { port = 0 } }'), 'services.web.http.a.port'],
      [listen('http = { a = { port = 65536 } }'), 'services.web.http.a.port'],
      [listen('http = { a = {} }'), 'services.web.http.a.port'],
      [
        listen('ports = [{ name = "a", port = 9, target_port = 10 }]\nhttp = { a = { port = 10 } }'),
        'services.web.http.a',
      ],
      [
        listen('ports = [{ name = "a", port = 9, protocol = "UDP" }]\nhttp = { a = { port = 9 } }'),
        'services.web.http.a',
      ],
      [web('port = 80\nhttp = { a = { port = 80 } }'), 'services.web.http'],
      [listen('http = { api = { port = 8080 } }', service('web-api')), 'services'],
      [
        listen('http = { b-c = { port = 8080 } }', `${service('web-b', PUBLIC)}http = { c = { port = 8080 } }\n`),
        'services',
      ],
    ],
  },
  {
    rule: '1.13: domains of endpoints',
    accept: [
      listen('http = { a = { port = 8080, domain = "" } }'),
      root('domains = { "a.example.com" = "web" }', 'http = { a = { port = 8080, domain = "a.example.com" } }'),
    ],
    refuse: [
      [listen('http = { a = { port = 8080, domain = "a.example.com" } }'), 'services.web.http.a.domain'],
      [listen('http = { a = { port = 8080, domain = "A" } }'), 'services.web.http.a.domain'],
      [
        root(
          'domains = { "a.example.com" = "api" }',
          `http = { a = { port = 8080, domain = "a.example.com" } }\n${service('api', PUBLIC)}`,
        ),
        'services.web.http.a.domain',
      ],
      [
        root(
          'domains = { "a.example.com" = "web" }',
          'http = { a = { port = 8080, domain = "a.example.com" }, b = { port = 8080, domain = "a.example.com" } }',
        ),
        'services.web.http.b.domain',
      ],
    ],
  },
  {
    rule: '1.3: tls',
    accept: [
      ...GOOD_RUNTIME_NAMES.flatMap((name) => [
        listen(`tls = { certificate = ${quoted(name)} }`),
        listen(`tls = { issuer = ${quoted(name)} }`),
      ]),
      listen('tls = { issuer = "a", issuer_kind = "Issuer" }'),
      listen('tls = { issuer = "a", issuer_kind = "ClusterIssuer" }'),
      listen('tls = { issuer = "a", certificate = "" }'),
    ],
    refuse: [
      ...BAD_RUNTIME_NAMES.flatMap((name) => [
        [listen(`tls = { certificate = ${quoted(name)} }`), 'services.web.tls.certificate'] as const,
        [listen(`tls = { issuer = ${quoted(name)} }`), 'services.web.tls.issuer'] as const,
      ]),
      [listen('tls = { issuer = "a", certificate = "b" }'), 'services.web.tls'],
      [listen('tls = { issuer = "a", issuer_kind = "Other" }'), 'services.web.tls.issuer_kind'],
      [web('port = 80\ntls = { issuer = "a" }'), 'services.web.tls'],
    ],
  },
];

const probe = (fields: string): string => web(`port = 25\nreadiness = { ${fields} }`);
const probes = (field: string, list: readonly (number | string)[]): readonly (readonly [string, string])[] =>
  list.map((value) => [probe(`protocol = "tcp", port = 25, ${field} = ${value}`), `services.web.readiness.${field}`]);

const READINESS: readonly RuleCase[] = [
  {
    rule: '1.8: protocol and port',
    accept: [
      probe('protocol = "tcp", port = 25'),
      probe('protocol = "smtp", port = 25'),
      web('port = 80\nhealthcheck = "/"\nreadiness = { protocol = "tcp", port = 80 }'),
      web('ports = [{ name = "a", port = 1, target_port = 2 }]\nreadiness = { protocol = "tcp", port = 2 }'),
    ],
    refuse: [
      [probe('protocol = "udp", port = 25'), 'services.web.readiness.protocol'],
      [probe('port = 25'), 'services.web.readiness.protocol'],
      [probe('protocol = "tcp"'), 'services.web.readiness.port'],
      [probe('protocol = "tcp", port = 26'), 'services.web.readiness.port'],
      [probe('protocol = "tcp", port = 65536'), 'services.web.readiness.port'],
      [
        web('ports = [{ name = "a", port = 1, target_port = 2 }]\nreadiness = { protocol = "tcp", port = 1 }'),
        'services.web.readiness.port',
      ],
      [
        web('ports = [{ name = "a", port = 1, protocol = "UDP" }]\nreadiness = { protocol = "tcp", port = 1 }'),
        'services.web.readiness.port',
      ],
    ],
  },
  {
    rule: '1.8: TLS',
    accept: [
      ...GOOD_HOSTS.map((host) => probe(`protocol = "smtp_starttls", port = 25, tls_server_name = ${quoted(host)}`)),
      probe('protocol = "smtp_starttls", port = 25, tls_server_name = "a.b", tls_ca_file = "/etc/ca.pem"'),
      probe(`protocol = "smtp_starttls", port = 25, tls_server_name = "a.b", tls_ca_file = "/${'a'.repeat(255)}"`),
    ],
    refuse: [
      ...BAD_HOSTS.map(
        (host) =>
          [
            probe(`protocol = "smtp_starttls", port = 25, tls_server_name = ${quoted(host)}`),
            'services.web.readiness.tls_server_name',
          ] as const,
      ),
      [probe('protocol = "smtp_starttls", port = 25'), 'services.web.readiness.tls_server_name'],
      [probe('protocol = "tcp", port = 25, tls_server_name = "a.b"'), 'services.web.readiness.tls_server_name'],
      [probe('protocol = "smtp", port = 25, tls_server_name = "a.b"'), 'services.web.readiness.tls_server_name'],
      [probe('protocol = "smtp", port = 25, tls_ca_file = "/a"'), 'services.web.readiness.tls_ca_file'],
      ...['a', '/a/../b', '/a/', `/${'a'.repeat(256)}`].map(
        (path) =>
          [
            probe(`protocol = "smtp_starttls", port = 25, tls_server_name = "a.b", tls_ca_file = ${quoted(path)}`),
            'services.web.readiness.tls_ca_file',
          ] as const,
      ),
    ],
  },
  {
    rule: '1.8: times',
    accept: [
      probe('protocol = "tcp", port = 25, period_seconds = 4, timeout_seconds = 1, failure_threshold = 1'),
      probe('protocol = "tcp", port = 25, period_seconds = 60, timeout_seconds = 10, failure_threshold = 10'),
      probe('protocol = "tcp", port = 25, period_seconds = 3, timeout_seconds = 2'),
      probe('protocol = "tcp", port = 25, timeout_seconds = 4'),
      probe('protocol = "tcp", port = 25, period_seconds = 0, timeout_seconds = 0, failure_threshold = 0'),
    ],
    refuse: [
      ...probes('period_seconds', [2, 61, -1]),
      ...probes('timeout_seconds', [11, -1, 5]),
      ...probes('failure_threshold', [11, -1]),
      [probe('protocol = "tcp", port = 25, period_seconds = 3'), 'services.web.readiness'],
      [probe('protocol = "tcp", port = 25, period_seconds = 10, timeout_seconds = 10'), 'services.web.readiness'],
    ],
  },
];

export const LISTENING_RULES: readonly RuleCase[] = [...PORTS, ...HTTP, ...READINESS];
