import { expect, test } from 'vitest';
import { evaluateGrant, type GrantQuestion } from '../../src/grant/index.ts';
import { question, SHOP } from './support.ts';

const reason = (q: GrantQuestion): string => {
  const result = evaluateGrant(q);
  return result.ok ? 'granted' : `${result.problem.code} ${result.problem.at ?? ''}`.trim();
};
const service = (name: string, lines: string): string => `[services.${name}]\n${lines}\n`;
const built = (args: string): string => `name = "shop"\n${service('web', `build.build_args = ${args}`)}`;
const patched = (patch: string, more = ''): string => `${SHOP}port = 1\n${patch}\n${more}`;
const at = (iso: string): { now: Date } => ({ now: new Date(iso) });
const domain = (host: string): string => `${SHOP}port = 1\npublic = true\n[domains]\n"${host}" = "web"`;
const image = (reference: string): string => `name = "shop"\n${service('web', `image = "${reference}"`)}`;
const PR = { trigger: 'pull_request' } as const;
const TWO = `${SHOP}replicas = 3\n${service('api', 'image = "a"\nsize = "medium"')}`;

const CASES: readonly (readonly [string, Parameters<typeof question>[0], string])[] = [
  ['the default', {}, 'granted'],

  ['push without write', { grant: { permissions: ['deployments:read'] } }, 'grant_refused grant.permissions'],
  ['push with write only', { grant: { permissions: ['deployments:write'] } }, 'granted'],
  [
    'pull request without read',
    { grant: { permissions: ['deployments:write'] }, request: PR },
    'grant_refused grant.permissions',
  ],
  ['pull request with read only', { grant: { permissions: ['deployments:read'] }, request: PR }, 'granted'],
  ['pull request without plans', { grant: { pullRequests: 'none' }, request: PR }, 'grant_refused grant.pullRequests'],
  ['push without plans', { grant: { pullRequests: 'none' } }, 'granted'],
  ['pull request of a fork', { request: { ...PR, fork: true } }, 'granted'],
  ['push of a fork', { request: { fork: true } }, 'grant_refused grant.permissions'],

  ['a millisecond before expiry', { grant: { expiresAt: '2026-11-29T12:00:00.001Z' } }, 'granted'],
  ['at expiry', { grant: { expiresAt: '2026-11-29T12:00:00.000Z' } }, 'grant_expired'],
  ['after expiry', { request: at('2027-11-29T12:00:00Z') }, 'grant_expired'],
  ['an expiry that is no time', { grant: { expiresAt: 'never' } }, 'grant_expired'],

  ['another ref', { request: { ref: 'refs/heads/dev' } }, 'grant_refused grant.refs'],
  ['a tag of the same name', { request: { ref: 'refs/tags/main' } }, 'grant_refused grant.refs'],
  [
    'a ref by glob',
    { grant: { refs: ['refs/tags/*', 'refs/heads/release/*'] }, request: { ref: 'refs/heads/release/1' } },
    'granted',
  ],
  [
    'a ref deeper than the glob',
    { grant: { refs: ['refs/heads/release/*'] }, request: { ref: 'refs/heads/release/1/x' } },
    'grant_refused grant.refs',
  ],
  ['no refs', { grant: { refs: [] } }, 'grant_refused grant.refs'],

  ['another path', { request: { path: 'shop/other.toml' } }, 'grant_refused grant.path'],
  ['a glob is no path', { grant: { path: '**' } }, 'grant_refused grant.path'],

  [
    'another project',
    { request: { application: { project: 'x', environment: 'production', name: 'shop' } } },
    'grant_refused grant.application',
  ],
  [
    'another environment',
    { request: { application: { project: 'acme', environment: 'x', name: 'shop' } } },
    'grant_refused grant.application',
  ],
  [
    'another application',
    { request: { application: { project: 'acme', environment: 'production', name: 'x' } } },
    'grant_refused grant.application',
  ],
  ['another name in the file', { file: SHOP.replace('shop', 'x') }, 'application_mismatch name'],

  ['a custom domain', { file: domain('shop.example.com') }, 'domain_verification_required domains."shop.example.com"'],
  ['a listed domain', { file: domain('shop.example.com'), grant: { domains: ['shop.example.com'] } }, 'granted'],
  ['a domain by glob', { file: domain('shop.example.com'), grant: { domains: ['*.example.com'] } }, 'granted'],
  [
    'a domain that ends alike',
    { file: domain('evil-example.com'), grant: { domains: ['*.example.com'] } },
    'domain_verification_required domains."evil-example.com"',
  ],
  [
    'a domain already released',
    { file: domain('shop.example.com'), previous: domain('shop.example.com') },
    'domain_verification_required domains."shop.example.com"',
  ],

  ['another registry', { grant: { registries: ['ghcr.io'] } }, 'grant_refused services.web.image'],
  ['docker.io by name', { grant: { registries: ['docker.io'] } }, 'granted'],
  ['a registry with port', { file: image('r.acme.io:5000/a'), grant: { registries: ['*.acme.io:5000'] } }, 'granted'],
  [
    'a registry with another port',
    { file: image('r.acme.io:5001/a'), grant: { registries: ['*.acme.io:5000'] } },
    'grant_refused services.web.image',
  ],
  [
    'a registry as a folder',
    { file: image('evil.io/ghcr.io/a'), grant: { registries: ['ghcr.io'] } },
    'grant_refused services.web.image',
  ],
  ['a registry by alias', { file: image('index.docker.io/a/b'), grant: { registries: ['docker.io'] } }, 'granted'],
  ['a registry in upper case', { file: image('GHCR.IO/a/b'), grant: { registries: ['ghcr.io'] } }, 'granted'],
  ['a build has no registry to check', { file: built('{}'), grant: { registries: [] } }, 'granted'],

  [
    'a build arg',
    { file: built('{ A = "1" }'), grant: { buildArgs: [] } },
    'grant_refused services.web.build.build_args.A',
  ],
  [
    'a listed build arg',
    { file: built('{ NEXT_A = "1", B = "2" }'), grant: { buildArgs: ['NEXT_*', 'B'] } },
    'granted',
  ],
  [
    'a build arg beside listed ones',
    { file: built('{ NEXT_A = "1", B = "2" }'), grant: { buildArgs: ['NEXT_*'] } },
    'grant_refused services.web.build.build_args.B',
  ],

  ['services at the limit', { file: TWO, grant: { limits: { services: 2 } } }, 'granted'],
  ['services over the limit', { file: TWO, grant: { limits: { services: 1 } } }, 'grant_refused services'],
  ['replicas at the limit', { file: TWO, grant: { limits: { replicas: 4 } } }, 'granted'],
  ['replicas over the limit', { file: TWO, grant: { limits: { replicas: 3 } } }, 'grant_refused services'],
  ['CPU at the limit', { file: TWO, grant: { limits: { cpuMillis: 660 } } }, 'granted'],
  ['CPU over the limit', { file: TWO, grant: { limits: { cpuMillis: 659 } } }, 'grant_refused services'],
  ['memory at the limit', { file: TWO, grant: { limits: { memoryBytes: (3 * 154 + 308) * 1024 ** 2 } } }, 'granted'],
  [
    'memory over the limit',
    { file: TWO, grant: { limits: { memoryBytes: (3 * 154 + 308) * 1024 ** 2 - 1 } } },
    'grant_refused services',
  ],
  ['a limit of zero', { file: 'name = "shop"\n[services]', grant: { limits: { services: 0 } } }, 'granted'],

  [
    'a patch of a new application',
    { file: patched("kubernetes.deployment = 'a: b'") },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch added',
    { file: patched("kubernetes.deployment = 'a: b'"), previous: patched('') },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch changed',
    { file: patched("kubernetes.deployment = 'a: b'"), previous: patched("kubernetes.deployment = 'a: c'") },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch of one more kind',
    {
      file: patched("kubernetes = { deployment = 'a: b', service = 'a: b' }"),
      previous: patched("kubernetes.deployment = 'a: b'"),
    },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch moved to another kind',
    { file: patched("kubernetes.service = 'a: b'"), previous: patched("kubernetes.deployment = 'a: b'") },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch on another service',
    {
      file: `${SHOP}${service('api', "image = 'a'\nkubernetes.deployment = 'a: b'")}`,
      previous: patched("kubernetes.deployment = 'a: b'"),
    },
    'kubernetes_patch_refused services.api.kubernetes',
  ],
  [
    'a patch unchanged',
    {
      file: patched("replicas = 2\nkubernetes.deployment = 'a: b'"),
      previous: patched("kubernetes.deployment = 'a: b'"),
    },
    'granted',
  ],
  ['a patch removed', { file: patched(''), previous: patched("kubernetes.deployment = 'a: b'") }, 'granted'],
  [
    'one of two patches removed',
    {
      file: patched("kubernetes.service = 'a: b'"),
      previous: patched("kubernetes = { deployment = 'a: b', service = 'a: b' }"),
    },
    'granted',
  ],
  [
    'a patch in a pull request',
    { file: patched("kubernetes.deployment = 'a: b'"), request: PR },
    'kubernetes_patch_refused services.web.kubernetes',
  ],
  [
    'a patch on a service named like a property',
    { file: `name = "shop"\n${service('constructor', "image = 'a'\nkubernetes.deployment = 'a: b'")}`, previous: SHOP },
    'kubernetes_patch_refused services.constructor.kubernetes',
  ],
];

