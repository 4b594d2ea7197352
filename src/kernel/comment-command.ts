/** What somebody asks for in a comment on a pull or merge request. */
export type CommentCommand = {
  readonly kind: 'plan' | 'deploy';
  /** The start of the commit it is meant for, when it names one; at least seven digits, lower case. */
  readonly commit?: string;
};

/** Four spaces, or a tab, begin a block of code in Markdown: what is quoted that way is shown, not said. */
const COMMAND = /^(?:[ \t]*\r?\n)*[ ]{0,3}\/?hakopod[ \t]+(plan|deploy)(?:[ \t]+([0-9a-f]{7,64}))?[ \t]*(?:\r?\n|$)/i;

/** The command a comment is; `undefined` for any other text. It has to be its first line and nothing else on it. */
export function commentCommand(body: string): CommentCommand | undefined {
  const match = COMMAND.exec(body.slice(0, 200));
  if (match === null) return undefined;
  const kind = match[1]?.toLowerCase() === 'deploy' ? 'deploy' : 'plan';
  return match[2] === undefined ? { kind } : { kind, commit: match[2].toLowerCase() };
}
