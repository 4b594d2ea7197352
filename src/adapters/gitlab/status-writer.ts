import { fail, LIMITS, ok, problem, type RefName, type Result } from '../../kernel/index.ts';
import type { Clock, CommitOutcome, CommitStatus, ForgeRepository, OpenHttp, StatusWriter } from '../../ports/index.ts';
import { createCommits } from './client.ts';
import { gitlabProblem, isSameState } from './problems.ts';
import { StatusList } from './schema.ts';

const DEFAULT_API_URL = 'https://gitlab.com/api/v4';
/** Facts 4.1: one call takes at most 15 s. */
const DEADLINE_MS = 15_000;
/** GitLab refuses a longer target URL. */
const TARGET_URL_LENGTH = 255;
/** One page, newest first. Versions that do not know `sort` list the oldest first; the newest id of the page is taken either way. */
const PAGE = { all: true, page: 1, perPage: 100, orderBy: 'id', sort: 'desc' } as const;

type State = 'pending' | 'success' | 'failed' | 'canceled';

/** DESIGN 5: superseded and cancelled are canceled, a lost worker is failed. */
const STATES: Readonly<Record<CommitOutcome, State>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  superseded: 'canceled',
  cancelled: 'canceled',
  lost: 'failed',
};

export type GitlabStatusWriterOptions = {
  readonly openHttp: OpenHttp;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For repositories without an own one; self-managed is `https://HOST/api/v4`. */
  readonly apiUrl?: string;
  /** PEM bundle trusted besides the usual roots. */
  readonly ca?: string;
  readonly proxy?: string;
  /** Milliseconds a call may take; 15 s. */
  readonly timeoutMs?: number;
};

/**
 * Commit statuses through GitLab's API. A write is sent exactly once: after `forge_unavailable` it is unknown whether it arrived, and
 * `latest` tells. A refusal because the status has that state already is a success (its description then stays the old one).
 */
export function createGitlabStatusWriter(options: GitlabStatusWriterOptions): StatusWriter & { stop(): Promise<void> } {
  const { userAgent } = options;
  const timeoutMs = options.timeoutMs ?? DEADLINE_MS;
  const http = options.openHttp({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });

  async function call<T>(
    repository: ForgeRepository,
    run: (commits: ReturnType<typeof createCommits>, project: string) => Promise<T>,
  ): Promise<Result<T>> {
    const { token } = repository;
    if (token === undefined || token === '') return fail(problem('forge_unauthorized'));
    // Gitbeaker adds `/api/v4` itself.
    const host = (repository.apiUrl ?? options.apiUrl ?? DEFAULT_API_URL).replace(/\/+$/, '').replace(/\/api\/v4$/, '');
    // The id survives renames; the path is for repositories known by path only.
    const project = /^\d+$/.test(repository.repositoryId) ? repository.repositoryId : repository.project;
    try {
      return ok(await run(createCommits(http, { host, token, userAgent, timeoutMs }), project));
    } catch (error) {
      return fail(gitlabProblem(error, { now: options.clock.now(), token }));
    }
  }

  return {
    async write(repository, status) {
      const state = STATES[status.outcome];
      const written = await call(repository, async (commits, project) => {
        try {
          await commits.editStatus(project, status.commit, state, detailsOf(status));
        } catch (error) {
          if (!isSameState(error, state)) throw error;
        }
      });
      return written.ok ? ok(undefined) : written;
    },

    async latest(repository, commit, context) {
      const found = await call(repository, async (commits, project) => {
        const query = { ...PAGE, name: context };
        const list = StatusList.parse(await commits.allStatuses(project, commit, query));
        const ours = list.filter((status) => status.name === context);
        return ours.reduce<(typeof ours)[number] | undefined>(
          (newest, status) => (newest === undefined || status.id > newest.id ? status : newest),
          undefined,
        );
      });
      if (!found.ok || found.value === undefined) return found.ok ? ok(undefined) : found;
      const { status, description } = found.value;
      return ok({ outcomes: outcomesOf(status), description: description ?? '' });
    },

    stop: () => http.close(),
  };
}

function detailsOf(status: CommitStatus): { name: string; description: string; ref?: string; targetUrl?: string } {
  const ref = shortRef(status.ref);
  const fits = status.targetUrl !== undefined && status.targetUrl.length <= TARGET_URL_LENGTH;
  return {
    name: status.context,
    description: [...status.description].slice(0, LIMITS.statusDescription).join(''),
    ...(ref === undefined ? {} : { ref }),
    ...(fits ? { targetUrl: status.targetUrl } : {}),
  };
}

/**
 * The branch or tag name, which puts the status on the branch's own pipeline instead of an extra one (field lessons 4, item 4). For
 * merge requests there is none: GitLab then takes the pipeline it has for the commit.
 */
function shortRef(ref: RefName): string | undefined {
  return /^refs\/(?:heads|tags)\/(.+)$/.exec(ref)?.[1];
}

function outcomesOf(state: string): readonly CommitOutcome[] {
  // Nobody but us writes this context; a state in between means that a pending one was started.
  const settled = state === 'running' || state === 'created' ? 'pending' : state;
  return Object.entries(STATES)
    .filter(([, mapped]) => mapped === settled)
    .map(([outcome]) => outcome as CommitOutcome);
}
