import type { Octokit } from '@octokit/core';
import { ok } from '../../kernel/index.ts';
import type { CommentReader } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi, type Target } from './api.ts';
import { Comment, Permission } from './schema.ts';

/** `maintain` is answered as `write`, `triage` as `read`. */
const WRITERS = ['admin', 'write'];

/** Issue comments of pull requests through GitHub's REST API. Whether somebody may write is asked there: `author_association` is no permission. */
export function createGithubCommentReader(options: GithubApiOptions): CommentReader & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options);
  return {
    async read(repository, { number, id }) {
      const answer = await call(repository, async (target, request) => {
        const { owner, repo } = target;
        const { data } = await request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', {
          owner,
          repo,
          comment_id: Number(id),
        });
        const { body, user, issue_url: issue, created_at: made, updated_at: changed } = Comment.parse(data);
        // Whoever may write to the repository may change what others said there.
        if (changed !== made) return undefined;
        if (issue?.endsWith(`/${number}`) !== true || user?.login === undefined) return undefined;
        return {
          body: body ?? '',
          author: user.login,
          mayWrite: isPerson(user) && (await mayWrite(target, request, user.login)),
        };
      });
      return !answer.ok && answer.problem.code === 'forge_not_found' ? ok(undefined) : answer;
    },
    stop,
  };
}

/** A program with a permission to write may say what somebody else told it to. */
function isPerson({ type }: { readonly type?: string | undefined }): boolean {
  return type === undefined || type === 'User';
}

async function mayWrite({ owner, repo }: Target, request: Octokit['request'], username: string): Promise<boolean> {
  try {
    const { data } = await request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
      owner,
      repo,
      username,
    });
    return WRITERS.includes(Permission.parse(data).permission);
  } catch (error) {
    // Of somebody who is no user there.
    if (error instanceof Error && 'status' in error && error.status === 404) return false;
    throw error;
  }
}
