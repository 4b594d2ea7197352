import { excluded, lines, many, quoted, type RuleCase, root, service, texts, web } from './rule-case.ts';

const ID = '0123456789abcdef0123456789abcdef';
const ids = (count: number): string => texts(many(count, (i) => i.toString(16).padStart(32, '0')));
const job = (fields: string, more = '', tail = ''): string => web(`job = { ${fields} }\n${more}`, tail);
const DATA = '[volumes.data]\nsize_gib = 1\n';
const MOUNT = 'mounts = [{ volume = "data", mount_path = "/data" }]';

const JOBS: readonly RuleCase[] = [
  {
    rule: '1.9: timeout_seconds',
    accept: [10, 900, 0].map((n) => job(`timeout_seconds = ${n}`)),
    refuse: [9, 901, -1, 1.5].map((n) => [job(`timeout_seconds = ${n}`), 'services.web.job.timeout_seconds']),
  },
  {
    rule: '1.9: retries',
    accept: [0, 3].map((n) => job(`retries = ${n}`)),
    refuse: [-1, 4, 1.5].map((n) => [job(`retries = ${n}`), 'services.web.job.retries']),
  },
  {
    rule: '1.9: what a job excludes',
    accept: [
      job('', 'replicas = 1\nsize = "large"\nenv = { A = "b" }\ngpu = { count = 1 }'),
      job('', 'volume = { mount_path = "/data", size_gib = 1 }'),
      job('', MOUNT, DATA),
      job('', 'port = 0\nhealthcheck = ""\nupdate_strategy = ""\npublic = false\nsuspended = false'),
    ],
    refuse: excluded(
      (fields) => job('', fields),
      [
        'replicas = 2',
        'autoscaling = { max_replicas = 2 }',
        'port = 80',
        'ports = [{ name = "a", port = 1 }]',
        'port = 80\npublic = true',
        'port = 80\npublic = true\nbackend_http2 = true',
        'port = 80\npublic_tcp = [{ port = 7000, target_port = 80, source_cidrs = ["10.0.0.0/8"] }]',
        'tls = { issuer = "a" }',
        'port = 80\nreadiness = { protocol = "tcp", port = 80 }',
        'port = 80\nhealthcheck = "/"',
        'certificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/tls" }]',
        'update_strategy = "recreate"',
        'startup_timeout_seconds = 60',
        'container_daemon = "a"',
        'http = { a = { port = 80 } }',
        'suspended = true',
        'kubernetes = { deployment = "spec: {}" }',
      ],
    ),
  },
];

const schedule = (fields: string, more = ''): string => job(`schedule = { ${fields} }`, more);
const FIELDS_100 = `0  0 1 1 ${'1,'.repeat(45)}1`;

const SCHEDULES: readonly RuleCase[] = [
  {
    rule: '1.9: cron',
    accept: [
      '* * * * *',
      '*/5 0-6 1,15 * mon-fri',
      '59 23 31 12 6',
      '0 0 * JAN SUN',
      '0  0\\t* * *',
      '1-59/2 * * * *',
      FIELDS_100,
      '0 0 * * 0',
    ].map((cron) => schedule(`cron = "${cron}"`)),
    refuse: [
      '',
      '* * * *',
      '* * * * * *',
      '60 * * * *',
      '* 24 * * *',
      '* * 0 * *',
      '* * 32 * *',
      '* * * 13 *',
      '* * * 0 *',
      '* * * * 8',
      '@daily',
      'a * * * *',
      '*/0 * * * *',
      '5-1 * * * *',
      ', * * * *',
      `0 ${FIELDS_100.slice(1)}`,
      '* * * * 7',
    ]
      .map((cron): readonly [string, string] => [schedule(`cron = "${cron}"`), 'services.web.job.schedule.cron'])
      .concat([[schedule('timezone = "UTC"'), 'services.web.job.schedule.cron']]),
  },
  {
    rule: '1.9: timezone and history_limit',
    accept: [
      'timezone = ""',
      'timezone = "UTC"',
      'timezone = "Europe/Berlin"',
      'history_limit = 1',
      'history_limit = 2',
    ].map((field) => schedule(`cron = "0 0 * * *", ${field}`)),
    refuse: [
      ...['Mars/Base', '+02:00', `Europe/${'A'.repeat(95)}`, '../etc/passwd'].map(
        (zone) =>
          [schedule(`cron = "0 0 * * *", timezone = ${quoted(zone)}`), 'services.web.job.schedule.timezone'] as const,
      ),
      ...[3, -1].map(
        (n) =>
          [schedule(`cron = "0 0 * * *", history_limit = ${n}`), 'services.web.job.schedule.history_limit'] as const,
      ),
    ],
  },
  {
    rule: '1.3: scheduled jobs and jobs that people start may pause',
    accept: [
      schedule('cron = "0 0 * * *"', 'suspended = true'),
      job(`invocation = { allowed_identities = ["${ID}"], input_keys = ["a"] }`, 'suspended = true'),
    ],
    refuse: [[job('', 'suspended = true'), 'services.web']],
  },
];

