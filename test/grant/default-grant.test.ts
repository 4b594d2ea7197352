import { expect, test } from 'vitest';
import { defaultGrant } from '../../src/grant/index.ts';
import { DeployGrant } from '../../src/kernel/index.ts';

test('grants the bound ref, path and application for 90 days, and no domain', () => {
  const grant = defaultGrant({
    ref: 'refs/heads/main',
    path: 'hakopod.toml',
    application: { project: 'acme', environment: 'production', name: 'shop' },
    owner: 'ada',
    now: new Date('2026-01-01T00:00:00Z'),
  });
  expect(grant).toEqual({
    permissions: ['deployments:read', 'deployments:write'],
    refs: ['refs/heads/main'],
    path: 'hakopod.toml',
    application: { project: 'acme', environment: 'production', name: 'shop' },
    domains: [],
    registries: ['**'],
    buildArgs: ['**'],
    limits: {},
    pullRequests: 'plan',
    owner: 'ada',
    revision: 1,
    expiresAt: '2026-04-01T00:00:00.000Z',
  });
  expect(DeployGrant.parse(grant)).toEqual(grant);
});
