import type { ApiRequest } from '../../src/demo/forge-ledger.ts';

/** Parameters of a call, separated by spaces, as docs.gitlab.com lists them for the API named beside it; those of the path left out. */
type Documented = { readonly query?: string; readonly body?: string; readonly needs?: string };

const PAGED = 'page per_page';
const HOOK = `url name description token signing_token push_events push_events_branch_filter branch_filter_strategy tag_push_events
  merge_requests_events note_events confidential_note_events issues_events confidential_issues_events job_events pipeline_events
  wiki_page_events deployment_events releases_events milestone_events emoji_events resource_access_token_events feature_flag_events
  repository_update_events enable_ssl_verification custom_webhook_template custom_headers`;

/** The calls of GitLab's REST API that are used. */
const OPERATIONS: Readonly<Record<string, Documented>> = {
  // Users.
  'GET user': {},
  // Commits: set, and list, the status of a commit.
  'POST projects/:id/statuses/:sha': {
    body: 'state ref name context target_url description coverage pipeline_id',
    needs: 'state',
  },
  'GET projects/:id/repository/commits/:sha/statuses': {
    query: `all name order_by pipeline_id ref sort stage ${PAGED}`,
  },
  // Pipelines.
  'GET projects/:id/pipelines': {
    query: `name order_by ref scope sha sort source status updated_after updated_before username yaml_errors ${PAGED}`,
  },
  // Merge requests and their notes.
  'GET projects/:id/merge_requests': { query: `state order_by sort target_branch source_branch ${PAGED}` },
  'GET projects/:id/merge_requests/:iid': {},
  'GET projects/:id/merge_requests/:iid/notes': { query: `sort order_by activity_filter ${PAGED}` },
  'POST projects/:id/merge_requests/:iid/notes': { body: 'body created_at internal', needs: 'body' },
  'GET projects/:id/merge_requests/:iid/notes/:note': {},
  'PUT projects/:id/merge_requests/:iid/notes/:note': { body: 'body', needs: 'body' },
  // Members, inherited ones included.
  'GET projects/:id/members/all/:user': {},
  // Project webhooks.
  'GET projects/:id/hooks': { query: PAGED },
  'POST projects/:id/hooks': { body: HOOK, needs: 'url' },
  'PUT projects/:id/hooks/:hook': { body: HOOK, needs: 'url' },
  'DELETE projects/:id/hooks/:hook': {},
  'POST projects/:id/hooks/:hook/test/:trigger': { body: '' },
  'GET projects/:id/hooks/:hook/events': { query: `status ${PAGED}` },
  // Deployments and environments.
  'GET projects/:id/deployments': { query: `order_by sort environment status ${PAGED}` },
  'POST projects/:id/deployments': { body: 'environment sha ref tag status', needs: 'environment sha ref tag status' },
  'PUT projects/:id/deployments/:deployment': { body: 'status', needs: 'status' },
  'GET projects/:id/environments': { query: `name search states ${PAGED}` },
  'PUT projects/:id/environments/:environment': { body: 'name external_url description tier' },
};

/** What GitLab's documentation has against a request; empty when nothing. GitLab publishes no description that could be checked against. */
export function gitlabComplaintsAgainst(request: Omit<ApiRequest, 'headers'>): readonly string[] {
  const { method, segments, query, body } = request;
  const name = Object.keys(OPERATIONS).find((known) => matches(known, method, segments));
  const operation = name === undefined ? undefined : OPERATIONS[name];
  if (operation === undefined) return [`${method} ${segments.join('/')}: no such call`];
  const queries = wordsOf(operation.query);
  const fields = wordsOf(operation.body);
  const given = Object.keys(body ?? {});
  return [
    ...[...query.keys()].filter((key) => !queries.includes(key)).map((key) => `${name}: query ${key}`),
    ...given.filter((key) => !fields.includes(key)).map((key) => `${name}: field ${key}`),
    ...wordsOf(operation.needs)
      .filter((key) => !given.includes(key))
      .map((key) => `${name}: without ${key}`),
  ];
}

function wordsOf(text = ''): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function matches(known: string, method: string, segments: readonly string[]): boolean {
  const [verb, path = ''] = known.split(' ');
  const parts = path.split('/');
  const fits = (part: string, index: number): boolean => part.startsWith(':') || part === segments[index];
  return verb === method && parts.length === segments.length && parts.every(fits);
}
