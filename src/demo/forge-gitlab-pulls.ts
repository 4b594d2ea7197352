import { type ApiAnswer, type ApiRequest, pageOf } from './forge-ledger.ts';
import { loginOf } from './forge-people.ts';
import { type PullBook, type RecordedComment, type RecordedPull, TOKEN_USER } from './forge-pulls.ts';

/** Field lessons 3.3. */
const NOTE_LENGTH = 1_000_000;

/** The merge request and note calls of GitLab's API, and who the token is. `undefined` for any other call. */
export function answerGitlabPulls(request: ApiRequest, book: PullBook): ApiAnswer | undefined {
  const { method, segments } = request;
  if (segments.join('/') === 'user' && method === 'GET') return ok({ id: TOKEN_USER, username: 'hakopod-bot' });
  const [projects, project = '', kind, iid, notes, note, ...more] = segments;
  if (projects !== 'projects' || kind !== 'merge_requests' || more.length > 0) return undefined;
  if (iid === undefined) return method === 'GET' ? list(request, book, project) : undefined;
  const pull = /^[1-9]\d{0,9}$/.test(iid) ? book.find('gitlab', project, Number(iid)) : undefined;
  if (pull === undefined) return missing('');
  if (notes === undefined) return method === 'GET' ? ok(presentPull(pull)) : undefined;
  if (notes !== 'notes') return undefined;
  return note === undefined ? onNotes(request, book, pull) : onNote(request, book, { pull, note });
}

function list(request: ApiRequest, book: PullBook, project: string): ApiAnswer {
  const { query } = request;
  const state = query.get('state') ?? 'all';
  const wanted = { opened: 'open', closed: 'closed', merged: 'merged' }[state];
  const found = book
    .of('gitlab', project)
    .filter((pull) => state === 'all' || pull.state === wanted)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  return ok(pageOf(found.map(presentPull), query, 20));
}

function onNotes(request: ApiRequest, book: PullBook, pull: RecordedPull): ApiAnswer | undefined {
  const { method, query } = request;
  if (method === 'GET') {
    const found = book.comments().filter((known) => known.forge === 'gitlab' && known.number === pull.number);
    const sorted = query.get('sort') === 'asc' ? found : [...found].reverse();
    return ok(pageOf(sorted.map(presentNote), query, 20));
  }
  if (method !== 'POST') return undefined;
  const body = bodyOf(request);
  if (typeof body !== 'string') return body;
  const { project, number } = pull;
  return { status: 201, json: presentNote(book.add({ forge: 'gitlab', project, number, author: TOKEN_USER, body })) };
}

function onNote(
  request: ApiRequest,
  book: PullBook,
  { pull, note }: { readonly pull: RecordedPull; readonly note: string },
): ApiAnswer | undefined {
  const found = book
    .comments()
    .find((known) => String(known.id) === note && known.forge === 'gitlab' && known.number === pull.number);
  if (found === undefined) return missing('Note ');
  if (request.method === 'GET') return ok(presentNote(found));
  if (request.method !== 'PUT') return undefined;
  if (found.author !== TOKEN_USER) return { status: 403, json: { message: '403 Forbidden' } };
  const body = bodyOf(request);
  return typeof body === 'string' ? ok(presentNote(book.edit(found.id, body) ?? found)) : body;
}

function bodyOf({ body }: ApiRequest): string | ApiAnswer {
  const text = body?.body;
  if (typeof text !== 'string' || text === '') return { status: 400, json: { error: 'body is missing' } };
  return [...text].length > NOTE_LENGTH
    ? { status: 400, json: { message: { note: ['is too long (maximum is 1000000 characters)'] } } }
    : text;
}

function presentPull(pull: RecordedPull): object {
  return {
    id: 500_000 + pull.number,
    iid: pull.number,
    project_id: pull.repositoryId,
    state: pull.state === 'open' ? 'opened' : pull.state,
    draft: pull.draft === true,
    title: 'A change',
    sha: pull.head,
    merged_at: pull.state === 'merged' ? pull.updatedAt : null,
    // Null after a fast-forward.
    merge_commit_sha: pull.state === 'merged' ? (pull.mergedAs ?? null) : null,
    squash_commit_sha: null,
    updated_at: pull.updatedAt,
    source_branch: pull.branch,
    target_branch: pull.base,
    source_project_id: pull.fork ? pull.repositoryId + 1 : pull.repositoryId,
    target_project_id: pull.repositoryId,
    diff_refs: pull.mergeBase === undefined ? null : { base_sha: pull.mergeBase, head_sha: pull.head, start_sha: null },
  };
}

function presentNote(comment: RecordedComment): object {
  return {
    id: comment.id,
    body: comment.body,
    author: { id: comment.author, username: loginOf(comment.author) },
    system: false,
    noteable_iid: comment.number,
    created_at: comment.at,
    updated_at: comment.at,
  };
}

function ok(json: unknown): ApiAnswer {
  return { status: 200, json };
}
function missing(what: string): ApiAnswer {
  return { status: 404, json: { message: `404 ${what}Not found` } };
}
