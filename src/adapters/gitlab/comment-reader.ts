import { ok } from '../../kernel/index.ts';
import type { CommentReader } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { AnswerError, type Gitlab } from './client.ts';
import { Member, NoteWithAuthor } from './schema.ts';

/** Developer (members API, access levels). */
const DEVELOPER = 30;

/** Notes of merge requests through GitLab's API. Whether somebody may write is what the members API says, inherited rights included. */
export function createGitlabCommentReader(options: GitlabApiOptions): CommentReader & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options);
  return {
    async read(repository, { number, id }) {
      const answer = await call(repository, async (gitlab, project) => {
        const { body, author, system } = NoteWithAuthor.parse(await gitlab.notes.show(project, number, Number(id)));
        if (system) return undefined;
        return { body, author: author.username, mayWrite: await mayWrite(gitlab, project, author.id) };
      });
      return !answer.ok && answer.problem.code === 'forge_not_found' ? ok(undefined) : answer;
    },
    stop,
  };
}

async function mayWrite({ send }: Gitlab, project: string, user: number): Promise<boolean> {
  try {
    const answer = await send('GET', `projects/${encodeURIComponent(project)}/members/all/${user}`);
    const { access_level: level, state } = Member.parse(answer);
    return state === 'active' && level >= DEVELOPER;
  } catch (error) {
    // Of somebody who is no member.
    if (error instanceof AnswerError && error.status === 404) return false;
    throw error;
  }
}
