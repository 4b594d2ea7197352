import type { Deps } from './context.ts';

/** A commit that deliveries mentioned, with the time of the first mention. */
export type Mention = { readonly commit: string; readonly at: string };

/**
 * A mention the ref does not show may be older than the head (superseded) or newer than what this Git server shows yet; time tells.
 * The head itself needs no patience.
 */
export function splitMentions(
  deps: Deps,
  mentions: readonly Mention[],
  head: string | undefined,
): { readonly ripe: readonly Mention[]; readonly young: readonly Mention[] } {
  const horizon = deps.clock.now().getTime() - deps.options.mentionGraceMs;
  const isRipe = (mention: Mention): boolean => mention.commit === head || Date.parse(mention.at) <= horizon;
  return { ripe: mentions.filter(isRipe), young: mentions.filter((mention) => !isRipe(mention)) };
}
