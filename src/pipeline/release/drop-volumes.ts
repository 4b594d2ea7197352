import { ok, type Result } from '../../kernel/index.ts';
import { dataClaimName } from '../../render/index.ts';
import type { Carrying } from './carrying.ts';
import { deleteAll } from './prune.ts';
import { saveInventory } from './session.ts';

/**
 * Deletes the volumes of services that whoever asked for the release named (facts 6.1), once everything of the release is there and what wrote
 * to them is gone. Only claims of ours, as on record; never when an earlier revision is put back.
 */
export async function dropVolumes({ session, release, guard, prefix }: Carrying): Promise<Result<void>> {
  const named = new Set((release.spec.deletedVolumes ?? []).map(dataClaimName));
  if (prefix !== undefined || named.size === 0) return ok(undefined);
  const claims = session.inventory.entries.filter(
    ({ kind, name }) => kind === 'PersistentVolumeClaim' && named.has(name),
  );
  const deleted = await deleteAll({ session, release, check: guard.check }, claims);
  if (!deleted.ok) return deleted;
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}
