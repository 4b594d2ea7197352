import { type ApiAnswer, type ApiRequest, type ForgeLedger, isCommit, pageOf } from './forge-ledger.ts';

const STATES = ['error', 'failure', 'pending', 'success'];
/** Field lessons 3.3. */
const STATUSES_PER_CONTEXT = 1000;
const DESCRIPTION_LENGTH = 140;

/** The statuses API of GitHub's REST description: POST /repos/{owner}/{repo}/statuses/{sha}, GET .../commits/{ref}/statuses. */
export function answerGithub(request: ApiRequest, ledger: ForgeLedger): ApiAnswer {
  if (request.headers['user-agent'] === undefined) return failed(403, 'Request forbidden by administrative rules.');
  const [repos, owner, repo, kind, sha, tail, ...more] = request.segments;
  if (repos !== 'repos' || !owner || !repo || !sha || more.length > 0) return failed(404, 'Not Found');
  const project = `${owner}/${repo}`;
  if (request.method === 'POST' && kind === 'statuses' && tail === undefined) {
    return create({ project, sha, body: request.body, ledger });
  }
  if (request.method === 'GET' && kind === 'commits' && tail === 'statuses') {
    const found = ledger.find({ forge: 'github', project, commit: sha }).map(present).reverse();
    return { status: 200, json: pageOf(found, request.query, 30) };
  }
  return failed(404, 'Not Found');
}

function create(call: {
  readonly project: string;
  readonly sha: string;
  readonly body: ApiRequest['body'];
  readonly ledger: ForgeLedger;
}): ApiAnswer {
  const { project, sha, body, ledger } = call;
  if (body === undefined) return failed(400, 'Problems parsing JSON');
  if (!isCommit(sha)) return failed(422, `No commit found for SHA: ${sha}`);
  const { state, description, target_url: targetUrl, context = 'default' } = body;
  if (typeof state !== 'string' || !STATES.includes(state)) return invalid('state', 'is not included in the list');
  if (typeof context !== 'string' || context === '') return invalid('context', 'is not a string');
  if (!isTextOrNothing(description)) return invalid('description', 'is not a string');
  if ([...(description ?? '')].length > DESCRIPTION_LENGTH) {
    return invalid('description', `is too long (maximum is ${DESCRIPTION_LENGTH} characters)`);
  }
  if (!isTextOrNothing(targetUrl)) return invalid('target_url', 'is not a string');
  if (targetUrl !== undefined && !/^https?:\/\/./.test(targetUrl)) {
    return invalid('target_url', 'must use http(s) scheme');
  }
  if (ledger.find({ forge: 'github', project, commit: sha, context }).length >= STATUSES_PER_CONTEXT) {
    return invalid('base', 'This SHA and context has reached the maximum number of statuses.');
  }
  const status = { forge: 'github', project, commit: sha, context, state, description, targetUrl } as const;
  return { status: 201, json: present(ledger.record(status, '')) };
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function present(entry: ReturnType<ForgeLedger['record']>): object {
  return {
    url: `/repos/${entry.project}/statuses/${entry.commit}`,
    id: entry.id,
    node_id: `SC_${entry.id}`,
    avatar_url: null,
    state: entry.state,
    description: entry.description ?? null,
    target_url: entry.targetUrl ?? null,
    context: entry.context,
    created_at: entry.at,
    updated_at: entry.at,
    creator: null,
  };
}

function failed(status: number, message: string, errors?: readonly object[]): ApiAnswer {
  const base = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, json: errors === undefined ? base : { ...base, errors } };
}

function invalid(field: string, message: string): ApiAnswer {
  return failed(422, 'Validation Failed', [
    { resource: 'Status', code: 'custom', field, message: `${field} ${message}` },
  ]);
}
