import type { Octokit } from '@octokit/core';
import type { CheckConclusion, CommitChecks } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi } from './api.ts';
import { githubProblem } from './problems.ts';
import { CheckRuns, CombinedStatus } from './schema.ts';

const PAGE_SIZE = 100;
/** Pages read of each list; a check past them counts as not reported. */
const MAX_PAGES = 5;
/** Check runs carry the texts of their reports. */
const MAX_BYTES = 8 * 1024 * 1024;
const GOOD = ['success', 'neutral', 'skipped'];

/**
 * Commit statuses and check runs through GitHub's REST API. A name may be both, and then both have to be good: whoever may write a status could
 * outvote a run otherwise. A token that may not read runs sees the statuses only, as long as they tell of every name.
 */
export function createGithubChecks(options: GithubApiOptions): CommitChecks & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options, MAX_BYTES);
  return {
    read: (repository, commit, names) =>
      call(repository, async ({ owner, repo, token }, request) => {
        const ask: Ask = { request, owner, repo, ref: commit, per_page: PAGE_SIZE };
        const statuses = await pages((page) => statusesOf(ask, page));
        const isMissing = names.some((name) => !statuses.some((status) => status.name === name));
        const runs = await pages((page) => runsOf(ask, page)).catch((error: unknown) => {
          const { code } = githubProblem(error, { now: options.clock.now(), token });
          if (code !== 'forge_unauthorized' || isMissing) throw error;
          return [];
        });
        const found = new Map<string, CheckConclusion>();
        for (const { name, conclusion } of [...statuses, ...runs])
          if (names.includes(name)) found.set(name, worse(found.get(name), conclusion));
        return found;
      }),
    stop,
  };
}

type Ask = {
  readonly request: Octokit['request'];
  readonly owner: string;
  readonly repo: string;
  readonly ref: string;
  readonly per_page: number;
};
type Named = { readonly name: string; readonly conclusion: CheckConclusion };

async function pages(read: (page: number) => Promise<readonly Named[]>): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const list = await read(page);
    all.push(...list);
    if (list.length < PAGE_SIZE) break;
  }
  return all;
}

async function statusesOf({ request, ...query }: Ask, page: number): Promise<readonly Named[]> {
  const { data } = await request('GET /repos/{owner}/{repo}/commits/{ref}/status', { ...query, page });
  return CombinedStatus.parse(data).statuses.map(({ context, state }) => ({
    name: context,
    conclusion: ofState(state),
  }));
}

async function runsOf({ request, ...query }: Ask, page: number): Promise<readonly Named[]> {
  const { data } = await request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', { ...query, page });
  return CheckRuns.parse(data).check_runs.map(({ name, status, conclusion }) => ({
    name,
    conclusion: status !== 'completed' ? 'pending' : GOOD.includes(conclusion ?? '') ? 'success' : 'failure',
  }));
}

function ofState(state: string): CheckConclusion {
  if (state === 'success') return 'success';
  return state === 'pending' ? 'pending' : 'failure';
}

/** Several runs may have one name: what failed counts most, then what is still going on. */
function worse(a: CheckConclusion | undefined, b: CheckConclusion): CheckConclusion {
  if (a === 'failure' || b === 'failure') return 'failure';
  return a === 'pending' || b === 'pending' ? 'pending' : 'success';
}
