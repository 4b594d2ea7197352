import { fail, LIMITS, ok, problem, type Result } from '../../kernel/index.ts';
import { CLEANUP_FINALIZER, type GitSource } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { environmentName, isPreview, type Preview, previewSlug } from './names.ts';

const HOUR_MS = 3_600_000;

/** When an environment that is given a head now goes (facts 4.9). */
export function endOf({ spec }: GitSource, now: Date): string {
  return new Date(now.getTime() + (spec.previewEnvironments?.ttlHours ?? 1) * HOUR_MS).toISOString();
}

/**
 * Makes the application of a request, with nothing in it yet. Whether the project has room is counted at the API server, under a lease of the
 * project, so that no two workers take the last place. Codes: `preview_limit`, `already_exists` for an application of the name that is no
 * preview, `lease_held` (waiting) while another worker counts.
 */
export async function takePlace(
  deps: Deps,
  source: GitSource,
  request: { readonly number: number; readonly branch?: string | undefined },
): Promise<Result<Preview>> {
  const { project, environment } = source.spec.application;
  const lease = await deps.leases.acquire(`previews-${project}`);
  if (!lease.ok) return lease;
  try {
    const there = await deps.store.previewsOf(project);
    if (!there.ok) return there;
    const name = environmentName(source, request.number);
    if (there.value.filter((other) => isPreview(other) && other.name !== name).length >= LIMITS.previewsPerProject)
      return fail(problem('preview_limit'));
    if (lease.value.signal.aborted) return fail(problem('lease_lost'));
    const created = await deps.store.applications.create({
      name,
      finalizers: [CLEANUP_FINALIZER],
      spec: {
        id: deps.random.hex(16),
        project,
        environment,
        name: previewSlug(source.uid, request.number),
        preview: {
          source: source.name,
          sourceUid: source.uid,
          repository: source.spec.repository,
          number: request.number,
          parent: source.name,
          ...(request.branch === undefined ? {} : { branch: request.branch }),
          expiresAt: endOf(source, deps.clock.now()),
        },
      },
    });
    // Another worker looks at the same request: the next round finds what it made.
    if (!created.ok) return created.problem.code === 'already_exists' ? fail(problem('conflict')) : created;
    return isPreview(created.value) ? ok(created.value) : fail(problem('conflict'));
  } finally {
    await lease.value.release();
  }
}
