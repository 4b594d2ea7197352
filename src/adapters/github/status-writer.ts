import { fail, LIMITS, ok, problem } from '../../kernel/index.ts';
import type { CommitOutcome, CommitStatus, StatusWriter } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi } from './api.ts';
import { StatusList } from './schema.ts';

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

/**
 * Commit statuses through GitHub's REST API. A write is sent exactly once: after `forge_unavailable` it is unknown whether it
 * arrived, and `latest` tells.
 */
export function createGithubStatusWriter(options: GithubApiOptions): StatusWriter & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options);
  return {
    async write(repository, status) {
      const answer = await call(repository, ({ owner, repo }, request) =>
        request('POST /repos/{owner}/{repo}/statuses/{sha}', { owner, repo, sha: status.commit, ...bodyOf(status) }),
      );
      if (!answer.ok) return answer;
      // Anything else was not answered by GitHub, so nothing says that the status exists.
      return answer.value.status === 201 ? ok({}) : fail(problem('forge_unavailable'));
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

    stop,
  };
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
