import type { GitRepository, HookEvent } from '../../ports/index.ts';

/** The fewest that tell of everything we look at: pushes of branches and tags, requests, and comments that may be commands. */
export const HOOK_EVENTS: readonly HookEvent[] = ['push', 'tag_push', 'pull_request', 'comment'];

/** Where the deliveries of a hook go, below the installation's public URL. */
export function hookPath({ spec }: Pick<GitRepository, 'spec'>): string {
  return `/hooks/${spec.hookId}`;
}

/** The URL the forge should deliver to. */
export function hookUrl(publicUrl: string, repository: Pick<GitRepository, 'spec'>): string {
  return `${publicUrl.replace(/\/+$/, '')}${hookPath(repository)}`;
}
