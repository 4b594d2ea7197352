import { ok } from '../../kernel/index.ts';
import type { CommentReader } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { AnswerError, type Gitlab } from './client.ts';
import { Member, NoteWithAuthor } from './schema.ts';

/** Developer (members API, access levels). */
const DEVELOPER = 30;

/** The user of a project's or group's access token; a program may say what somebody else told it to. Nobody else may have such a name. */
const BOT = /^(?:project|group)_\d+_bot(?:_[0-9a-f]+)?$/;
/** Both times of a new note are taken one after the other. */
const SAME_MS = 1000;

/** Notes of merge requests through GitLab's API. Whether somebody may write is what the members API says, inherited rights included. */
export function createGitlabCommentReader(options: GitlabApiOptions): CommentReader & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options);
  return {
    async read(repository, { number, id }) {
      const answer = await call(repository, async (gitlab, project) => {
        const note = NoteWithAuthor.parse(await gitlab.notes.show(project, number, Number(id)));
        const { body, author, system } = note;
        if (system || isChanged(note)) return undefined;
        const isPerson = !BOT.test(author.username);
        return { body, author: author.username, mayWrite: isPerson && (await mayWrite(gitlab, project, author.id)) };
      });
      return !answer.ok && answer.problem.code === 'forge_not_found' ? ok(undefined) : answer;
    },
    stop,
  };
}

/** Maintainers may change what others said, so a changed note is nobody's word. */
function isChanged({ created_at: made, updated_at: changed }: NoteWithAuthor): boolean {
  return made !== undefined && changed !== undefined && Date.parse(changed) - Date.parse(made) > SAME_MS;
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
