import {
  type ApiAnswer,
  type ApiRequest,
  type ForgeLedger,
  isCommit,
  pageOf,
  type RecordedPipeline,
} from './forge-ledger.ts';
import { PullBook } from './forge-pulls.ts';

const STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];
/** Transitions GitLab names in its refusal. */
const EVENTS: Readonly<Record<string, string>> = { pending: 'enqueue', running: 'run' };
/** Bounds of GitLab's own validation of an external status. */
const TEXT_LENGTH = 255;

/** GitLab's commit status API: POST /projects/:id/statuses/:sha, GET /projects/:id/repository/commits/:sha/statuses. */
export function answerGitlab(request: ApiRequest, ledger: ForgeLedger, book = new PullBook()): ApiAnswer {
  const [projects, project = '', ...rest] = request.segments;
  if (projects !== 'projects') return { status: 404, json: { error: '404 Not Found' } };
  if (!/^(?:\d+|[\w.-]+(?:\/[\w.-]+)+)$/.test(project)) return missing('Project');
  if (request.method === 'POST' && rest.length === 2 && rest[0] === 'statuses') {
    return create({ project, sha: rest[1] ?? '', body: request.body, ledger, book });
  }
  if (request.method === 'GET' && rest.length === 1 && rest[0] === 'pipelines') {
    const found = ledger.pipelines(project, request.query.get('sha') ?? '');
    return {
      status: 200,
      json: pageOf(
        found.map(({ id, ref, commit: sha }) => ({ id, ref, sha })),
        request.query,
        20,
      ),
    };
  }
  const [repository, commits, sha = '', statuses] = rest;
  if (request.method === 'GET' && repository === 'repository' && commits === 'commits' && statuses === 'statuses') {
    return list({ project, sha, query: request.query, ledger });
  }
  return { status: 404, json: { error: '404 Not Found' } };
}

function create(call: {
  readonly project: string;
  readonly sha: string;
  readonly body: ApiRequest['body'];
  readonly ledger: ForgeLedger;
  readonly book: PullBook;
}): ApiAnswer {
  const { project, sha, ledger } = call;
  const body = call.body ?? {};
  if (!isCommit(sha)) return missing('Commit');
  const state = body.state;
  if (state === undefined) return refused({ error: 'state is missing' });
  if (typeof state !== 'string' || !STATES.includes(state))
    return refused({ error: 'state does not have a valid value' });
  const context = text(body.name ?? body.context) ?? 'default';
  if (text(body.ref) === undefined && isForks(call.book, project, sha)) return missing('References for commit');
  const ref = text(body.ref) ?? 'main';
  const matching = pipelineOf({ ledger, project, sha, ref }, body.pipeline_id);
  if (matching === 'missing') return missing('Pipeline for pipeline_id, sha and ref');
  const description = text(body.description);
  const targetUrl = text(body.target_url);
  const long = Object.entries({ name: context, description, target_url: targetUrl }).find(
    ([, value]) => [...(value ?? '')].length > TEXT_LENGTH,
  );
  if (long !== undefined) return tooLong(long[0]);
  if (targetUrl !== undefined && !/^https?:\/\/./.test(targetUrl)) {
    return refused({ message: { target_url: ['is blocked: Only allowed schemes are http, https'] } });
  }
  // A status that is still pending or running is updated, in place; a finished one is left and another is added beside it.
  const open = ledger
    .find({ forge: 'gitlab', project, commit: sha, context, ref })
    .find((entry) => entry.state === 'pending' || entry.state === 'running');
  const event = EVENTS[state];
  if (open !== undefined && event !== undefined && (open.state === state || open.state === 'running')) {
    const words = `Cannot transition status via :${event} from :${open.state}`;
    return refused({ message: `${words} (Reason(s): Status cannot transition via "${event}")` });
  }
  const status = {
    forge: 'gitlab',
    project,
    commit: sha,
    context,
    state,
    description: description ?? open?.description,
    targetUrl: targetUrl ?? open?.targetUrl,
  } as const;
  // Without one of the ref GitLab makes one.
  const pipeline = matching ?? ledger.addPipeline({ project, commit: sha, ref });
  return { status: 201, json: { ...present(ledger.record(status, ref, open?.id)), pipeline_id: pipeline.id } };
}

/** The pipeline that is named, or the newest of the ref. */
function pipelineOf(
  place: { readonly ledger: ForgeLedger; readonly project: string; readonly sha: string; readonly ref: string },
  wanted: unknown,
): RecordedPipeline | 'missing' | undefined {
  const { ledger, project, sha, ref } = place;
  const pipelines = ledger.pipelines(project, sha).filter((one) => one.ref === ref);
  return wanted === undefined ? pipelines[0] : (pipelines.find(({ id }) => id === wanted) ?? 'missing');
}

/** Without a ref GitLab takes a branch that holds the commit; none does when it is a fork's. */
function isForks(book: PullBook, project: string, sha: string): boolean {
  return book.of('gitlab', project).some((pull) => pull.fork && pull.head === sha);
}

function list(call: {
  readonly project: string;
  readonly sha: string;
  readonly query: URLSearchParams;
  readonly ledger: ForgeLedger;
}): ApiAnswer {
  const { project, sha, query, ledger } = call;
  if (!isCommit(sha)) return missing('Commit');
  const name = query.get('name');
  const ref = query.get('ref');
  const all = ledger
    .find({ forge: 'gitlab', project, commit: sha })
    .filter((entry) => (name === null || entry.context === name) && (ref === null || entry.ref === ref));
  const newest = new Map(all.map((entry) => [`${entry.ref} ${entry.context}`, entry]));
  const shown = query.get('all') === 'true' ? all : [...newest.values()];
  const sorted = query.get('sort') === 'desc' ? [...shown].reverse() : shown;
  return { status: 200, json: pageOf(sorted.map(present), query, 20) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function present(entry: ReturnType<ForgeLedger['record']>): object {
  return {
    id: entry.id,
    sha: entry.commit,
    ref: entry.ref,
    status: entry.state,
    name: entry.context,
    target_url: entry.targetUrl ?? null,
    description: entry.description ?? null,
    created_at: entry.at,
    allow_failure: false,
    author: null,
  };
}

function refused(json: object): ApiAnswer {
  return { status: 400, json };
}
function missing(what: string): ApiAnswer {
  return { status: 404, json: { message: `404 ${what} Not Found` } };
}
function tooLong(field: string): ApiAnswer {
  return refused({ message: { [field]: [`is too long (maximum is ${TEXT_LENGTH} characters)`] } });
}
