import { createHmac, randomUUID } from 'node:crypto';
import { type ApiAnswer, type ApiRequest, pageOf } from './forge-ledger.ts';

/** A webhook as a forge keeps it, in its own fields. The secret is kept and never answered. */
export type RecordedHook = {
  readonly id: number;
  readonly forge: 'github' | 'gitlab';
  readonly project: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly secret: string | undefined;
};
export type RecordedDelivery = {
  readonly id: number;
  readonly hook: number;
  readonly event: string;
  readonly at: string;
  readonly status: number;
};

/** The webhooks of all projects of both forges; what is delivered is delivered really. */
export class HookBook {
  #next = 1;
  readonly #hooks = new Map<number, RecordedHook>();
  readonly #deliveries: RecordedDelivery[] = [];

  hooks(): readonly RecordedHook[] {
    return [...this.#hooks.values()];
  }

  of(forge: RecordedHook['forge'], project: string): readonly RecordedHook[] {
    return this.hooks().filter((hook) => hook.forge === forge && hook.project === project);
  }

  /** Makes a hook, or with an id changes what `fields` names. */
  put(hook: Omit<RecordedHook, 'id'> & { readonly id?: number }): RecordedHook {
    const known = hook.id === undefined ? undefined : this.#hooks.get(hook.id);
    const id = hook.id ?? this.#next++;
    const made = { ...hook, id, fields: { ...known?.fields, ...hook.fields } };
    this.#hooks.set(id, made);
    return made;
  }

  remove(id: number): void {
    this.#hooks.delete(id);
  }

  deliveries(hook: number): readonly RecordedDelivery[] {
    return this.#deliveries.filter((delivery) => delivery.hook === hook).reverse();
  }

  /** Notes how a delivery went; 0 when nobody answered. */
  record(delivery: Omit<RecordedDelivery, 'id' | 'at'> & { readonly at?: string }): RecordedDelivery {
    const made = { at: new Date().toISOString(), ...delivery, id: this.#deliveries.length + 1 };
    this.#deliveries.push(made);
    return made;
  }

  /** Delivers as GitHub does and notes the answer. */
  async deliver(
    hook: RecordedHook,
    sent: {
      readonly url: string;
      readonly event: string;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    },
  ): Promise<number> {
    const headers = { 'content-type': 'application/json', ...sent.headers };
    const status = await fetch(sent.url, { method: 'POST', body: sent.body, headers }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    this.record({ hook: hook.id, event: sent.event, status });
    return status;
  }
}

/** GitHub's webhooks of a repository; `undefined` for any other request. */
export function answerGithubHooks(request: ApiRequest, book: HookBook): ApiAnswer | undefined {
  const [repos, owner, repo, kind, id, tail, ...more] = request.segments;
  if (repos !== 'repos' || kind !== 'hooks' || more.length > 0) return undefined;
  const project = `${owner}/${repo}`;
  if (id === undefined) {
    if (request.method === 'GET')
      return { status: 200, json: pageOf(book.of('github', project).map(githubHook), request.query, 30) };
    return request.method === 'POST' ? saveGithub(request, book, { project }) : notFound();
  }
  const hook = book.of('github', project).find((known) => String(known.id) === id);
  if (hook === undefined) return notFound();
  if (tail === 'pings' && request.method === 'POST') {
    const url = String(configOf(hook).url);
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: hook.id });
    const signature = createHmac('sha256', hook.secret ?? '')
      .update(body)
      .digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': randomUUID() };
    void book.deliver(hook, { url, event: 'ping', body, headers: { ...headers, 'x-github-event': 'ping' } });
    return { status: 204, json: undefined };
  }
  if (tail === 'deliveries' && request.method === 'GET')
    return { status: 200, json: pageOf(book.deliveries(hook.id).map(githubDelivery), request.query, 30) };
  if (tail !== undefined) return notFound();
  if (request.method === 'PATCH') return saveGithub(request, book, { project, known: hook });
  if (request.method !== 'DELETE') return notFound();
  book.remove(hook.id);
  return { status: 204, json: undefined };
}

function saveGithub(
  { body = {} }: ApiRequest,
  book: HookBook,
  { project, known }: { readonly project: string; readonly known?: RecordedHook },
): ApiAnswer {
  const { config, ...rest } = body;
  const { secret, ...shown } = { ...(config as Readonly<Record<string, unknown>> | undefined) };
  const isTaken = book
    .of('github', project)
    .some((other) => other.id !== known?.id && configOf(other).url === shown.url);
  if (isTaken)
    return { status: 422, json: { message: 'Validation Failed', errors: [{ message: 'Hook already exists' }] } };
  const hook = book.put({
    ...(known === undefined ? {} : { id: known.id }),
    ...{ forge: 'github', project, fields: { ...rest, config: shown } },
    // A configuration without a secret drops it.
    secret: typeof secret === 'string' ? secret : undefined,
  });
  return { status: known === undefined ? 201 : 200, json: githubHook(hook) };
}

function configOf({ fields }: RecordedHook): Readonly<Record<string, unknown>> {
  return { ...(fields.config as object) };
}

function githubHook(hook: RecordedHook): object {
  const { secret, fields } = hook;
  const config = { ...configOf(hook), ...(secret === undefined ? {} : { secret: '********' }) };
  return { type: 'Repository', id: hook.id, name: 'web', ...fields, config };
}

function githubDelivery({ id, event, at, status }: RecordedDelivery): object {
  return {
    id,
    guid: `${id}`,
    delivered_at: at,
    redelivery: false,
    duration: 0.1,
    status_code: status,
    event,
    action: null,
  };
}

/** GitLab's webhooks of a project; `undefined` for any other request. */
export async function answerGitlabHooks(request: ApiRequest, book: HookBook): Promise<ApiAnswer | undefined> {
  const [projects, project = '', kind, id, tail, trigger] = request.segments;
  if (projects !== 'projects' || kind !== 'hooks') return undefined;
  if (id === undefined) {
    if (request.method === 'GET')
      return { status: 200, json: pageOf(book.of('gitlab', project).map(gitlabHook), request.query, 20) };
    return request.method === 'POST' ? saveGitlab(request, book, { project }) : gone();
  }
  const hook = book.of('gitlab', project).find((known) => String(known.id) === id);
  if (hook === undefined) return gone();
  if (tail === 'test' && request.method === 'POST') return testGitlab(hook, book, trigger ?? '');
  if (tail === 'events' && request.method === 'GET')
    return { status: 200, json: pageOf(book.deliveries(hook.id).map(gitlabDelivery), request.query, 20) };
  if (tail !== undefined) return gone();
  if (request.method === 'PUT') return saveGitlab(request, book, { project, known: hook });
  if (request.method !== 'DELETE') return gone();
  book.remove(hook.id);
  return { status: 204, json: undefined };
}

async function testGitlab(hook: RecordedHook, book: HookBook, event: string): Promise<ApiAnswer> {
  const body = JSON.stringify({ object_kind: 'push', ref: 'refs/heads/main', after: '1'.repeat(40) });
  const headers = {
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-webhook-uuid': randomUUID(),
    ...(hook.secret === undefined ? {} : { 'x-gitlab-token': hook.secret }),
  };
  const status = await book.deliver(hook, { url: String(hook.fields.url), event, body, headers });
  if (status < 200 || status > 299) return { status: 422, json: { message: 'Hook execution failed' } };
  book.put({ ...hook, fields: { alert_status: 'executable' } });
  return { status: 201, json: { message: '201 Created' } };
}

function saveGitlab(
  { body = {} }: ApiRequest,
  book: HookBook,
  { project, known }: { readonly project: string; readonly known?: RecordedHook },
): ApiAnswer {
  const { token, signing_token: signing, ...fields } = body;
  if (typeof fields.url !== 'string') return { status: 400, json: { error: 'url is missing' } };
  const secret = token ?? signing;
  const signs = typeof signing === 'string' ? { signing_token_present: true } : {};
  const hook = book.put({
    ...(known === undefined ? {} : { id: known.id }),
    ...{ forge: 'gitlab', project, fields: { alert_status: 'executable', ...known?.fields, ...fields, ...signs } },
    // What is not said stays.
    secret: typeof secret === 'string' ? secret : known?.secret,
  });
  return { status: known === undefined ? 201 : 200, json: gitlabHook(hook) };
}

function gitlabHook({ id, fields }: RecordedHook): object {
  return { id, ...fields };
}

function gitlabDelivery({ id, event, status }: RecordedDelivery): object {
  const word = status === 0 ? 'internal error' : String(status);
  return { id, trigger: event, request_data: {}, response_status: word };
}

function notFound(): ApiAnswer {
  return { status: 404, json: { message: 'Not Found' } };
}

function gone(): ApiAnswer {
  return { status: 404, json: { message: '404 Not found' } };
}
