import { expect, test } from 'vitest';
import { parseSpecJson, specDigest } from '../../src/spec/index.ts';
import { application, web, withService } from './support.ts';

test('defaults', () => {
  expect(application('name = "shop"\n[services.web]\nimage = "nginx"')).toEqual({
    schema_version: 1,
    name: 'shop',
    services: {
      web: {
        image: 'nginx',
        port: 0,
        ports: [],
        public: false,
        size: 'small',
        replicas: 1,
        healthcheck: '',
        env: {},
        secrets: {},
        command: [],
        args: [],
        depends_on: [],
        networks: ['default'],
      },
    },
    networks: { default: { internal: false } },
    domains: {},
  });
});

test('explicit empty values say the same as absence', () => {
  const empty = withService(
    'port = 0\nports = []\npublic = false\nsize = ""\nreplicas = 0\nhealthcheck = ""\nenv = {}\nsecrets = {}\ncommand = []\nargs = []\n' +
      'depends_on = []\nresources = { cpu_request = "" }\nstartup_timeout_seconds = 0\nkubernetes = { service = "", ingress = "" }',
    '[networks]\n[domains]',
  );
  expect(application(`schema_version = 0\n${empty}`)).toEqual(application(withService('')));
});

test('an empty job is a job, an empty build a build', () => {
  expect(web('job = {}').job).toEqual({ timeout_seconds: 300, retries: 0 });
  expect(application('name = "a"\n[services.web]\nbuild = {}').services.web?.build).toEqual({
    context: '.',
    dockerfile: 'Dockerfile',
    build_args: {},
  });
});

test('the Dockerfile is looked for in the context', () => {
  const built = application('name = "a"\n[services.web.build]\ncontext = "app/web"\ntarget = "final"').services.web;
  expect(built?.build).toEqual({
    context: 'app/web',
    dockerfile: 'app/web/Dockerfile',
    target: 'final',
    build_args: {},
  });
});

test('ports are sorted and completed', () => {
  const ports =
    '[[services.web.ports]]\nname = "b"\nport = 2\ntarget_port = 0\nprotocol = "udp"\n[[services.web.ports]]\nname = "a"\nport = 1\ntarget_port = 9';
  expect(web('', ports).ports).toEqual([
    { name: 'a', port: 1, target_port: 9, protocol: 'TCP' },
    { name: 'b', port: 2, target_port: 2, protocol: 'UDP' },
  ]);
});

test('lists of names are sorted, elements of a command are not', () => {
  const service = web(
    'depends_on = ["z", "a"]\nnetworks = ["z", "a"]\ncommand = ["z", "a"]',
    '[services.a]\nimage="a"\n[services.z]\nimage="a"\n[networks.a]\n[networks.z]',
  );
  expect(service).toMatchObject({ depends_on: ['a', 'z'], networks: ['a', 'z'], command: ['z', 'a'] });
});

test('quantities are canonical', () => {
  expect(
    web('resources = { cpu_request = "0.1", cpu_limit = "2000m", memory_request = "64Mi", memory_limit = "1024Mi" }')
      .resources,
  ).toEqual({
    cpu_request: '100m',
    cpu_limit: '2',
    memory_request: '64Mi',
    memory_limit: '1Gi',
  });
});

test('minus zero is zero', () => {
  expect(Object.is(web('port = -0').port, 0)).toBe(true);
});

test('the input is not changed', () => {
  const freeze = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const raw = {
    name: 'a',
    services: { web: { image: 'a', depends_on: ['z', 'b'], mounts: [] }, z: { image: 'a' }, b: { image: 'a' } },
  };
  expect(parseSpecJson(freeze(raw)).ok).toBe(true);
});

test('the same meaning has the same digest, another meaning another', () => {
  const one = application('name = "a"\n[services.web]\nimage = "a"\nport = 80\n[services.db]\nimage = "b"');
  const other = application(
    'name = "a"\nschema_version = 1\n[services.db]\nimage = "b"\n[services.web]\nport = 80\nimage = "a"\nreplicas = 1',
  );
  expect(specDigest(one)).toBe(specDigest(other));
  expect(specDigest(one)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(specDigest(application('name = "a"\n[services.web]\nimage = "a"\nport = 81'))).not.toBe(specDigest(one));
});

test('the longest context gives a release that can be read again', () => {
  const built = application(`name = "a"\n[services.web.build]\ncontext = "${'x'.repeat(200)}"`);
  expect(parseSpecJson(JSON.parse(JSON.stringify(built)))).toMatchObject({ ok: true, application: built });
});
