import type { Octokit } from '@octokit/core';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { Clock, ForgeRepository, OpenHttp } from '../../ports/index.ts';
import { createOctokit, type Exchange, fetchThrough } from './client.ts';
import { githubProblem, spentMs } from './problems.ts';

const DEFAULT_API_URL = 'https://api.github.com';
/** Facts 4.1. */
const API_VERSION = '2022-11-28';
/** Facts 4.1: one call takes at most 15 s. */
const DEADLINE_MS = 15_000;

/** A project as GitHub addresses it (facts 4.2). */
const PROJECT = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,99})\/([A-Za-z0-9_.-]{1,100})$/;

export type GithubApiOptions = {
  readonly openHttp: OpenHttp;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For repositories without an own one; GitHub Enterprise is `https://HOST/api/v3`. */
  readonly apiUrl?: string;
  /** PEM bundle trusted besides the usual roots. */
  readonly ca?: string;
  readonly proxy?: string;
  /** Milliseconds a call may take; 15 s. */
  readonly timeoutMs?: number;
  /** Told when an answer says that nothing is left of the repository's limit for so many milliseconds, also one of a success. */
  readonly onSpent?: (repository: ForgeRepository, afterMs: number) => void;
};

/** Where a call goes, and as whom. */
export type Target = {
  readonly owner: string;
  readonly repo: string;
  readonly baseUrl: string;
  readonly token: string;
};

export type GithubApi = {
  /** Runs requests for one repository under one deadline; what they throw becomes a problem of ours. */
  call<T>(
    repository: ForgeRepository,
    run: (target: Target, request: Octokit['request']) => Promise<T>,
  ): Promise<Result<T>>;
  stop(): Promise<void>;
};

/** GitHub's REST API as the token of the repository. `maxBytes` of an answer are read; 512 KiB when not given. */
export function openGithubApi(options: GithubApiOptions, maxBytes?: number): GithubApi {
  const timeoutMs = options.timeoutMs ?? DEADLINE_MS;
  const http = options.openHttp({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });
  const limits = { timeoutMs, ...(maxBytes === undefined ? {} : { maxBytes }) };
  const octokit = createOctokit(http, { userAgent: options.userAgent, ...limits });
  const exchange = fetchThrough(http, limits);
  const watched =
    (repository: ForgeRepository): Exchange =>
    async (url, init) => {
      const answer = await exchange(url, init);
      const afterMs = spentMs(Object.fromEntries(answer.headers), options.clock.now());
      if (afterMs !== undefined) options.onSpent?.(repository, afterMs);
      return answer;
    };
  return {
    async call(repository, run) {
      const target = targetOf(repository, options.apiUrl ?? DEFAULT_API_URL);
      if (!target.ok) return target;
      const { baseUrl, token } = target.value;
      const request = octokit.request.defaults({
        baseUrl,
        headers: { authorization: `Bearer ${token}`, 'x-github-api-version': API_VERSION },
        request: { signal: AbortSignal.timeout(timeoutMs), fetch: watched(repository) },
      });
      try {
        return ok(await run(target.value, request));
      } catch (error) {
        return fail(githubProblem(error, { now: options.clock.now(), token }));
      }
    },
    stop: () => http.close(),
  };
}

function targetOf(repository: ForgeRepository, standardUrl: string): Result<Target> {
  const [, owner, repo] = PROJECT.exec(repository.project) ?? [];
  if (owner === undefined || repo === undefined || repo === '.' || repo === '..')
    return fail(problem('forge_not_found'));
  if (repository.token === undefined || repository.token === '') return fail(problem('forge_unauthorized'));
  const baseUrl = (repository.apiUrl ?? standardUrl).replace(/\/+$/, '');
  return ok({ owner, repo, baseUrl, token: repository.token });
}
