import { keyOfName } from '../kernel/index.ts';
import type { GitSource, Release } from '../ports/index.ts';
import type { Deps } from './context.ts';

/** Puts a release that a commit made on record; behind it stands who made the grant, or nobody but the commit. */
export function auditPush(
  deps: Pick<Deps, 'audit' | 'clock'>,
  source: GitSource,
  { release, before }: { readonly release: Release; readonly before: Release | undefined },
): Promise<void> {
  const { project, environment, name } = keyOfName(release.spec.application);
  const { commit } = release.spec.origin;
  return deps.audit.append({
    time: deps.clock.now().toISOString(),
    identity: source.spec.grant.identity ?? 'git',
    origin: 'git',
    source: source.name,
    ...(commit === undefined ? {} : { commit }),
    action: 'deployment.accept',
    resource: { kind: 'Deployment', project, environment, application: name, name: release.name },
    ...(before === undefined ? {} : { before: before.spec.specDigest }),
    after: release.spec.specDigest,
  });
}
