import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import { isApplicationNamespace } from '../../../render/index.ts';
import type { ClusterDeps } from './context.ts';

/**
 * Whether this installation may write and run commands there, before anything is asked of the cluster (cluster operations 18b). The namespaces
 * of applications always are: releases write there. `*` grants every other one but that of Hakopod itself, which must be named.
 * `namespace_not_granted`.
 */
export function granted({ namespaces }: Pick<ClusterDeps, 'namespaces'>, namespace: string): Result<void> {
  const isNamed = namespaces.granted.includes(namespace);
  const isCovered = namespaces.granted.includes('*') && namespace !== namespaces.control;
  return isNamed || isCovered || isApplicationNamespace(namespace)
    ? ok(undefined)
    : fail(problem('namespace_not_granted', undefined, { at: 'namespace' }));
}

/** As `granted`, and nobody's application lives there: what is made there would be taken for a part of it. `application_managed`. */
export function grantedForOthers(deps: Pick<ClusterDeps, 'namespaces'>, namespace: string): Result<void> {
  return isApplicationNamespace(namespace)
    ? fail(problem('application_managed', 'the namespace is an application’s', { at: 'namespace' }))
    : granted(deps, namespace);
}
