import { expect, test } from 'vitest';
import { changesBetween } from '../../src/plan/changes.ts';
import { application } from '../spec/support.ts';

const SHOP = 'name = "shop"\n[services.web]\nimage = "nginx"\n';
const between = (previous: string | undefined, next: string) =>
  changesBetween(previous === undefined ? undefined : application(previous), application(next));
const fields = (changes: ReturnType<typeof between>): readonly string[] =>
  changes.map((c) => `${c.service}.${c.field}`);

/** One change each: a line added to the service, the field, before and after. */
const CHANGED: readonly (readonly [string, string, unknown, unknown])[] = [
  ['port = 80', 'port', 0, 80],
  ['ports = [{ name = "a", port = 1 }]', 'ports', [], [{ name: 'a', port: 1, target_port: 1, protocol: 'TCP' }]],
  ['size = "large"', 'size', 'small', 'large'],
  ['resources.cpu_limit = "2"', 'resources', null, { cpu_limit: '2' }],
  ['replicas = 2', 'replicas', 1, 2],
  ['env.A = "canary"', 'env', {}, { A: '[redacted]' }],
  ['secrets.A.ref = "b"', 'secrets', {}, { A: { ref: 'b' } }],
  ['command = ["a"]', 'command', [], ['a']],
  ['args = ["a"]', 'args', [], ['a']],
  ['job = {}', 'job', null, { timeout_seconds: 300, retries: 0 }],
  ['startup_timeout_seconds = 10', 'startup_timeout_seconds', null, 10],
  ['kubernetes.deployment = "a: b"', 'kubernetes', null, { deployment: 'a: b' }],
];

test.each(CHANGED)('%s', (line, field, before, after) => {
  const changes = between(SHOP, `${SHOP}${line}`);
  expect(changes).toMatchObject([
    { service: 'web', field, before, after, sensitive: field === 'env' || field === 'secrets' },
  ]);
  expect(between(`${SHOP}${line}`, SHOP)).toMatchObject([{ service: 'web', field, before: after, after: before }]);
});

test('public, healthcheck, depends_on, networks, image and build', () => {
  const more = '\n[services.db]\nimage = "a"\n[networks.back]';
  const next =
    'name = "shop"\n[services.web]\nbuild = {}\nport = 80\npublic = true\nhealthcheck = "/"\ndepends_on = ["db"]\nnetworks = ["back"]';
  expect(fields(between(`${SHOP}port = 80${more}`, next + more))).toEqual(
    ['image', 'build', 'public', 'healthcheck', 'depends_on', 'networks'].map((f) => `web.${f}`),
  );
});

test('the application itself', () => {
  const next = `${SHOP.replace('shop', 'store')}port = 80\npublic = true\n[networks.a]\n[domains]\n"a.example.com" = "web"`;
  expect(
    between(`${SHOP}port = 80\npublic = true`, next).map(({ service, field, keys }) => ({ service, field, keys })),
  ).toEqual([
    { service: '', field: 'name', keys: undefined },
    { service: '', field: 'networks', keys: { added: ['a'], removed: [], changed: [] } },
    { service: '', field: 'domains', keys: { added: ['a.example.com'], removed: [], changed: [] } },
  ]);
});

test('a new service is compared with nothing', () => {
  expect(between(undefined, SHOP)).toEqual([
    { service: '', field: 'name', before: '', after: 'shop', sensitive: false },
    {
      service: '',
      field: 'networks',
      before: {},
      after: { default: { internal: false } },
      sensitive: false,
      keys: { added: ['default'], removed: [], changed: [] },
    },
    { service: 'web', field: 'service', before: null, after: 'added', sensitive: false },
    { service: 'web', field: 'image', before: null, after: 'nginx', sensitive: false },
    { service: 'web', field: 'size', before: '', after: 'small', sensitive: false },
    { service: 'web', field: 'replicas', before: 0, after: 1, sensitive: false },
    { service: 'web', field: 'networks', before: [], after: ['default'], sensitive: false },
  ]);
});

test('a removed service is one change', () => {
  expect(between(SHOP, 'name = "shop"\n[services]')).toEqual([
    { service: 'web', field: 'service', before: 'present', after: null, sensitive: false },
  ]);
});

test('a service named like a property is new', () => {
  expect(fields(between(SHOP, `${SHOP}[services.constructor]\nimage = "a"`))[0]).toBe('constructor.service');
});

test('values of env never enter a change; which differ does', () => {
  const changes = between(
    `${SHOP}env = { A = "canary1", B = "canary2", C = "same" }`,
    `${SHOP}env = { B = "canary3", C = "same", D = "canary4" }`,
  );
  expect(JSON.stringify(changes)).not.toContain('canary');
  expect(changes[0]?.keys).toEqual({ added: ['D'], removed: ['A'], changed: ['B'] });
});
