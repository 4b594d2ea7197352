import { expect, describe as group, test } from 'vitest';
import { planRelease } from '../../src/plan/index.ts';
import { specDigest } from '../../src/spec/index.ts';
import { application } from '../spec/support.ts';
import { granted, planOf } from './support.ts';

const SHOP = 'name = "shop"\n[services.web]\nimage = "nginx"\n';
const SECRETS = `${SHOP}secrets = { A = { ref = "a" }, B = { ref = "b" } }\n`;
const EMPTY = 'name = "shop"\n[services]';
const PR = { trigger: 'pull_request' } as const;

group('refusals', () => {
  test('a new application needs a service', () => {
    expect(planOf(EMPTY).refusals).toMatchObject([{ code: 'invalid_spec', at: 'services' }]);
    expect(planOf(EMPTY, { previous: SHOP }).refusals).toEqual([]);
    expect(planOf(EMPTY, { previous: EMPTY }).refusals).toEqual([]);
  });

  test('a service does not become a job, nor a job a service', () => {
    const job = `${SHOP}job = {}`;
    for (const [previous, next] of [
      [SHOP, job],
      [job, SHOP],
    ] as const) {
      expect(planOf(next, { previous }).refusals).toMatchObject([{ code: 'kind_change', at: 'services.web.job' }]);
    }
    expect(planOf(job, { previous: job }).refusals).toEqual([]);
    expect(planOf(job).refusals).toEqual([]);
  });

  test('a job of a release does not become a scheduled one, nor back', () => {
    const job = `${SHOP}job = {}`;
    const scheduled = `${SHOP}job = { schedule = { cron = "0 4 * * *" } }`;
    for (const [previous, next] of [
      [job, scheduled],
      [scheduled, job],
    ] as const) {
      expect(planOf(next, { previous }).refusals).toMatchObject([
        { code: 'kind_change', at: 'services.web.job.schedule' },
      ]);
    }
    expect(planOf(scheduled, { previous: SHOP }).refusals).toMatchObject([
      { code: 'kind_change', at: 'services.web.job' },
    ]);
    expect(planOf(`${SHOP}job = { schedule = { cron = "0 5 * * *" } }`, { previous: scheduled }).refusals).toEqual([]);
  });

  test('a claim that exists stays as it is', () => {
    const named = (lines: string): string => `${SHOP}[volumes.data]\n${lines}`;
    const own = (lines: string): string => `${SHOP}volume = { mount_path = "/a", ${lines} }`;
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      [named('size_gib = 1'), named('size_gib = 2'), ['volumes.data.size_gib']],
      [named('size_gib = 1'), named('size_gib = 1\nstorage_class = "fast"'), ['volumes.data.storage_class']],
      [
        named('size_gib = 1\nstorage_class = "nfs"'),
        named('size_gib = 1\nstorage_class = "nfs"\naccess_mode = "ReadWriteMany"'),
        ['volumes.data.access_mode'],
      ],
      [own('size_gib = 2'), own('size_gib = 1'), ['services.web.volume.size_gib']],
      [own('size_gib = 1'), own('size_gib = 1, storage_class = "fast"'), ['services.web.volume.storage_class']],
      [own('size_gib = 1'), own('size_gib = 1').replace('/a', '/b'), []],
      [named('size_gib = 1'), named('size_gib = 2').replace('data', 'other'), []],
      [SHOP, own('size_gib = 1'), []],
      [own('size_gib = 1'), SHOP, []],
    ];
    for (const [previous, next, paths] of cases) {
      const { refusals } = planOf(next, { previous });
      expect(refusals.map(({ code, at }) => [code, at])).toEqual(paths.map((path) => ['volume_change', path]));
    }
  });

  test('a release is refused for missing secrets, at the field that refers to them', () => {
    expect(planOf(SECRETS, { missing: ['b'] }).refusals).toMatchObject([
      { code: 'missing_secrets', at: 'services.web.secrets.B' },
    ]);
    expect(planOf(SECRETS, { missing: [] }).refusals).toEqual([]);
  });

  test.each([
    ['secrets.A', `${SHOP}[secrets]\nA = { ref = "gone" }\nB = { ref = "gone" }`],
    [
      'services.web.bindings.A.password',
      `${SHOP}bindings.A = { service = "db", protocol = "redis", password = { ref = "gone" } }\n[services.db]\nimage = "redis"\nport = 6379`,
    ],
    ['services.web.files.a.secret', `${SHOP}files.a = { mount_path = "/a", secret = { ref = "gone" } }`],
    [
      'services.a.secrets.A',
      `${SHOP}secrets.A = { ref = "gone" }\n[services.a]\nimage = "a"\nsecrets.A = { ref = "gone" }`,
    ],
  ])('and the first use of it is %s', (at, text) => {
    const { refusals } = planOf(text, { missing: ['gone'] });
    expect(refusals).toMatchObject([{ code: 'missing_secrets', at }]);
  });

  test('the plan of a pull request lists missing secrets without refusing', () => {
    expect(planOf(SECRETS, { missing: ['b'], request: PR })).toMatchObject({ refusals: [], missingSecrets: ['b'] });
  });
});

