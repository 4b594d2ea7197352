import { type GitSource, REQUESTED_AT } from '../ports/index.ts';

/**
 * True for a source that the ref as last read says nothing about: it never saw a commit, its binding or grant changed, it was suspended
 * meanwhile, or a person asks (`sources sync` and `resume` leave a request). Only `sync` reads refs, so it answers these.
 */
export function wantsFreshLook(source: GitSource): boolean {
  const { seen } = source.status;
  return (
    seen === undefined || seen.generation !== source.generation || seen.request !== source.annotations[REQUESTED_AT]
  );
}

/** True when what the source saw was not planned yet. */
export function needsPlan(source: GitSource): boolean {
  const { seen, planned } = source.status;
  if (seen === undefined) return false;
  return planned?.commit !== seen.commit || planned.generation !== seen.generation || planned.request !== seen.request;
}