test.each(CASES)('%s', (_name, overrides, expected) => {
  expect(reason(question(overrides))).toBe(expected);
});

test('a patch is refused whatever the grant says', () => {
  const everything = {
    refs: ['**'],
    domains: ['**'],
    permissions: ['deployments:read', 'deployments:write', 'kubernetes:patch'] as never,
  };
  expect(reason(question({ grant: everything, file: patched("kubernetes.deployment = 'a: b'") }))).toBe(
    'kubernetes_patch_refused services.web.kubernetes',
  );
});

test('the first refusal in the order of the checks is the reason', () => {
  const wrong = { permissions: [], refs: [], path: 'x', expiresAt: '2020-01-01T00:00:00Z', registries: [] };
  const steps = [
    ['permissions', 'grant_refused grant.permissions'],
    ['expiresAt', 'grant_expired'],
    ['refs', 'grant_refused grant.refs'],
    ['path', 'grant_refused grant.path'],
    ['registries', 'grant_refused services.web.image'],
  ] as const;
  const grant: Record<string, unknown> = { ...wrong };
  for (const [part, expected] of steps) {
    expect(reason(question({ grant }))).toBe(expected);
    delete grant[part];
  }
  expect(reason(question({ grant }))).toBe('granted');
});

test('what is granted says what for', () => {
  const push = evaluateGrant(question({ grant: { revision: 7 } }));
  expect(push).toMatchObject({
    ok: true,
    value: { purpose: 'release', fork: false, grantRevision: 7, value: { name: 'shop' } },
  });
  const fork = evaluateGrant(question({ request: { ...PR, fork: true } }));
  expect(fork).toMatchObject({ ok: true, value: { purpose: 'plan', fork: true } });
});