const invoked = (fields: string, more = '', tail = ''): string => job(`invocation = { ${fields} }`, more, tail);
const VALID = `allowed_identities = ["${ID}"], input_keys = ["a"]`;
const inputs = (field: string, list: readonly (number | string)[]): readonly (readonly [string, string])[] =>
  list.map((value) => [invoked(`${VALID}, ${field} = ${value}`), `services.web.job.invocation.${field}`]);

const INVOCATIONS: readonly RuleCase[] = [
  {
    rule: '1.9: allowed_identities',
    accept: [1, 16].map((n) => invoked(`allowed_identities = ${ids(n)}, input_keys = ["a"]`)),
    refuse: [
      '[]',
      ids(17),
      `["${ID}", "${ID}"]`,
      '["*"]',
      `["${ID.toUpperCase()}"]`,
      `["${ID}0"]`,
      `["${ID.slice(1)}"]`,
      `"${ID}"`,
    ]
      .map((list): readonly [string, string] => [
        invoked(`allowed_identities = ${list}, input_keys = ["a"]`),
        'services.web.job.invocation.allowed_identities',
      ])
      .concat([[invoked('input_keys = ["a"]'), 'services.web.job.invocation.allowed_identities']]),
  },
  {
    rule: '1.9: input_keys',
    accept: [1, 16].map((n) =>
      invoked(`allowed_identities = ["${ID}"], input_keys = ${texts(many(n, (i) => `k${i}`))}`),
    ),
    refuse: ['[]', texts(many(17, (i) => `k${i}`)), '["a", "a"]', '["A"]', '"a"'].map((list) => [
      invoked(`allowed_identities = ["${ID}"], input_keys = ${list}`),
      'services.web.job.invocation.input_keys',
    ]),
  },
  {
    rule: '1.9: sizes',
    accept: [
      ...[2, 131_072].map((n) => invoked(`${VALID}, max_input_bytes = ${n}`)),
      ...[1, 64].map((n) => invoked(`${VALID}, queue_limit = ${n}`)),
    ],
    refuse: [...inputs('max_input_bytes', [1, 131_073, -1]), ...inputs('queue_limit', [65, -1])],
  },
  {
    rule: '1.9: what an invocation excludes',
    accept: [
      invoked(VALID, 'files = { a = { mount_path = "/a", content = "a" } }'),
      invoked(VALID, `temporary_mounts = [${many(15, (i) => `{ mount_path = "/a${i}", size_mib = 1 }`)}]`),
      invoked(VALID, 'temporary_mounts = [{ mount_path = "/run/hakopod-other", size_mib = 1 }]'),
    ],
    refuse: [
      [job(`invocation = { ${VALID} }, schedule = { cron = "0 0 * * *" }`), 'services.web.job'],
      [job(`invocation = { ${VALID} }, retries = 1`), 'services.web.job'],
      [job('invocation = true'), 'services.web.job.invocation'],
      [job('schedule = true'), 'services.web.job.schedule'],
      [invoked(VALID, 'volume = { mount_path = "/data", size_gib = 1 }'), 'services.web'],
      [invoked(VALID, MOUNT, DATA), 'services.web'],
      [
        invoked(VALID, `temporary_mounts = [${many(16, (i) => `{ mount_path = "/a${i}", size_mib = 1 }`)}]`),
        'services.web',
      ],
      ...['/run/hakopod/invocation', '/run/hakopod/invocation/a', '/run/hakopod', '/run'].map(
        (path) =>
          [invoked(VALID, `temporary_mounts = [{ mount_path = "${path}", size_mib = 1 }]`), 'services.web'] as const,
      ),
      [invoked(VALID, 'files = { a = { mount_path = "/run/hakopod/invocation/a", content = "a" } }'), 'services.web'],
    ],
  },
  {
    rule: '2.7: nothing waits for a job that people start, or a session',
    accept: [web('depends_on = ["a"]', service('a', 'job = {}'))],
    refuse: [
      [web('depends_on = ["a"]', service('a', `job = { invocation = { ${VALID} } }`)), 'services.web.depends_on'],
      [
        web('depends_on = ["a"]', service('a', 'job = { schedule = { cron = "0 0 * * *" } }')),
        'services.web.depends_on',
      ],
    ],
  },
];

