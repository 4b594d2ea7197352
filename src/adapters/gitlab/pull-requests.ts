import { commitSha, fail, ok, problem, type RefName, type Result, refName } from '../../kernel/index.ts';
import type { PullRequest, PullRequests } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { MergeRequestAnswer, MergeRequestList } from './schema.ts';

const PAGE_SIZE = 100;
/** A list of 100 requests carries their descriptions. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Merge requests through GitLab's API. Its `diff_refs.base_sha` is the merge base. */
export function createGitlabPullRequests(options: GitlabApiOptions): PullRequests & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options, MAX_BYTES);
  return {
    async read(repository, number) {
      const answer = await call(repository, async ({ mergeRequests }, project) =>
        MergeRequestAnswer.safeParse(await mergeRequests.show(project, number)),
      );
      if (!answer.ok) return answer.problem.code === 'forge_not_found' ? ok(undefined) : answer;
      if (!answer.value.success) return fail(problem('forge_unavailable'));
      return fromAnswer(answer.value.data, number);
    },

    async open(repository) {
      const answer = await call(repository, async ({ mergeRequests }, project) =>
        MergeRequestList.parse(
          await mergeRequests.all({
            projectId: project,
            state: 'opened',
            orderBy: 'updated_at',
            sort: 'desc',
            page: 1,
            perPage: PAGE_SIZE,
          }),
        ),
      );
      if (!answer.ok) return answer;
      const requests = answer.value.map((request) => ({
        number: request.iid,
        draft: isDraft(request),
        head: request.sha ?? '',
        base: `refs/heads/${request.target_branch}`,
      }));
      return ok({ requests, complete: requests.length < PAGE_SIZE });
    },

    stop,
  };
}

function isDraft({
  draft,
  work_in_progress: unready,
}: Pick<MergeRequestAnswer, 'draft' | 'work_in_progress'>): boolean {
  return draft ?? unready ?? false;
}

function fromAnswer(request: MergeRequestAnswer, number: number): Result<PullRequest> {
  const head = commitSha(request.sha ?? '');
  const base = refName(`refs/heads/${request.target_branch}`);
  if (request.iid !== number || !base.ok) return fail(problem('forge_unavailable'));
  // A request without commits yet has no head; it can not be planned and is asked for again.
  if (!head.ok) return fail(problem('forge_unavailable'));
  const fork = request.source_project_id !== request.target_project_id;
  const branch = fork ? undefined : refName(`refs/heads/${request.source_branch}`);
  // A fast-forward brings the head itself.
  const { merge_commit_sha: merge, squash_commit_sha: squash } = request;
  const merged = request.state === 'merged' ? commitSha(merge ?? squash ?? head.value) : undefined;
  const mergeBase = commitSha(request.diff_refs?.base_sha ?? '');
  return ok({
    number,
    // `locked` is a merge in progress.
    state: request.state === 'opened' || request.state === 'locked' ? 'open' : 'closed',
    head: head.value,
    ref: `refs/merge-requests/${number}/head` as RefName,
    base: base.value,
    branch: branch?.ok === true ? branch.value : undefined,
    fork,
    draft: isDraft(request),
    updatedAt: request.updated_at,
    mergeBase: mergeBase.ok ? mergeBase.value : undefined,
    ...(merged?.ok === true ? { merged: merged.value } : {}),
  });
}
