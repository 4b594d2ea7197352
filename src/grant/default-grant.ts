import type { ApplicationKey, DeployGrant } from '../kernel/index.ts';

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 90;

/**
 * What `sources add` grants unless flags say otherwise (DESIGN, section 1): the bound ref, path and application, reading and
 * deploying, any registry, any build arg, no custom domain, plans on pull requests, 90 days from `now`.
 */
export function defaultGrant(binding: {
  readonly ref: string;
  readonly path: string;
  readonly application: ApplicationKey;
  readonly owner: string;
  readonly now: Date;
  /** 1 for a new source; one more at each renewal. */
  readonly revision?: number;
}): DeployGrant {
  const { project, environment, name } = binding.application;
  return {
    permissions: ['deployments:read', 'deployments:write'],
    refs: [binding.ref],
    path: binding.path,
    application: { project, environment, name },
    domains: [],
    registries: ['**'],
    buildArgs: ['**'],
    limits: {},
    pullRequests: 'plan',
    owner: binding.owner,
    revision: binding.revision ?? 1,
    expiresAt: new Date(binding.now.getTime() + LIFETIME_DAYS * DAY_MS).toISOString(),
  };
}