group('secrets', () => {
  test('required ones are listed, missing ones only among them', () => {
    expect(planOf(SECRETS, { missing: ['b', 'other', 'a'] })).toMatchObject({
      requiredSecrets: ['a', 'b'],
      missingSecrets: ['a', 'b'],
    });
  });

  test("a fork's plan does not tell which exist", () => {
    const plan = planOf(SECRETS, { missing: ['b'], request: { ...PR, fork: true } });
    expect(plan.requiredSecrets).toEqual(['a', 'b']);
    expect('missingSecrets' in plan).toBe(false);
  });

  test('not asked is not the same as none', () => {
    expect('missingSecrets' in planOf(SECRETS)).toBe(false);
  });
});

group('unchanged', () => {
  test('the same meaning is unchanged', () => {
    const plan = planOf('schema_version = 1\nname = "shop"\n[services.web]\nreplicas = 1\nimage = "nginx"', {
      previous: SHOP,
    });
    expect(plan).toMatchObject({ unchanged: true, changes: [] });
  });

  test('another meaning, or a first release, is not', () => {
    expect(planOf(`${SHOP}port = 1`, { previous: SHOP }).unchanged).toBe(false);
    expect(planOf(SHOP).unchanged).toBe(false);
  });

  test('unchanged exactly when there are no changes', () => {
    for (const line of ['', 'port = 1', 'env.A = "1"', 'kubernetes.deployment = "a"', 'job = {}']) {
      const plan = planOf(`${SHOP}${line}`, { previous: SHOP });
      expect(plan.unchanged).toBe(plan.changes.length === 0);
      expect(plan.unchanged).toBe(plan.specDigest === specDigest(application(SHOP)));
    }
  });
});

group('warnings', () => {
  const PUBLIC = `${SHOP}port = 1\npublic = true\n`;
  const cases: readonly (readonly [string, string, string | undefined, readonly string[]])[] = [
    ['nothing to say', SHOP, undefined, []],
    ['new custom domain', `${PUBLIC}[domains]\n"a.example.com" = "web"`, PUBLIC, ['domains:']],
    [
      'known custom domain',
      `${PUBLIC}[domains]\n"a.example.com" = "web"`,
      `${PUBLIC}[domains]\n"a.example.com" = "web"`,
      [],
    ],
    ['job', `${SHOP}job = {}`, undefined, ['services.web.job:']],
    ['scheduled job', `${SHOP}job = { schedule = { cron = "0 4 * * *" } }`, undefined, ['services.web.job.schedule:']],
    ['content of a file', `${SHOP}files.a = { mount_path = "/a", content = "b" }`, undefined, ['services.web.files:']],
    ['secret file', `${SHOP}files.a = { mount_path = "/a", secret = { ref = "b" } }`, undefined, []],
    ['own volume', `${SHOP}volume = { mount_path = "/a", size_gib = 1 }`, undefined, ['services.web:']],
    [
      'shared volume',
      `${SHOP}mounts = [{ volume = "data", mount_path = "/a" }]\n[volumes.data]\nsize_gib = 1`,
      undefined,
      ['services.web:'],
    ],
    [
      'volume of a job',
      `${SHOP}job = {}\nvolume = { mount_path = "/a", size_gib = 1 }`,
      undefined,
      ['services.web.job:'],
    ],
    ['GPU', `${SHOP}gpu = { count = 1 }`, undefined, ['services.web.gpu:']],
    [
      'HTTP/2 with a healthcheck',
      `${PUBLIC}backend_http2 = true\nhealthcheck = "/"`,
      PUBLIC,
      ['services.web.healthcheck:'],
    ],
    ['HTTP/2 without one', `${PUBLIC}backend_http2 = true`, PUBLIC, []],
    ['own issuer', `${PUBLIC}tls = { issuer = "a" }`, SHOP, []],
    [
      'mixed networks',
      `${SHOP}networks = ["a", "default"]\n[networks.a]\ninternal = true`,
      undefined,
      ['services.web.networks:'],
    ],
    ['internal only', `${SHOP}networks = ["a"]\n[networks.a]\ninternal = true`, undefined, []],
    ['newly public', PUBLIC, SHOP, ['services.web.public:']],
    ['public before', PUBLIC, PUBLIC, []],
    ['removed service', EMPTY, SHOP, ['services.web:']],
  ];
  test.each(cases)('%s', (_name, next, previous, expected) => {
    const { warnings } = planOf(next, previous === undefined ? {} : { previous });
    expect(warnings.map((warning) => `${warning.split(':')[0]}:`)).toEqual(expected);
  });

  test('notes of the parser come first', () => {
    expect(planRelease({ granted: granted(SHOP), previous: application(SHOP), notes: ['a note'] }).warnings).toEqual([
      'a note',
    ]);
  });
});
