import { ok, type Result } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { inventoryEntry, jobToStop } from '../../reconcile/index.ts';
import { jobName } from '../../render/index.ts';
import { type Application, isDeploymentJob } from '../../spec/index.ts';
import { type Session, saveInventory } from './session.ts';
import { deleteObject } from './write.ts';

/**
 * Stops the jobs of a cancelled release that still run (lifecycle page): exactly those this release created, by uid. Everything else that
 * was applied stays. Kubernetes takes its time to end their pods; nobody waits for it. Safe to repeat.
 */
export async function stopJobs(session: Session, release: Release, desired: Application): Promise<Result<void>> {
  const { cluster, log } = session.deps;
  const { namespace } = session;
  for (const [service, spec] of Object.entries(desired.services)) {
    if (!isDeploymentJob(spec)) continue;
    const live = await cluster.get({ apiVersion: 'batch/v1', kind: 'Job', namespace, name: jobName(service) });
    if (!live.ok) return live;
    const owner = session.inventory.owner(session.id, release.name);
    const found = jobToStop({ live: live.value, revision: release.spec.revision, owner });
    if (found === undefined) continue;
    if (found.adopt) {
      // On record before it is touched (invariant 8).
      session.inventory.record(found.job);
      const saved = await saveInventory(session);
      if (!saved.ok) return saved;
    }
    const deleted = await deleteObject(session, inventoryEntry(found.job), release.name);
    if (!deleted.ok) return deleted;
    log.info('job stopped', { release: release.name, service });
  }
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}
