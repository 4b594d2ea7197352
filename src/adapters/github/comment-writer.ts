import type { Octokit } from '@octokit/core';
import { ok, type Result, sha256 } from '../../kernel/index.ts';
import type { CommentWriter } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi, type Target } from './api.ts';
import { Comment, CommentList, User, Viewer } from './schema.ts';

/** GitHub's comments have up to 65,536 characters, so a page of 30 fits into this. */
const MAX_BYTES = 8 * 1024 * 1024;
const PAGE_SIZE = 30;
/** Comments are listed oldest first and ours is among the first; past these pages it counts as not there. */
const MAX_PAGES = 20;
/** Tokens whose user is remembered. */
const USERS_REMEMBERED = 1000;

type Request = Octokit['request'];

/** Issue comments of pull requests through GitHub's REST API. */
export function createGithubCommentWriter(options: GithubApiOptions): CommentWriter & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options, MAX_BYTES);
  /** User ids by the digest of the token. */
  const users = new Map<string, number>();

  async function userOf({ token, baseUrl }: Target, request: Request): Promise<number> {
    const key = sha256(token);
    const known = users.get(key);
    if (known !== undefined) return known;
    const id = await askUser(request, baseUrl);
    if (users.size >= USERS_REMEMBERED) users.clear();
    users.set(key, id);
    return id;
  }

  return {
    async upsert(repository, { number, marker, body, known }): Promise<Result<string>> {
      const done = await call(repository, async (target, request) => {
        const { owner, repo } = target;
        const user = await userOf(target, request);
        const isOurs = (comment: Comment): boolean =>
          comment.user?.id === user && (comment.body ?? '').startsWith(marker);
        const existing =
          (known === undefined ? undefined : await readKnown({ target, request, known, number, isOurs })) ??
          (await find({ target, request, number, isOurs }));
        if (existing === undefined) {
          const { data } = await request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            owner,
            repo,
            issue_number: number,
            body,
          });
          return Comment.parse(data).id;
        }
        if (sameText(existing.body ?? '', body)) return existing.id;
        await request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
          owner,
          repo,
          comment_id: existing.id,
          body,
        });
        return existing.id;
      });
      return done.ok ? ok(done.value.toString()) : done;
    },
    stop,
  };
}

/** A personal token has a user. An app's has none to ask for there, but its bot is the viewer of the GraphQL API. */
async function askUser(request: Request, baseUrl: string): Promise<number> {
  try {
    return User.parse((await request('GET /user')).data).id;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const query = 'query { viewer { databaseId } }';
    const { data } = await request('POST /graphql', { baseUrl: baseUrl.replace(/\/v3$/, ''), query });
    return Viewer.parse(data).data.viewer.databaseId;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 403;
}

type Search = {
  readonly target: Target;
  readonly request: Request;
  readonly number: number;
  readonly isOurs: (comment: Comment) => boolean;
};

/** `undefined` when it is gone, or is not the one it was. */
async function readKnown(search: Search & { readonly known: string }): Promise<Comment | undefined> {
  const { target, request, known, number, isOurs } = search;
  if (!/^\d+$/.test(known)) return undefined;
  try {
    const { data } = await request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', {
      owner: target.owner,
      repo: target.repo,
      comment_id: Number(known),
    });
    const comment = Comment.parse(data);
    const isOfRequest = comment.issue_url?.endsWith(`/${number}`) === true;
    return isOurs(comment) && isOfRequest ? comment : undefined;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  }
}

async function find({ target, request, number, isOurs }: Search): Promise<Comment | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = await request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner: target.owner,
      repo: target.repo,
      issue_number: number,
      per_page: PAGE_SIZE,
      page,
    });
    const list = CommentList.parse(data);
    const found = list.find(isOurs);
    if (found !== undefined || list.length < PAGE_SIZE) return found;
  }
  return undefined;
}

/** Forges may hand back other line ends, or none at the end. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(a) === plain(b);
}
