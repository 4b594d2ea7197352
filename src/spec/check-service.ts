import type { Service } from './application.ts';
import { ENV_RULES } from './check-env.ts';
import { KIND_RULES } from './check-kind.ts';
import { LISTEN_RULES } from './check-listen.ts';
import { STORAGE_RULES } from './check-storage.ts';
import type { Finding, Path } from './path.ts';
import { resourceAmounts } from './resources.ts';
import { at, type Rule, rule, type Subject, when } from './rule.ts';
import { looksSensitive } from './sensitive.ts';

/** The rules inside one service, in the order of facts 2.1 as far as they follow it. */
export const SERVICE_RULES: readonly Rule[] = [
  rule(['image', 'build', 'actions'], imageOrBuild),
  ...KIND_RULES,
  ...LISTEN_RULES,
  rule(['size', 'resources'], resources),
  ...ENV_RULES,
  rule(['command'], ({ service }) => when(service.command[0]?.trim() === '', ['command', 0], 'must not be blank')),
  ...STORAGE_RULES,
  rule(['build'], dockerfile),
  rule(['build'], buildArgs),
  rule(['kubernetes', 'port', 'public', 'job', 'session', 'serverless', 'actions'], kubernetes),
];

/** A runner pool has the runner's image (facts 1.18). */
function imageOrBuild({ service }: Subject): readonly Finding[] {
  if (service.image !== undefined && service.build !== undefined) {
    return at(['build'], 'image and build exclude each other');
  }
  const none = service.image === undefined && service.build === undefined && service.actions === undefined;
  return when(none, ['image'], 'is required, or a build table');
}

/** Facts 1.4: the request stays within the limit, also when either comes from the profile. */
function resources({ service }: Subject): readonly Finding[] {
  const amounts = resourceAmounts(service);
  const own = service.resources ?? {};
  const message = 'the request is larger than the limit; one of them may come from the size';
  return [
    ...when(amounts.cpuRequest > amounts.cpuLimit, blame(own, 'cpu'), message),
    ...when(amounts.memoryRequest > amounts.memoryLimit, blame(own, 'memory'), message),
  ];
}

function blame(own: NonNullable<Service['resources']>, kind: 'cpu' | 'memory'): Path {
  return ['resources', own[`${kind}_request`] === undefined ? `${kind}_limit` : `${kind}_request`];
}

/** What is built is one folder of the commit, and the Dockerfile is part of it. */
function dockerfile({ service: { build } }: Subject): readonly Finding[] {
  if (build === undefined || build.context === '.' || build.dockerfile.startsWith(`${build.context}/`)) return [];
  return at(['build', 'dockerfile'], 'must be inside the context; it is a path from the root of the repository');
}

/** Facts 2.8. */
function buildArgs({ service }: Subject): readonly Finding[] {
  return Object.entries(service.build?.build_args ?? {})
    .filter(([name, value]) => looksSensitive(name, value))
    .flatMap(([name]) => at(['build', 'build_args', name], 'looks like a secret; build arguments are public'));
}

/** Spec kubernetes-patches. The kinds that take no patch at all say so themselves. */
function kubernetes({ service }: Subject): readonly Finding[] {
  const { kubernetes: patches, job, session, serverless, actions } = service;
  if (patches === undefined || job !== undefined || session !== undefined) return [];
  if (serverless !== undefined || actions !== undefined) return [];
  const exposed = service.public && service.port !== 0;
  return [
    ...when(
      patches.service !== undefined && service.port === 0,
      ['kubernetes', 'service'],
      'needs a service with a port',
    ),
    ...when(patches.ingress !== undefined && !exposed, ['kubernetes', 'ingress'], 'needs a public service with a port'),
  ];
}
