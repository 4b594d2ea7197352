import { type ApplicationKey, displayApplication } from '../kernel/index.ts';
import { type Block, fitMarkdown, headingOf, type PlanBody } from '../plan/index.ts';
import { type EnvironmentNote, environmentBlocks } from './environment.ts';

/** The first line of a pull request's comment: hidden, and how the comment is found again. Names hold nothing that could end it. */
export function planMarker(key: ApplicationKey): string {
  return `<!-- hakopod:plan:${displayApplication(key)} -->`;
}

/** The first line of the one comment per request that answers commands. */
export function commandMarker(): string {
  return '<!-- hakopod:command -->';
}

/** That comment; `text` is a sentence of ours, and what follows it may be cut. */
export function commandAnswer(text: string, lines: readonly string[] = []): string {
  const head = [commandMarker(), `\`hakopod deploy\`: ${text}${lines.length === 0 ? '.' : ':'}`];
  return fitMarkdown({ head, blocks: noted(lines), foot: [] });
}

/** The heading's words of an application's comment. */
export function planTitle(key: ApplicationKey): string {
  return `Plan of ${displayApplication(key)}`;
}

/** What a comment is bound to (DESIGN invariant 10). */
export type CommentBinding = {
  readonly application: ApplicationKey;
  readonly head: string;
  /** What the file was compared with: an accepted revision, nothing because none was accepted yet, or not at all. */
  readonly against: number | 'nothing' | undefined;
  readonly grantRevision: number;
  readonly fork: boolean;
  readonly draft: boolean;
  /** Sentences of ours that a reader has to know before the details. */
  readonly notes: readonly string[];
  /** How the preview environment stands, where the source wants one. */
  readonly environment?: EnvironmentNote;
  /** Address of the page with the whole plan. */
  readonly page?: string;
};

/**
 * A pull request's comment: hidden marker, summary, notes, details, and what all that is bound to. At most `LIMITS.commentCharacters`. The
 * same input gives the same text, so that an unchanged comment is not written again.
 */
export function planComment(body: PlanBody, binding: CommentBinding): string {
  const { application, head, grantRevision, fork, draft, page } = binding;
  const compared = comparison(binding.against);
  const { environment } = binding;
  const applied =
    environment === undefined ? 'Nothing was built or applied.' : 'The plan itself built and applied nothing.';
  const notes = [...(draft ? ['This request is a draft; it is planned like any other.'] : []), ...binding.notes];
  return fitMarkdown({
    head: [planMarker(application), body.heading],
    blocks: [...(environment === undefined ? [] : environmentBlocks(environment)), ...noted(notes), ...body.blocks],
    foot: [
      '',
      `Commit ${head}, ${compared}, under revision ${grantRevision} of the deploy grant. ${applied}`,
      ...(fork ? ['This is a fork: which secrets exist is not told.'] : []),
      ...(page === undefined ? [] : [`[The whole plan](<${page}>) is for people with a key.`]),
    ],
  });
}

function comparison(against: CommentBinding['against']): string {
  if (against === undefined) return 'compared with nothing that runs';
  return against === 'nothing'
    ? 'compared with nothing: no revision was accepted yet'
    : `compared with revision ${against}`;
}

/** The comment of a request that went on to another branch: its plan is none any more. */
export function retargetedComment(application: ApplicationKey): string {
  const heading = headingOf(planTitle(application), 'the request goes into another branch now');
  const foot = ['', 'Merging it there changes nothing of this application.'];
  return fitMarkdown({ head: [planMarker(application), heading], blocks: [], foot });
}

function noted(lines: readonly string[]): readonly Block[] {
  return lines.length === 0 ? [] : [{ open: [''], lines: lines.map((line) => `- ${line}`), close: [] }];
}
