import type { CheckConclusion, CommitChecks } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { CommitStatusList } from './schema.ts';

const PAGE_SIZE = 100;
/** Pages read; a status past them counts as not reported. */
const MAX_PAGES = 5;
const MAX_BYTES = 8 * 1024 * 1024;
const GOOD = ['success', 'skipped'];
const BAD = ['failed', 'canceled', 'canceling'];

/** What GitLab calls commit statuses: the newest job of each name, and what other programs report (commits API, list the statuses). */
export function createGitlabChecks(options: GitlabApiOptions): CommitChecks & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options, MAX_BYTES);
  return {
    read: (repository, commit, names) =>
      call(repository, async ({ commits }, project) => {
        const found = new Map<string, CheckConclusion>();
        for (let page = 1; page <= MAX_PAGES; page += 1) {
          const query = { all: false, page, perPage: PAGE_SIZE };
          const list = CommitStatusList.parse(await commits.allStatuses(project, commit, query));
          for (const { name, status } of list)
            if (names.includes(name)) found.set(name, worse(found.get(name), conclusionOf(status)));
          if (list.length < PAGE_SIZE) break;
        }
        return found;
      }),
    stop,
  };
}

/** That a pipeline may go on without a job (`allow_failure`) says nothing to who requires it by name. */
function conclusionOf(status: string): CheckConclusion {
  if (GOOD.includes(status)) return 'success';
  return BAD.includes(status) ? 'failure' : 'pending';
}

/** A name may be there once per pipeline: what failed counts most, then what is still going on. */
function worse(a: CheckConclusion | undefined, b: CheckConclusion): CheckConclusion {
  if (a === 'failure' || b === 'failure') return 'failure';
  return a === 'pending' || b === 'pending' ? 'pending' : 'success';
}