const PINNED = `image = "a@sha256:${'0'.repeat(64)}"`;
const SESSION = `allowed_identities = ["${ID}"], helper_command = ["/helper"]`;
const BASE =
  'command = ["/run"]\nruntime_profile = "strict"\nrun_as_user = 5\nrun_as_group = 5\nfs_group = 5\nread_only_root_filesystem = true\n';

function session(fields: string, base = BASE, more = ''): string {
  return `name = "shop"\n[services.box]\n${PINNED}\n${base}session = { ${fields} }\n${more}\n`;
}
const sessions = (field: string, list: readonly (number | string)[]): readonly (readonly [string, string])[] =>
  list.map((value) => [session(`${SESSION}, ${field} = ${value}`), `services.box.session.${field}`]);
const boxes = (count: number): string =>
  `name = "shop"\n${lines(count, (i) => `[services.s${i}]\n${PINNED}\n${BASE}session = { ${SESSION} }\n`)}`;

const SESSIONS: readonly RuleCase[] = [
  {
    rule: '1.17: allowed_identities and helper_command',
    accept: [
      ...[1, 32].map((n) => session(`allowed_identities = ${ids(n)}, helper_command = ["/helper"]`)),
      session(SESSION),
    ],
    refuse: [
      ...['[]', ids(33), `["${ID}", "${ID}"]`, '["*"]'].map(
        (list) =>
          [
            session(`allowed_identities = ${list}, helper_command = ["/helper"]`),
            'services.box.session.allowed_identities',
          ] as const,
      ),
      [session(`allowed_identities = ["${ID}"]`), 'services.box.session.helper_command'],
      [session(`allowed_identities = ["${ID}"], helper_command = []`), 'services.box.session.helper_command'],
    ],
  },
  {
    rule: '1.17: times',
    accept: [
      session(`${SESSION}, idle_seconds = 60, lifetime_seconds = 60`),
      session(`${SESSION}, idle_seconds = 900, lifetime_seconds = 3600`),
      session(`${SESSION}, lifetime_seconds = 900`),
    ],
    refuse: [
      ...sessions('idle_seconds', [59, 901, -1]),
      ...sessions('lifetime_seconds', [3601, -1]),
      [session(`${SESSION}, lifetime_seconds = 899`), 'services.box.session'],
      [session(`${SESSION}, idle_seconds = 100, lifetime_seconds = 99`), 'services.box.session'],
    ],
  },
  {
    rule: '1.17: what a session wants',
    accept: [session(SESSION)],
    refuse: [
      ...BASE.trim()
        .split('\n')
        .map(
          (line) =>
            [
              session(SESSION, BASE.replace(`${line}\n`, '')),
              'services.box',
              `services.box.${line.split(' ')[0]}`,
            ] as const,
        ),
      [session(SESSION).replace(PINNED, 'image = "a:1"'), 'services.box'],
      [session(SESSION, BASE.replace('run_as_user = 5', 'run_as_user = 0')), 'services.box'],
      [session(SESSION).replace('name = "shop"', 'name = "shop"\nenv = { A = "b" }'), ''],
      [session(SESSION).replace('name = "shop"', 'name = "shop"\nsecrets = { A = { ref = "a" } }'), ''],
      [session(SESSION).replace('name = "shop"', 'name = "shop"\ninject_env = true'), ''],
    ],
  },
  {
    rule: '1.17: what a session excludes',
    accept: [session(SESSION, BASE, 'size = "large"\nworking_dir = "/work"')],
    refuse: [
      ...excluded(
        (fields) => session(SESSION, BASE, fields),
        [
          'port = 80',
          'ports = [{ name = "a", port = 1 }]',
          'port = 80\npublic = true',
          'port = 80\npublic = true\nbackend_http2 = true',
          'port = 80\npublic = true\nhttp = { a = { port = 80 } }',
          'port = 80\nhealthcheck = "/"',
          'port = 80\nreadiness = { protocol = "tcp", port = 80 }',
          'replicas = 2',
          'autoscaling = { max_replicas = 2 }',
          'job = {}',
          'env = { A = "b" }',
          'secrets = { A = { ref = "a" } }',
          'files = { a = { mount_path = "/a", content = "a" } }',
          'volume = { mount_path = "/data", size_gib = 1 }',
          'gpu = { count = 1 }',
          'aws_identity = "a"',
          'container_daemon = "a"',
          'suspended = true',
          'kubernetes = { deployment = "spec: {}" }',
        ],
        'services.box',
      ),
      [session(SESSION, BASE, `depends_on = ["a"]\n${service('a')}`), 'services.box'],
      [`${session(SESSION)}${service('web', 'depends_on = ["box"]')}`, 'services.web.depends_on'],
    ],
  },
  { rule: '1.17: 8 sessions', accept: [boxes(8)], refuse: [[boxes(9), 'services']] },
];

