import { fail, ok, type Problem, problem, type Result, sha256 } from '../../kernel/index.ts';
import type { Remote } from '../../ports/index.ts';
import { type Advertisement, parseAdvertisement } from './advertisement.ts';
import type { Http, HttpResponse } from './http.ts';
import { malformed } from './pkt-line.ts';
import { checkRemoteUrl } from './remote-url.ts';

/** Most redirects of one discovery; a renamed repository takes one. */
const MAX_REDIRECTS = 3;
const CAUSE_LENGTH = 200;

/** A remote whose URL is fine. `repository` separates caches by URL, `session` by URL and credentials. */
export type Target = {
  readonly url: URL;
  readonly local: boolean;
  readonly authorization?: string;
  /** What must not appear in a log. */
  readonly secrets: readonly string[];
  readonly repository: string;
  readonly session: string;
};

/** Another system's words without the credentials it was sent, plain or encoded, should it repeat them. For `cause` only. */
export function redact(target: Target, text: string): string {
  return target.secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text).slice(0, CAUSE_LENGTH);
}

/** Where a repository answers after redirects, and what it can do. */
export type Endpoint = { readonly base: URL; readonly advertisement: Advertisement };

/** Checks a remote and computes what is sent and kept for it. */
export function targetOf(remote: Remote): Result<Target> {
  const url = checkRemoteUrl(remote.url, { local: remote.local });
  if (!url.ok) return url;
  const base = new URL(url.value);
  base.pathname = base.pathname.replace(/\/+$/, '');
  const repository = sha256(base.href);
  if (remote.credentials === undefined) {
    return ok({ url: base, local: remote.local, secrets: [], repository, session: repository });
  }
  const { username, password } = remote.credentials;
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  const authorization = `Basic ${encoded}`;
  return ok({
    url: base,
    local: remote.local,
    authorization,
    secrets: [encoded, encodeURIComponent(password), password].filter((secret) => secret !== ''),
    repository,
    session: sha256(`${base.href}\n${authorization}`),
  });
}

/**
 * Asks a repository what it speaks. Follows redirects to the same host only (never from https to http) and keeps the base they
 * lead to; credentials thus never leave the URL's own host.
 */
export async function discover(
  http: Http,
  target: Target,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Result<Endpoint>> {
  let url = new URL(`${target.url.href}/info/refs?service=git-upload-pack`);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await http.send({
      url,
      method: 'GET',
      headers: headersFor(target),
      maxBytes: options.maxBytes,
      tooLarge: problem('repository_too_large', 'the repository lists more refs than the limit allows'),
      local: target.local,
      signal: options.signal,
    });
    if (!response.ok) return response;
    if (response.value.status < 300 || response.value.status >= 400) return readAdvertisement(url, response.value);
    const next = redirectOf(url, response.value.location);
    if (!next.ok) return next;
    url = next.value;
  }
  return malformed('too many redirects');
}

function readAdvertisement(url: URL, response: HttpResponse): Result<Endpoint> {
  if (response.status !== 200) return fail(statusProblem(response.status));
  if (response.contentType !== 'application/x-git-upload-pack-advertisement') {
    return fail(problem('git_protocol', 'the URL does not answer as a Git repository over smart HTTP'));
  }
  const advertisement = parseAdvertisement(response.body);
  if (!advertisement.ok) return advertisement;
  const base = new URL(url.href.slice(0, url.href.indexOf('/info/refs?')));
  return ok({ base, advertisement: advertisement.value });
}

function redirectOf(from: URL, location: string | undefined): Result<URL> {
  if (location === undefined || !URL.canParse(location, from.href)) return malformed('a redirect leads nowhere');
  const to = new URL(location, from);
  const safeScheme = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  if (!safeScheme || to.host !== from.host || to.username !== '' || to.password !== '') {
    return fail(problem('invalid_url', 'the repository has moved to another host; use its new URL'));
  }
  if (!to.pathname.endsWith('/info/refs') || to.search !== '?service=git-upload-pack') {
    return malformed('a redirect does not lead to a repository');
  }
  return ok(to);
}

/** Sends one `git-upload-pack` request to where the repository answers. Redirects are refused here, as git does. */
export async function uploadPack(
  http: Http,
  to: { readonly target: Target; readonly base: URL },
  request: {
    readonly body: Buffer;
    readonly maxBytes: number;
    readonly tooLarge: Problem;
    readonly signal: AbortSignal;
    /** Version 0 for the shallow fallback, whose library speaks nothing newer. */
    readonly version?: 0 | 2;
  },
): Promise<Result<Buffer>> {
  const response = await http.send({
    url: new URL(`${to.base.href}/git-upload-pack`),
    method: 'POST',
    headers: {
      ...headersFor(to.target, request.version ?? 2),
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: request.body,
    maxBytes: request.maxBytes,
    tooLarge: request.tooLarge,
    local: to.target.local,
    signal: request.signal,
  });
  if (!response.ok) return response;
  if (response.value.status !== 200) return fail(statusProblem(response.value.status));
  if (response.value.contentType !== 'application/x-git-upload-pack-result') {
    return malformed('the answer is not from git-upload-pack');
  }
  return ok(response.value.body);
}

/** Headers every request to a target carries. */
export function headersFor(target: Target, version: 0 | 2 = 2): Record<string, string> {
  return {
    ...(version === 2 ? { 'git-protocol': 'version=2' } : {}),
    ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
  };
}

/** What an HTTP status other than 200 means for a repository. */
export function statusProblem(status: number): Problem {
  const cause = `status ${status}`;
  if (status === 401 || status === 403) return problem('git_unauthorized', undefined, { cause });
  if (status === 404 || status === 410) return problem('repository_not_found', undefined, { cause });
  if (status === 408 || status === 429 || status >= 500) return problem('git_unavailable', undefined, { cause });
  return problem('git_protocol', undefined, { cause });
}
