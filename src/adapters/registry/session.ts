import { z } from 'zod';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { HttpClient, HttpFailure, HttpResponse, NamedCredentials } from '../../ports/index.ts';
import { type Challenge, isTrustedRealm, parseChallenge } from './challenge.ts';

/** Facts 3.8: bytes of a manifest, and redirects that are followed. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const MAX_TOKEN_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const REDIRECTS = [301, 302, 303, 307, 308];

/** A way to prove oneself: saved credentials, or none. */
export type Proof = Pick<NamedCredentials, 'name' | 'username' | 'password'> | undefined;

/** One resolution: where it started, what it may reach and how it has proven itself. */
export type SessionOptions = {
  /** Host of the registry's API, with a port when not the scheme's own. */
  readonly host: string;
  readonly repository: string;
  /** Tried one after another until one opens the repository. */
  readonly proofs: readonly Proof[];
  /** The client for a URL, or `undefined` when the URL may not be asked at all. */
  readonly clientFor: (url: URL) => HttpClient | undefined;
  readonly signal: AbortSignal;
  readonly userAgent: string;
};

type Authorization = { readonly host: string; readonly value: string };
type Answer = { readonly url: URL; readonly response: HttpResponse };

const Token = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** Answers after which other credentials may open what these did not; registries also hide what is private as absent. */
const CLOSED: readonly number[] = [401, 403, 404];

/** Reads documents of one repository, proving itself as the registry asks: with one proof after another, in the order given. */
export class RegistrySession {
  readonly #options: SessionOptions;
  #authorization: Authorization | undefined;
  #opened: Proof;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** What opened the repository last; `undefined` when nothing was needed. */
  get opened(): Proof {
    return this.#opened;
  }

  /** The answer with status 200, or why there is none. A registry or token server that is away or busy ends it: other credentials mend nothing. */
  async get(url: URL, accept: string): Promise<Result<HttpResponse>> {
    let answer = await this.#follow(url, accept);
    const first = answer;
    if (first.ok && isRefusal(first.value.response)) {
      for (const proof of this.#options.proofs) {
        answer = await this.#proveAndRepeat(first.value, proof, accept);
        if (answer.ok && CLOSED.includes(answer.value.response.status)) continue;
        this.#opened = proof;
        break;
      }
    }
    if (!answer.ok) return answer;
    const { response } = answer.value;
    return response.status === 200 ? ok(response) : fail(statusProblem(response.status));
  }

  /** The refusal itself again when nothing better can be had with this proof. */
  async #proveAndRepeat(refusal: Answer, proof: Proof, accept: string): Promise<Result<Answer>> {
    const challenge = parseChallenge(refusal.response.headers['www-authenticate'] ?? '');
    // A server that we were redirected to is asked without credentials: they belong to the registry.
    const usable = refusal.url.host === this.#options.host ? proof : undefined;
    if (challenge === undefined || (challenge.scheme === 'basic' && usable === undefined)) return ok(refusal);
    const authorization = await this.#prove(challenge, refusal.url.hostname, usable);
    if (!authorization.ok) return authorization.problem.code === 'registry_unauthorized' ? ok(refusal) : authorization;
    this.#authorization = { host: refusal.url.host, value: authorization.value };
    return this.#follow(refusal.url, accept);
  }

  async #follow(start: URL, accept: string): Promise<Result<Answer>> {
    let url = start;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const authorization = this.#authorization?.host === url.host ? { authorization: this.#authorization.value } : {};
      const answer = await this.#send(url, { accept, ...authorization }, MAX_BYTES);
      if (!answer.ok) return answer;
      if (!REDIRECTS.includes(answer.value.status)) return ok({ url, response: answer.value });
      const { location } = answer.value.headers;
      const next = location === undefined ? null : URL.parse(location, url.href);
      if (next === null) break;
      url = next;
    }
    return fail(problem('registry_unavailable', 'the registry redirects without end'));
  }

  async #prove(challenge: Challenge, asker: string, proof: Proof): Promise<Result<string>> {
    const basic = proof && `Basic ${Buffer.from(`${proof.username}:${proof.password}`).toString('base64')}`;
    if (challenge.scheme === 'basic') return basic === undefined ? fail(problem('registry_unauthorized')) : ok(basic);
    const realm = URL.parse(challenge.realm);
    if (realm === null || !isTrustedRealm(asker, realm.hostname)) return fail(problem('registry_unauthorized'));
    if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service);
    realm.searchParams.set('scope', `repository:${this.#options.repository}:pull`);
    const answer = await this.#send(realm, basic === undefined ? {} : { authorization: basic }, MAX_TOKEN_BYTES);
    if (!answer.ok) return answer;
    if (answer.value.status !== 200) return fail(statusProblem(answer.value.status));
    const token = readToken(answer.value.body);
    return token === undefined ? fail(problem('registry_unauthorized')) : ok(`Bearer ${token}`);
  }

  async #send(url: URL, headers: Readonly<Record<string, string>>, maxBytes: number): Promise<Result<HttpResponse>> {
    const client = this.#options.clientFor(url);
    if (client === undefined) {
      return fail(problem('registry_forbidden', 'the registry leads to an address that may not be asked'));
    }
    const outcome = await client.send({
      method: 'GET',
      url: url.href,
      headers: { 'user-agent': this.#options.userAgent, ...headers },
      maxBytes,
      timeoutMs: REQUEST_TIMEOUT_MS,
      signal: this.#options.signal,
    });
    return outcome.ok ? ok(outcome.response) : fail(failureProblem(outcome.failure));
  }
}

function isRefusal({ status }: HttpResponse): boolean {
  return status === 401 || status === 403;
}

function readToken(body: Buffer): string | undefined {
  try {
    const { token, access_token: accessToken } = Token.parse(JSON.parse(body.toString('utf8')));
    const value = token ?? accessToken;
    // What goes into a header must be one word.
    return value !== undefined && /^[\x21-\x7e]+$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function failureProblem(failure: HttpFailure): Problem {
  if (failure.reason === 'address_refused') return problem('registry_forbidden');
  if (failure.reason === 'too_large') return problem('invalid_image', 'the image manifest is larger than 2 MiB');
  return problem('registry_unavailable', undefined, { cause: failure });
}

function statusProblem(status: number): Problem {
  const cause = { status };
  if (status === 401 || status === 403) {
    // Registries answer the same for a repository that is not there.
    return problem('registry_unauthorized', 'the registry does not have the image or does not open it to us', {
      cause,
    });
  }
  if (status === 404) return problem('image_not_found', undefined, { cause });
  if (status === 400 || status === 405 || status === 406) return problem('invalid_image', undefined, { cause });
  return problem('registry_unavailable', undefined, { cause });
}
