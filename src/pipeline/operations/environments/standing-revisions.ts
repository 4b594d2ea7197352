import { ok, type Result } from '../../../kernel/index.ts';
import type { Application } from '../../../spec/index.ts';
import { unpackSpec } from '../../release-body.ts';
import type { EnvironmentDeps } from './context.ts';

/** What the newest accepted revision of an application says, and what the one says that runs; those that can not be read are left out. */
export async function standingRevisions(
  deps: Pick<EnvironmentDeps, 'store'>,
  application: string,
): Promise<Result<readonly Application[]>> {
  const running = deps.store.applications.cached(application)?.status.revision;
  const releases = await deps.store.releases.ofApplication(application);
  if (!releases.ok) return releases;
  return ok(
    releases.value
      .filter(({ spec }, index) => index === 0 || spec.revision === running)
      .flatMap(({ spec }) => {
        const unpacked = unpackSpec(spec.spec);
        return unpacked.ok ? [unpacked.value] : [];
      }),
  );
}
