import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Application as ApplicationResource } from '../../../ports/index.ts';
import { dataClaimName, namespaceName, ownershipLabels, volumeClaimName } from '../../../render/index.ts';
import type { ReleaseDeps } from '../deployments/context.ts';

/** The labels of an application's objects, as a selector. */
function ownedBy(id: string): string {
  return Object.entries(ownershipLabels(id))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/**
 * The claims behind the volumes somebody names for deletion: a named volume by its name, a service's own volume by the service's, either by
 * the name of its claim. Each must be there, and mean one claim: data that is gone does not come back. `not_found` and `invalid_request`
 * name the entry.
 */
export async function claimsToDelete(
  deps: Pick<ReleaseDeps, 'cluster'>,
  { spec, status }: ApplicationResource,
  names: readonly string[],
): Promise<Result<readonly string[]>> {
  if (names.length === 0) return ok([]);
  const listed = await deps.cluster.list({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: namespaceName(spec.id),
    labelSelector: ownedBy(spec.id),
  });
  if (!listed.ok) return listed;
  const onRecord = new Set((status.inventory ?? []).map(({ uid }) => uid));
  const claims = new Set(
    listed.value.filter(({ metadata }) => onRecord.has(metadata.uid ?? '')).map(({ metadata }) => metadata.name),
  );
  const found = new Set<string>();
  for (const [index, name] of names.entries()) {
    const at = { at: `delete_volumes.${index}` };
    const meant = claims.has(name)
      ? [name]
      : [volumeClaimName(name), dataClaimName(name)].filter((one) => claims.has(one));
    const [claim, another] = meant;
    if (claim === undefined) return fail(problem('not_found', 'the application has no such volume', at));
    if (another !== undefined)
      return fail(problem('invalid_request', `means two volumes; name the claim, ${claim} or ${another}`, at));
    found.add(claim);
  }
  return ok([...found].sort());
}
