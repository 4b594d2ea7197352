/**
 * The words for outcomes: commit status contexts and one-line descriptions, and the `Ready` condition of custom resources. Takes what the
 * stages and the pipeline found; gives text of bounded length. The only place that words them; never sends anything.
 */

export { type BaseStanding, describeBase } from './base-note.ts';
export {
  type CommentBinding,
  commandAnswer,
  commandMarker,
  planComment,
  planMarker,
  planTitle,
  retargetedComment,
} from './comment.ts';
export { type ReadyCondition, readyCondition } from './condition.ts';
export { deployContext, planContext } from './contexts.ts';
export { describeOutcome, type Shown, type Standing } from './outcome.ts';
