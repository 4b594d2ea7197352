import { fail, type Manifest, ok, type Problem, type Result, refOf } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { decideWrite, keepForeignReplicas, keepReplicas } from '../../reconcile/index.ts';
import { type Kept, type KeptObject, keptObjects } from './kept.ts';
import { pruneCandidates, unreadSnapshots } from './prune.ts';
import { readLive, type View } from './session.ts';

/** An object that is not as released. `fields` are paths and never values; `adopt`: it is ours and not on record. */
export type Drifted = {
  readonly object: KeptObject;
  readonly fields: readonly string[];
  readonly adopt: boolean;
};

/** What an application at rest looks like beside its last release. */
export type Findings = {
  readonly kept: Kept;
  readonly drifted: readonly Drifted[];
  /** The first thing that can not be put right. */
  readonly refused: Problem | undefined;
  /** Something on record is not wanted any more, and nothing reads it. */
  readonly leftovers: boolean;
};

/**
 * Compares an application at rest with what its release says, and writes nothing. What autoscaling owns is no difference, also when it is
 * somebody else's autoscaler. Fails only with what another look may mend, or when the release can not be rendered at all.
 */
export async function inspect(
  view: View,
  rest: { readonly release: Release; readonly application: ApplicationResource },
): Promise<Result<Findings>> {
  const live = await readLive(view);
  if (!live.ok) return live;
  const kept = await keptObjects(view, rest);
  if (!kept.ok) return kept;
  const drifted: Drifted[] = [];
  let refused = kept.value.problem;
  for (const object of kept.value.objects) {
    const compared = await compare(view, object, rest.release.name);
    if (compared.ok && compared.value !== undefined) drifted.push(compared.value);
    // One object that can not be put right is no reason to leave the others wrong.
    if (!compared.ok && compared.problem.kind === 'rejected') refused ??= compared.problem;
    if (!compared.ok && compared.problem.kind !== 'rejected') return compared;
  }
  const leftovers = await hasLeftovers(view, kept.value);
  return leftovers.ok ? ok({ kept: kept.value, drifted, refused, leftovers: leftovers.value }) : leftovers;
}

async function compare(view: View, object: KeptObject, operation: string): Promise<Result<Drifted | undefined>> {
  const owner = view.inventory.owner(view.id, operation);
  const live = view.inventory.live(refOf(object.manifest));
  const decide = (wanted: KeptObject): ReturnType<typeof decideWrite> =>
    decideWrite({ desired: keepReplicas(wanted.manifest, live, wanted.autoscaler), live, owner });
  const first = decide(object);
  if (first.action === 'refuse') return fail(first.problem);
  if (first.action === 'create') return ok({ object, fields: [MISSING], adopt: false });
  if (first.action === 'none') return ok(first.adopt ? { object, fields: [], adopt: true } : undefined);
  const isScaled = object.autoscaler === undefined && first.differences.some(({ path }) => path === REPLICAS);
  const spared = isScaled ? await spareReplicas(view, object.manifest) : ok(object.manifest);
  if (!spared.ok) return spared;
  const wanted = { ...object, manifest: spared.value };
  const second = isScaled ? decide(wanted) : first;
  if (second.action !== 'apply' && second.action !== 'replace') return ok(undefined);
  return ok({ object: wanted, fields: second.differences.map(({ path }) => path), adopt: second.adopt });
}

const MISSING = 'missing';
const REPLICAS = 'spec.replicas';

/** Who owns the replicas stands in what lists leave out, so the object is read once more; only where they differ. */
async function spareReplicas(view: View, manifest: Manifest): Promise<Result<Manifest>> {
  const read = await view.deps.cluster.get(refOf(manifest));
  if (!read.ok) return read;
  return ok(keepForeignReplicas(manifest, read.value));
}

async function hasLeftovers(view: View, { whole }: Kept): Promise<Result<boolean>> {
  if (whole === undefined) return ok(false);
  if (pruneCandidates(view, whole, undefined).length > 0) return ok(true);
  const unread = await unreadSnapshots(view, whole);
  return unread.ok ? ok(unread.value.length > 0) : unread;
}

/** Objects and fields kept of what drifted: enough to see what it is, and a bound on the resource. */
const OBJECTS = 20;
const FIELDS = 10;

/** How the application tells what is not as released. */
export function driftRecord(
  drifted: readonly Drifted[],
  how: { readonly corrected: boolean; readonly now: Date },
): NonNullable<ApplicationResource['status']['drift']> {
  const changed = drifted.filter(({ fields }) => fields.length > 0);
  return {
    at: how.now.toISOString(),
    corrected: how.corrected,
    count: changed.length,
    objects: changed.slice(0, OBJECTS).map(({ object, fields }) => ({
      object: `${object.manifest.kind}/${object.manifest.metadata.name}`,
      fields: fields.slice(0, FIELDS),
    })),
  };
}
