import { ok, type Result, sha256 } from '../../kernel/index.ts';
import type { CommentWriter } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { AnswerError, type Gitlab } from './client.ts';
import { Note, NoteList, User } from './schema.ts';

/** Notes have up to 1,000,000 characters, but few do; a page too large for this fails like a broken answer. */
const MAX_BYTES = 8 * 1024 * 1024;
const PAGE_SIZE = 20;
/** Notes are listed oldest first and ours is among the first; past these pages it counts as not there. */
const MAX_PAGES = 30;
/** Tokens whose user is remembered. */
const USERS_REMEMBERED = 1000;

/** Notes of merge requests through GitLab's API. */
export function createGitlabCommentWriter(options: GitlabApiOptions): CommentWriter & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options, MAX_BYTES);
  /** User ids by the digest of the token. */
  const users = new Map<string, number>();

  async function userOf(gitlab: Gitlab, token: string): Promise<number> {
    const key = sha256(token);
    const known = users.get(key);
    if (known !== undefined) return known;
    const { id } = User.parse(await gitlab.users.showCurrentUser());
    if (users.size >= USERS_REMEMBERED) users.clear();
    users.set(key, id);
    return id;
  }

  return {
    async upsert(repository, { number, marker, body, known }): Promise<Result<string>> {
      const done = await call(repository, async (gitlab, project, token) => {
        const user = await userOf(gitlab, token);
        const isOurs = (note: Note): boolean => note.author.id === user && !note.system && note.body.startsWith(marker);
        const place = { gitlab, project, number, isOurs };
        const existing =
          (known === undefined ? undefined : await readKnown({ ...place, known })) ?? (await find(place));
        if (existing === undefined) return Note.parse(await gitlab.notes.create(project, number, body)).id;
        if (existing.body.replaceAll('\r\n', '\n').trimEnd() === body.trimEnd()) return existing.id;
        await gitlab.notes.edit(project, number, existing.id, { body });
        return existing.id;
      });
      return done.ok ? ok(done.value.toString()) : done;
    },
    stop,
  };
}

type Place = {
  readonly gitlab: Gitlab;
  readonly project: string;
  readonly number: number;
  readonly isOurs: (note: Note) => boolean;
};

/** `undefined` when it is gone, or is not the one it was. */
async function readKnown({
  gitlab,
  project,
  number,
  isOurs,
  known,
}: Place & { readonly known: string }): Promise<Note | undefined> {
  if (!/^\d+$/.test(known)) return undefined;
  try {
    const note = Note.parse(await gitlab.notes.show(project, number, Number(known)));
    return isOurs(note) ? note : undefined;
  } catch (error) {
    if (error instanceof AnswerError && error.status === 404) return undefined;
    throw error;
  }
}

async function find({ gitlab, project, number, isOurs }: Place): Promise<Note | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { sort: 'asc', orderBy: 'created_at', page, perPage: PAGE_SIZE } as const;
    const list = NoteList.parse(await gitlab.notes.all(project, number, query));
    const found = list.find(isOurs);
    if (found !== undefined || list.length < PAGE_SIZE) return found;
  }
  return undefined;
}
