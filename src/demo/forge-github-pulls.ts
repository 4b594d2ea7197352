import { type ApiAnswer, type ApiRequest, pageOf } from './forge-ledger.ts';
import { loginOf } from './forge-people.ts';
import { type PullBook, type RecordedComment, type RecordedPull, TOKEN_USER } from './forge-pulls.ts';

/** Field lessons 3.3. */
const COMMENT_LENGTH = 65_536;

/**
 * The pulls, compare and issue comment calls of GitHub's REST description, and who the token is. `undefined` for any other call. With `app`
 * the token is an app's: it has no user, only a viewer of the GraphQL API.
 */
export function answerGithubPulls(request: ApiRequest, book: PullBook, app: boolean): ApiAnswer | undefined {
  const { method, segments } = request;
  if (segments.join('/') === 'user' && method === 'GET') {
    return app ? failed(403, 'Resource not accessible by integration') : ok({ id: TOKEN_USER, login: 'hakopod-bot' });
  }
  if (segments.join('/') === 'graphql' && method === 'POST') {
    return ok({ data: { viewer: { databaseId: TOKEN_USER } } });
  }
  const [repos, owner, repo, kind, ...rest] = segments;
  if (repos !== 'repos' || !owner || !repo) return undefined;
  const project = `${owner}/${repo}`;
  if (kind === 'pulls' && method === 'GET') return pulls(request, book, { project, rest });
  if (kind === 'compare' && method === 'GET' && rest.length === 1) return compare(book, project, rest[0] ?? '');
  if (kind === 'issues') return comments(request, book, { project, rest });
  return undefined;
}

type Place = { readonly project: string; readonly rest: readonly string[] };

function pulls(request: ApiRequest, book: PullBook, { project, rest }: Place): ApiAnswer {
  if (rest.length === 0) {
    const state = request.query.get('state') ?? 'open';
    const found = book
      .of('github', project)
      .filter((pull) => state === 'all' || (state === 'open') === (pull.state === 'open'))
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    return ok(pageOf(found.map(presentPull), request.query, 30));
  }
  const pull = rest.length === 1 && isNumber(rest[0]) ? book.find('github', project, Number(rest[0])) : undefined;
  return pull === undefined ? failed(404, 'Not Found') : ok(presentPull(pull));
}

function compare(book: PullBook, project: string, basehead: string): ApiAnswer {
  const [base, head] = basehead.split('...');
  const pull = book.of('github', project).find((known) => known.base === base && known.head === head);
  if (pull?.mergeBase === undefined) return failed(404, 'Not Found');
  return ok({ merge_base_commit: { sha: pull.mergeBase }, status: 'ahead', total_commits: 1, commits: [] });
}

function comments(request: ApiRequest, book: PullBook, { project, rest }: Place): ApiAnswer | undefined {
  const [first, second, ...more] = rest;
  if (more.length > 0) return undefined;
  if (first === 'comments' && isNumber(second)) return onComment(request, book, { project, id: Number(second) });
  if (!isNumber(first) || second !== 'comments') return undefined;
  const number = Number(first);
  if (book.find('github', project, number) === undefined) return failed(404, 'Not Found');
  if (request.method === 'GET') {
    const found = book.comments().filter((known) => known.forge === 'github' && known.number === number);
    return ok(pageOf(found.map(presentComment), request.query, 30));
  }
  if (request.method !== 'POST') return undefined;
  const body = bodyOf(request);
  if (typeof body !== 'string') return body;
  return {
    status: 201,
    json: presentComment(book.add({ forge: 'github', project, number, author: TOKEN_USER, body })),
  };
}

function onComment(
  request: ApiRequest,
  book: PullBook,
  { project, id }: { readonly project: string; readonly id: number },
): ApiAnswer | undefined {
  const comment = book.comments().find((known) => known.id === id && known.number > 0);
  if (comment === undefined || comment.forge !== 'github' || comment.project !== project)
    return failed(404, 'Not Found');
  if (request.method === 'GET') return ok(presentComment(comment));
  if (request.method !== 'PATCH') return undefined;
  if (comment.author !== TOKEN_USER) return failed(403, 'Must have admin rights to Repository.');
  const body = bodyOf(request);
  return typeof body === 'string' ? ok(presentComment(book.edit(id, body) ?? comment)) : body;
}

function bodyOf({ body }: ApiRequest): string | ApiAnswer {
  if (body === undefined) return failed(400, 'Problems parsing JSON');
  const text = body.body;
  if (typeof text !== 'string' || text.trim() === '') return failed(422, 'Validation Failed');
  return [...text].length > COMMENT_LENGTH ? failed(422, 'Body is too long (maximum is 65536 characters)') : text;
}

function presentPull(pull: RecordedPull): object {
  const base = { id: pull.repositoryId, full_name: pull.project };
  return {
    id: 500_000 + pull.number,
    number: pull.number,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged: pull.state === 'merged',
    merged_at: pull.state === 'merged' ? pull.updatedAt : null,
    merge_commit_sha: pull.state === 'merged' ? (pull.mergedAs ?? pull.head) : null,
    draft: pull.draft === true,
    title: 'A change',
    body: null,
    updated_at: pull.updatedAt,
    head: { sha: pull.head, ref: pull.branch, repo: pull.fork ? { id: pull.repositoryId + 1 } : base },
    base: { sha: '0'.repeat(40), ref: pull.base, repo: base },
  };
}

function presentComment(comment: RecordedComment): object {
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    issue_url: `https://api.github.example/repos/${comment.project}/issues/${comment.number}`,
    body: comment.body,
    user: { id: comment.author, login: loginOf(comment.author) },
    created_at: comment.at,
    updated_at: comment.at,
  };
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text);
}

function ok(json: unknown): ApiAnswer {
  return { status: 200, json };
}

function failed(status: number, message: string): ApiAnswer {
  return { status, json: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) } };
}