const pool = (fields: string, more = '', tail = ''): string =>
  `name = "shop"\n[services.ci]\n${more}\nactions = { ${fields} }\n${tail}`;
const POOL = 'repository = "acme/shop", credential = "ci"';
const pools = (field: string, list: readonly (number | string)[]): readonly (readonly [string, string])[] =>
  list.map((value) => [pool(`${POOL}, ${field} = ${value}`), `services.ci.actions.${field}`]);

const ACTIONS: readonly RuleCase[] = [
  {
    rule: '1.18: where a pool is',
    accept: [
      pool(POOL),
      pool('organization = "acme", credential = "ci"'),
      pool('organization = "acme", credential = "ci", runner_group_id = 7'),
    ],
    refuse: [
      [pool('repository = "acme/shop", organization = "acme", credential = "ci"'), 'services.ci.actions'],
      [pool('credential = "ci"'), 'services.ci.actions'],
      ['name = "shop"\n[services.ci]\nactions = true\n', 'services.ci.actions'],
      [pool('repository = "acme/shop"'), 'services.ci.actions'],
      [pool('repository = "acme shop", credential = "ci"'), 'services.ci.actions.repository'],
      [pool('organization = "acme/shop", credential = "ci"'), 'services.ci.actions.organization'],
      [pool('repository = "acme/shop", credential = "C I"'), 'services.ci.actions.credential'],
      ...pools('runner_group_id', [-1, '"a"']),
    ],
  },
  {
    rule: '1.18: limits',
    accept: [
      ...[5, 360].map((n) => pool(`${POOL}, timeout_minutes = ${n}`)),
      ...[0, 2, 16].map((n) => pool(`${POOL}, workspace_size_gib = ${n}`)),
      pool(`${POOL}, labels = ${texts(many(8, (i) => `l${i}`))}`),
      pool(POOL, 'replicas = 10'),
      pool(POOL, 'resources = { cpu_request = "200m", memory_request = "768Mi", memory_limit = "4Gi" }'),
    ],
    refuse: [
      ...pools('timeout_minutes', [4, 361, -1]),
      ...pools('workspace_size_gib', [1, 17, -1]),
      ...pools('labels', [texts(many(9, (i) => `l${i}`)), '["a", "a"]', '[""]', '"a"']),
      [pool(POOL, 'replicas = 11'), 'services.ci'],
      [pool(POOL, 'resources = { cpu_request = "199m" }'), 'services.ci.resources'],
      [pool(POOL, 'resources = { memory_request = "767Mi" }'), 'services.ci.resources'],
      [pool(POOL, 'resources = { memory_limit = "4095Mi" }'), 'services.ci.resources'],
    ],
  },
  {
    rule: '1.18: a pool among pools',
    accept: [pool(POOL, '', `[services.more]\nactions = { ${POOL} }\n`)],
    refuse: [
      [pool(POOL, '', service('web')), 'services'],
      [pool(POOL, 'job = {}'), 'services.ci'],
      [pool(POOL, 'port = 80\npublic = true\nserverless = {}'), 'services.ci'],
      [pool(POOL, 'runtime_profile = "a"'), 'services.ci'],
      [pool(POOL, 'kubernetes = { deployment = "spec: {}" }'), 'services.ci'],
      [root('', `actions = { ${POOL} }\n${service('api')}`), 'services'],
    ],
  },
];

export const KIND_RULES: readonly RuleCase[] = [...JOBS, ...SCHEDULES, ...INVOCATIONS, ...SESSIONS, ...ACTIONS];
