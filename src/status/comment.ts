import { type ApplicationKey, displayApplication } from '../kernel/index.ts';

/** The first line of a pull request's comment: hidden, and how the comment is found again. Names hold nothing that could end it. */
export function planMarker(key: ApplicationKey): string {
  return `<!-- hakopod:plan:${displayApplication(key)} -->`;
}

/** The first line of the one comment per request that answers commands. */
export function commandMarker(): string {
  return '<!-- hakopod:command -->';
}

/** That comment; `text` is a sentence of ours. */
export function commandAnswer(text: string): string {
  return `${commandMarker()}\n\`hakopod deploy\`: ${text}.\n`;
}

/** The heading's words of an application's comment. */
export function planTitle(key: ApplicationKey): string {
  return `Plan of ${displayApplication(key)}`;
}

/** What a comment is bound to (DESIGN invariant 10). */
export type CommentBinding = {
  readonly application: ApplicationKey;
  readonly head: string;
  /** The accepted revision the file was compared with; absent when there is none yet. */
  readonly revision: number | undefined;
  readonly grantRevision: number;
  readonly fork: boolean;
};

/**
 * A pull request's comment around `markdown`, the plan stage's rendering of at most 58,000 characters. Ends with what the plan is bound
 * to; the same input gives the same text, so that an unchanged comment is not written again.
 */
export function planComment(markdown: string, binding: CommentBinding): string {
  const { application, head, revision, grantRevision, fork } = binding;
  const against =
    revision === undefined
      ? 'compared with nothing: no revision was accepted yet'
      : `compared with revision ${revision}`;
  return [
    planMarker(application),
    markdown.trimEnd(),
    '',
    `Commit ${head}, ${against}, under revision ${grantRevision} of the deploy grant. Nothing was built or applied.`,
    ...(fork ? ['This is a fork: which secrets exist is not told.'] : []),
    '',
  ].join('\n');
}
