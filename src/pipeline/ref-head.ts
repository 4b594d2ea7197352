import { type CommitSha, isTagPattern, newestTag, type RefName } from '../kernel/index.ts';

/** Where a bound ref points now; for a pattern of tags, its newest tag. */
export type RefHead = { readonly ref: RefName; readonly commit: CommitSha };

/** Finds a bound ref in what the Git server lists; `undefined` when it is gone, or no tag matches. */
export function headOf(listed: ReadonlyMap<RefName, CommitSha>, bound: RefName): RefHead | undefined {
  const ref = isTagPattern(bound) ? newestTag(bound, listed.keys()) : bound;
  const commit = ref === undefined ? undefined : listed.get(ref);
  return ref === undefined || commit === undefined ? undefined : { ref, commit };
}
