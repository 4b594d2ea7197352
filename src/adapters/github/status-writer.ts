import { fail, LIMITS, ok, problem, type Result } from '../../kernel/index.ts';
import type { Clock, CommitOutcome, CommitStatus, ForgeRepository, OpenHttp, StatusWriter } from '../../ports/index.ts';
import { createOctokit } from './client.ts';
import { githubProblem } from './problems.ts';
import { StatusList } from './schema.ts';

const DEFAULT_API_URL = 'https://api.github.com';
/** Facts 4.1. */
const API_VERSION = '2022-11-28';
/** Facts 4.1: one call takes at most 15 s. */
const DEADLINE_MS = 15_000;
const PAGE_SIZE = 100;
/** Pages read to find a context; past them the caller treats the status as not there, which costs at most one more. */
const MAX_PAGES = 3;

type State = 'pending' | 'success' | 'failure' | 'error';

/** DESIGN 5: what is nobody's fault but did not deploy is an error. */
const STATES: Readonly<Record<CommitOutcome, State>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failure',
  superseded: 'error',
  cancelled: 'error',
  lost: 'error',
};

/** A project as GitHub addresses it (facts 4.2). */
const PROJECT = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,99})\/([A-Za-z0-9_.-]{1,100})$/;

export type GithubStatusWriterOptions = {
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
};

/**
 * Commit statuses through GitHub's REST API. A write is sent exactly once: after `forge_unavailable` it is unknown whether it
 * arrived, and `latest` tells.
 */
export function createGithubStatusWriter(options: GithubStatusWriterOptions): StatusWriter & { stop(): Promise<void> } {
  const timeoutMs = options.timeoutMs ?? DEADLINE_MS;
  const http = options.openHttp({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });
  const octokit = createOctokit(http, { userAgent: options.userAgent, timeoutMs });

  async function call<T>(
    repository: ForgeRepository,
    run: (target: Target, request: typeof octokit.request) => Promise<T>,
  ): Promise<Result<T>> {
    const target = targetOf(repository, options.apiUrl ?? DEFAULT_API_URL);
    if (!target.ok) return target;
    const { owner, repo, baseUrl, token } = target.value;
    const request = octokit.request.defaults({
      baseUrl,
      headers: { authorization: `Bearer ${token}`, 'x-github-api-version': API_VERSION },
      request: { signal: AbortSignal.timeout(timeoutMs) },
    });
    try {
      return ok(await run({ owner, repo, baseUrl, token }, request));
    } catch (error) {
      return fail(githubProblem(error, { now: options.clock.now(), token }));
    }
  }

  return {
    async write(repository, status) {
      const answer = await call(repository, ({ owner, repo }, request) =>
        request('POST /repos/{owner}/{repo}/statuses/{sha}', { owner, repo, sha: status.commit, ...bodyOf(status) }),
      );
      if (!answer.ok) return answer;
      // Anything else was not answered by GitHub, so nothing says that the status exists.
      return answer.value.status === 201 ? ok(undefined) : fail(problem('forge_unavailable'));
    },

    async latest(repository, commit, context) {
      const found = await call(repository, async ({ owner, repo }, request) => {
        for (let page = 1; page <= MAX_PAGES; page += 1) {
          const query = { owner, repo, ref: commit, per_page: PAGE_SIZE, page };
          const { data } = await request('GET /repos/{owner}/{repo}/commits/{ref}/statuses', query);
          const list = StatusList.parse(data);
          const newest = list.find((status) => status.context === context);
          if (newest !== undefined || list.length < PAGE_SIZE) return newest;
        }
        return undefined;
      });
      if (!found.ok || found.value === undefined) return found.ok ? ok(undefined) : found;
      const { state, description } = found.value;
      return ok({ outcomes: outcomesOf(state), description: description ?? '' });
    },

    stop: () => http.close(),
  };
}

type Target = { readonly owner: string; readonly repo: string; readonly baseUrl: string; readonly token: string };

function targetOf(repository: ForgeRepository, standardUrl: string): Result<Target> {
  const [, owner, repo] = PROJECT.exec(repository.project) ?? [];
  if (owner === undefined || repo === undefined || repo === '.' || repo === '..')
    return fail(problem('forge_not_found'));
  if (repository.token === undefined || repository.token === '') return fail(problem('forge_unauthorized'));
  const baseUrl = (repository.apiUrl ?? standardUrl).replace(/\/+$/, '');
  return ok({ owner, repo, baseUrl, token: repository.token });
}

function bodyOf(status: CommitStatus): { state: State; context: string; description: string; target_url?: string } {
  const body = {
    state: STATES[status.outcome],
    context: status.context,
    description: [...status.description].slice(0, LIMITS.statusDescription).join(''),
  };
  return status.targetUrl === undefined ? body : { ...body, target_url: status.targetUrl };
}

function outcomesOf(state: string): readonly CommitOutcome[] {
  return Object.entries(STATES)
    .filter(([, mapped]) => mapped === state)
    .map(([outcome]) => outcome as CommitOutcome);
}
