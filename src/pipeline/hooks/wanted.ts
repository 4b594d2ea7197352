import type { GitRepository, GitSource, HookEvent } from '../../ports/index.ts';
import type { Deps } from '../context.ts';

type Forge = GitRepository['spec']['forge'];
type Sources = { readonly store: Pick<Deps['store'], 'repositoryRefs' | 'sourcesOf'> };

/** Whether pushed tags come with the pushes, and are no event of their own. */
const TAGS_COME_ALONG: Readonly<Record<Forge, boolean>> = { github: true, gitlab: false };

/**
 * The fewest events that tell of all that the repository's sources look at: pushes always; pushed tags when a source follows them; requests
 * when a source plans them; comments when one can be a command, which is where requests are planned or a merge may wait for an approval.
 * Without a source it is what a new one of a branch looks at.
 */
export function wantedEvents(
  { store }: Sources,
  { name, spec }: Pick<GitRepository, 'name' | 'spec'>,
): readonly HookEvent[] {
  const sources = store
    .repositoryRefs(name)
    .flatMap((ref) => store.sourcesOf(name, ref))
    .filter(({ deleting }) => !deleting);
  const ofBranches = sources.filter((source) => !followsTags(source));
  const isPlanning = sources.length === 0 || ofBranches.some((source) => source.spec.grant.pullRequests === 'plan');
  const isCommanded = isPlanning || ofBranches.some((source) => source.spec.policy?.mode === 'approval');
  return [
    'push',
    ...(TAGS_COME_ALONG[spec.forge] || sources.some(followsTags) ? (['tag_push'] as const) : []),
    ...(isPlanning ? (['pull_request'] as const) : []),
    ...(isCommanded ? (['comment'] as const) : []),
  ];
}

/** No request is made to a tag. */
function followsTags({ spec }: GitSource): boolean {
  return spec.ref.startsWith('refs/tags/');
}

/** Where the deliveries of a hook go, below the installation's public URL. */
export function hookPath({ spec }: Pick<GitRepository, 'spec'>): string {
  return `/hooks/${spec.hookId}`;
}

/** The URL the forge should deliver to. */
export function hookUrl(publicUrl: string, repository: Pick<GitRepository, 'spec'>): string {
  return `${publicUrl.replace(/\/+$/, '')}${hookPath(repository)}`;
}
