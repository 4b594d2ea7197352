/** How what runs stands to the base branch's file, and the request's head to the base branch. */
export type BaseStanding =
  /** The accepted revision is not carried out yet, or did not succeed; `recovered` is the one that was put back. */
  | { readonly kind: 'releasing' | 'cancelled'; readonly revision: number }
  | { readonly kind: 'failed'; readonly revision: number; readonly recovered?: number }
  | { readonly kind: 'absent' }
  /** What the base branch has is not valid, waits, or will not be released. */
  | { readonly kind: 'waiting'; readonly for: 'approval' | 'check' | 'freeze' }
  | { readonly kind: 'invalid' | 'unplanned' | 'refused' | 'held' | 'skipped' }
  /** Somebody released something else over the API, or it differs for a reason that is not on record. */
  | { readonly kind: 'by-hand' | 'other'; readonly revision: number }
  /** The base branch has commits that the head does not have; whether they change the file. */
  | { readonly kind: 'behind'; readonly file: 'changed' | 'unchanged' | 'unknown' }
  /** The head has no such file; `revision` is what goes on running. */
  | { readonly kind: 'removed'; readonly revision?: number };

const DIFFERS = "The base branch's file is not what is deployed";

/** One sentence or two for the comment of a plan. Says nothing of what the file holds. */
export function describeBase(standing: BaseStanding): string {
  switch (standing.kind) {
    case 'releasing':
      return `Revision ${standing.revision} is not deployed yet; it is still being released.`;
    case 'failed':
      return standing.recovered === undefined
        ? `Revision ${standing.revision} is not what is deployed: its release failed.`
        : `Revision ${standing.revision} is not what is deployed: its release failed, and revision ${standing.recovered} was put back.`;
    case 'cancelled':
      return `Revision ${standing.revision} is not what is deployed: its release was cancelled.`;
    case 'absent':
      return 'The base branch does not have this file yet; merging adds it.';
    case 'behind':
      return behind(standing.file);
    case 'removed':
      return removed(standing.revision);
    default:
      return `${DIFFERS}: ${reason(standing)}.`;
  }
}

type Differing = Extract<
  BaseStanding,
  { kind: 'invalid' | 'waiting' | 'unplanned' | 'refused' | 'held' | 'skipped' | 'by-hand' | 'other' }
>;

function reason(standing: Differing): string {
  switch (standing.kind) {
    case 'invalid':
      return 'it is not valid';
    case 'waiting':
      return `it waits for ${{ approval: 'an approval', check: 'a check', freeze: 'a freeze to end' }[standing.for]}`;
    case 'unplanned':
      return 'it was not planned yet';
    case 'refused':
      return 'it was refused';
    case 'held':
      return 'a release that somebody made over the API holds it back';
    case 'skipped':
      return 'its commit asks not to be released';
    case 'by-hand':
      return `somebody made revision ${standing.revision} over the API`;
    case 'other':
      return `it differs from revision ${standing.revision}`;
  }
}

function behind(file: 'changed' | 'unchanged' | 'unknown'): string {
  switch (file) {
    case 'changed':
      return 'The head is behind the base branch, which changed the file since: what a merge gives may have another plan. Update the branch to see it.';
    case 'unchanged':
      return 'The head is behind the base branch, which did not change the file since.';
    case 'unknown':
      return 'The head is behind the base branch; whether that changed the file since could not be compared.';
  }
}

function removed(revision: number | undefined): string {
  const stays = revision === undefined ? '' : `; revision ${revision} stays`;
  return `This commit does not have the file any more. Merging it removes nothing that runs${stays}, and nothing more is released until the file is back. \`hakopod apps delete\` removes the application; \`hakopod sources remove\` and then \`sources add --path\` follow a file that moved.`;
}
