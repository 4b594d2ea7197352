import type { Octokit } from '@octokit/core';
import {
  type CommitSha,
  commitSha,
  fail,
  ok,
  problem,
  type RefName,
  type Result,
  refName,
} from '../../kernel/index.ts';
import type { PullRequest, PullRequests } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi, type Target } from './api.ts';
import { Comparison, PullRequestAnswer, PullRequestList } from './schema.ts';

const PAGE_SIZE = 100;
/** A list of 100 requests carries their texts and repositories. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Pull requests through GitHub's REST API (pulls; commits for the merge base). */
export function createGithubPullRequests(options: GithubApiOptions): PullRequests & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options, MAX_BYTES);
  return {
    async read(repository, number) {
      const answer = await call(repository, async ({ owner, repo }, request) => {
        const { data } = await request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
          owner,
          repo,
          pull_number: number,
        });
        return PullRequestAnswer.safeParse(data);
      });
      if (!answer.ok) return answer.problem.code === 'forge_not_found' ? ok(undefined) : answer;
      if (!answer.value.success) return fail(problem('forge_unavailable'));
      const read = fromAnswer(answer.value.data, { number, repositoryId: repository.repositoryId });
      if (!read.ok || read.value.state === 'closed') return read;
      const compared = await call(repository, (target, request) => mergeBaseOf(target, request, read.value));
      // What GitHub can not compare is compared with the base branch instead; what failed is tried again.
      if (!compared.ok && compared.problem.kind !== 'rejected') return compared;
      return ok({ ...read.value, mergeBase: compared.ok ? compared.value : undefined });
    },

    async open(repository) {
      const answer = await call(repository, async ({ owner, repo }, request) => {
        const query = { owner, repo, state: 'open', sort: 'updated', direction: 'desc', per_page: PAGE_SIZE } as const;
        const { data } = await request('GET /repos/{owner}/{repo}/pulls', query);
        return PullRequestList.parse(data);
      });
      if (!answer.ok) return answer;
      const requests = answer.value.map(({ number, draft, head, base }) => ({
        number,
        draft: draft === true,
        head: head.sha,
        base: `refs/heads/${base.ref}`,
      }));
      return ok({ requests, complete: requests.length < PAGE_SIZE });
    },

    stop,
  };
}

/** GitHub lists the changed files on a comparison's first page only, so the second is small; the merge base is on each. */
async function mergeBaseOf(
  { owner, repo }: Target,
  request: Octokit['request'],
  pull: PullRequest,
): Promise<CommitSha | undefined> {
  const basehead = `${pull.base.slice('refs/heads/'.length)}...${pull.head}`;
  const { data } = await request('GET /repos/{owner}/{repo}/compare/{basehead}', {
    owner,
    repo,
    basehead,
    per_page: 1,
    page: 2,
  });
  const parsed = Comparison.safeParse(data);
  const base = commitSha(parsed.success ? parsed.data.merge_base_commit.sha : '');
  return base.ok ? base.value : undefined;
}

function fromAnswer(
  pull: PullRequestAnswer,
  expected: { readonly number: number; readonly repositoryId: string },
): Result<PullRequest> {
  const head = commitSha(pull.head.sha);
  const base = refName(`refs/heads/${pull.base.ref}`);
  if (pull.number !== expected.number || !head.ok || !base.ok) return fail(problem('forge_unavailable'));
  const baseId = pull.base.repo.id.toString();
  // Another repository answers under this name now; nothing of it may be planned here.
  if (/^\d+$/.test(expected.repositoryId) && baseId !== expected.repositoryId) return fail(problem('forge_not_found'));
  // Without a head repository (it was deleted) nothing says that the head is no fork's.
  const fork = pull.head.repo?.id !== pull.base.repo.id;
  const merged = commitSha(pull.merged === true ? (pull.merge_commit_sha ?? '') : '');
  const branch = fork ? undefined : refName(`refs/heads/${pull.head.ref}`);
  return ok({
    number: pull.number,
    state: pull.state === 'open' ? 'open' : 'closed',
    head: head.value,
    ref: `refs/pull/${pull.number}/head` as RefName,
    base: base.value,
    branch: branch?.ok === true ? branch.value : undefined,
    fork,
    draft: pull.draft === true,
    updatedAt: pull.updated_at,
    mergeBase: undefined,
    ...(merged.ok ? { merged: merged.value } : {}),
  });
}
