import { expect, describe as group, test } from 'vitest';
import { planRelease } from '../../src/plan/index.ts';
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

  test('a release is refused for missing secrets, at the field that refers to them', () => {
    expect(planOf(SECRETS, { missing: ['b'] }).refusals).toMatchObject([
      { code: 'missing_secrets', at: 'services.web.secrets.B' },
    ]);
    expect(planOf(SECRETS, { missing: [] }).refusals).toEqual([]);
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
