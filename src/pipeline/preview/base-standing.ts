import { type CommitSha, ok, type RepoPath, type Result, repoPath } from '../../kernel/index.ts';
import type { Application as ApplicationResource, GitSource, Remote } from '../../ports/index.ts';
import { specDigest } from '../../spec/index.ts';
import type { BaseStanding } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { currentWait } from '../policy/waiting.ts';
import { readSpecAt } from '../spec-at-commit.ts';

/** The accepted revision that a head is compared with, and the digest of its specification. */
export type Accepted = { readonly revision: number; readonly digest: string };

type Question = {
  readonly source: GitSource;
  readonly remote: Remote;
  readonly head: CommitSha;
  /** Where the base branch is at the Git server now. */
  readonly baseCommit: CommitSha | undefined;
  /** The commit both sides grew from, where the forge names it. */
  readonly mergeBase: CommitSha | undefined;
  readonly fork: boolean;
  readonly accepted: Accepted | undefined;
  /** Where the env files that the head names are. */
  readonly envFiles: readonly string[];
  readonly signal: AbortSignal;
};

/**
 * How the plan of a head stands to its base branch: whether what the base branch has is what is deployed, and whether the head is behind it.
 * Compares Git objects we fetch and our own records; what can not be compared is left out. How a release went and what the base's file
 * comes to is not a stranger's to know, so a fork is told of the branches alone. A failure is only what another try may mend.
 */
export async function baseStandings(deps: Deps, question: Question): Promise<Result<readonly BaseStanding[]>> {
  const { source, baseCommit, fork } = question;
  if (baseCommit === undefined) return ok([]);
  const application = deps.store.applications.cached(source.name);
  const released = fork ? [] : releaseStandings(application);
  const file = await fileStandings(deps, { ...question, baseCommit });
  if (!file.ok) return file;
  const behind = await behindStandings(deps, { ...question, baseCommit });
  return behind.ok ? ok([...released, ...file.value, ...behind.value]) : behind;
}

/**
 * What a plan depends on besides its head, its base and its grant: the accepted revision and, unless a fork asks, how it and the base's file
 * stand. A plan that was made for another one is made anew.
 */
export function standingKey(deps: Deps, source: GitSource, fork: boolean): string {
  const { acceptedRevision = 0, phase = '' } = deps.store.applications.cached(source.name)?.status ?? {};
  if (fork) return `${acceptedRevision}`;
  const { planned } = source.status;
  const waits = currentWait(source)?.for ?? '';
  return [acceptedRevision, phase, planned?.commit ?? '', planned?.outcome ?? '', waits].join('/');
}

function releaseStandings(application: ApplicationResource | undefined): readonly BaseStanding[] {
  const { phase, acceptedRevision: revision, revision: recovered } = application?.status ?? {};
  if (revision === undefined) return [];
  switch (phase) {
    case 'queued':
      return [{ kind: 'releasing', revision }];
    case 'failed':
      return [{ kind: 'failed', revision }];
    case 'recovered':
      return [{ kind: 'failed', revision, ...(recovered === undefined ? {} : { recovered }) }];
    case 'cancelled':
      return [{ kind: 'cancelled', revision }];
    default:
      return [];
  }
}

async function fileStandings(
  deps: Deps,
  question: Question & { readonly baseCommit: CommitSha },
): Promise<Result<readonly BaseStanding[]>> {
  const { source, remote, baseCommit: commit, fork, accepted, signal } = question;
  const base = await readSpecAt(deps, { source, remote, commit, fork, signal });
  if (!base.ok) {
    if (base.problem.kind !== 'rejected') return base;
    return ok(base.problem.code === 'file_not_found' ? [{ kind: 'absent' }] : []);
  }
  if (fork) return ok([]);
  const { parsed } = base.value;
  if (!parsed.ok) return ok([{ kind: 'invalid' }]);
  return ok(specDigest(parsed.application) === accepted?.digest ? [] : differing(deps, source, accepted));
}

/** Why the base's file is not what the accepted revision says, as far as it is on record. */
function differing(deps: Deps, source: GitSource, accepted: Accepted | undefined): readonly BaseStanding[] {
  const { planned, seen } = source.status;
  if (planned === undefined || planned.commit !== seen?.commit) return [{ kind: 'unplanned' }];
  const { outcome } = planned;
  const wait = currentWait(source);
  if (wait !== undefined) return [{ kind: 'waiting', for: wait.for }];
  if (outcome === 'refused' || outcome === 'held' || outcome === 'skipped') return [{ kind: outcome }];
  if (accepted === undefined) return [];
  const { revision } = accepted;
  const fromGit = deps.store.applications.cached(source.name)?.status.gitRevision;
  return [{ kind: fromGit === revision ? 'other' : 'by-hand', revision }];
}

async function behindStandings(
  deps: Deps,
  question: Question & { readonly baseCommit: CommitSha },
): Promise<Result<readonly BaseStanding[]>> {
  const { source, remote, mergeBase, baseCommit, envFiles, signal } = question;
  if (mergeBase === undefined || mergeBase === baseCommit) return ok([]);
  const paths = new Set<RepoPath>();
  for (const text of [source.spec.path, ...envFiles, ...(source.status.envFiles ?? [])]) {
    const path = repoPath(text);
    if (path.ok) paths.add(path.value);
  }
  const changed = await deps.git.changedPaths({ remote, base: mergeBase, head: baseCommit, paths: [...paths], signal });
  if (!changed.ok) return changed.problem.kind === 'rejected' ? ok([{ kind: 'behind', file: 'unknown' }]) : changed;
  const file = changed.value === undefined ? 'unknown' : changed.value.size > 0 ? 'changed' : 'unchanged';
  return ok([{ kind: 'behind', file }]);
}
