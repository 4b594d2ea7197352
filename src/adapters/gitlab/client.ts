import { Commits, MergeRequestNotes, MergeRequests, Users } from '@gitbeaker/rest';
import type { HttpClient, HttpFailure } from '../../ports/index.ts';

/** Bytes of an answer that are read (facts 4.1: 512 KiB). */
const MAX_BYTES = 512 * 1024;

/** GitLab answered, but not with success. */
export class AnswerError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  constructor(answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  }) {
    super(`status ${answer.status}`);
    this.status = answer.status;
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

/** There is no answer. */
export class ExchangeError extends Error {
  readonly failure: HttpFailure;
  constructor(failure: HttpFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

type CommitsOptions = NonNullable<ConstructorParameters<typeof Commits>[0]>;
type RequesterFn = NonNullable<CommitsOptions['requesterFn']>;
type Service = Parameters<RequesterFn>[0];
type Sent = { readonly body?: unknown; readonly searchParams?: Readonly<Record<string, unknown>> };
type Got = { body: Record<string, unknown>; headers: Record<string, string>; status: number };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** What GitLab answers when it did what was asked. */
const DONE: Readonly<Record<Method, number>> = { GET: 200, POST: 201, PUT: 200, DELETE: 204 };

/** The parts of GitLab's API that are used. */
export type Gitlab = {
  readonly commits: InstanceType<typeof Commits>;
  readonly mergeRequests: InstanceType<typeof MergeRequests>;
  readonly notes: InstanceType<typeof MergeRequestNotes>;
  readonly users: InstanceType<typeof Users>;
  /** What Gitbeaker has no call for. `endpoint` is below the API's base, without a leading slash; answers the body. */
  send(method: Method, endpoint: string, sent?: Sent): Promise<unknown>;
};

/**
 * Gitbeaker's API over our HTTP client, under one deadline. Its own requester is not used: it repeats every call up to ten times on 429
 * and 502, also a POST that may have been carried out, and follows redirects with the token. Bearer works for access and OAuth tokens.
 */
export function createGitlab(
  http: HttpClient,
  target: {
    readonly host: string;
    readonly token: string;
    readonly userAgent: string;
    readonly timeoutMs: number;
    /** Bytes of an answer that are read; 512 KiB. */
    readonly maxBytes?: number;
    /** Told the headers of each answer, of whatever status. */
    readonly onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  },
): Gitlab {
  const signal = AbortSignal.timeout(target.timeoutMs);

  async function send(service: Service, method: Method, endpoint: string, sent: Sent = {}): Promise<Got> {
    const url = new URL(endpoint, service.url.endsWith('/') ? service.url : `${service.url}/`);
    for (const [name, value] of Object.entries(sent.searchParams ?? {}))
      url.searchParams.set(snake(name), String(value));
    const hasBody = method === 'POST' || method === 'PUT';
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': target.userAgent };
    for (const [name, value] of Object.entries(service.authHeaders)) headers[name] = await value();
    const outcome = await http.send({
      method,
      url: url.href,
      headers: hasBody ? { ...headers, 'content-type': 'application/json' } : headers,
      maxBytes: target.maxBytes ?? MAX_BYTES,
      timeoutMs: target.timeoutMs,
      signal,
      ...(hasBody ? { body: JSON.stringify(snakeKeys(sent.body)) } : {}),
    });
    if (!outcome.ok) throw new ExchangeError(outcome.failure);
    const { status, headers: got, body } = outcome.response;
    target.onHeaders?.(got);
    const answer = { status, headers: got, body: parse(body) };
    if (status !== DONE[method]) throw new AnswerError(answer);
    return { status, headers: { ...got }, body: answer.body as Record<string, unknown> };
  }

  const unused = (): Promise<never> => Promise.reject(new Error('only GET, POST and PUT are used'));
  const requesterFn = (service: Service) => ({
    get: (endpoint: string, sent?: Sent) => send(service, 'GET', endpoint, sent),
    post: (endpoint: string, sent?: Sent) => send(service, 'POST', endpoint, sent),
    put: (endpoint: string, sent?: Sent) => send(service, 'PUT', endpoint, sent),
    patch: unused,
    delete: unused,
  });
  const options = {
    host: target.host,
    oauthToken: target.token,
    queryTimeout: null,
    requesterFn: requesterFn as unknown as RequesterFn,
  };
  const commits = new Commits(options);
  return {
    send: async (method, endpoint, sent) => (await send(commits as unknown as Service, method, endpoint, sent)).body,
    commits,
    mergeRequests: new MergeRequests(options),
    notes: new MergeRequestNotes(options),
    users: new Users(options),
  };
}

/** Gitbeaker's options are in camel case, the API's fields are not. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
function snakeKeys(body: unknown): object {
  return Object.fromEntries(Object.entries(body ?? {}).map(([name, value]) => [snake(name), value]));
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
