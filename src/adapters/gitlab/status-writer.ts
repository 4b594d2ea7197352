import { type CommitSha, LIMITS, ok, type RefName } from '../../kernel/index.ts';
import type { CommitOutcome, CommitStatus, StatusPipeline, StatusWriter } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { AnswerError, type Gitlab } from './client.ts';
import { isPipelineMissing, isSameState } from './problems.ts';
import { PipelineList, StatusAnswer, StatusList } from './schema.ts';

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

/**
 * Commit statuses through GitLab's API. A write is sent exactly once: after `forge_unavailable` it is unknown whether it arrived, and
 * `latest` tells. A refusal because the status has that state already is a success (its description then stays the old one).
 * The first status of a commit and context goes to a pipeline the commit has, for without one GitLab opens another beside it (field lessons
 * 3.3, 4.4); the caller hands that pipeline back with the later ones, so nothing is read for them and what was opened is ended.
 */
export function createGitlabStatusWriter(options: GitlabApiOptions): StatusWriter & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options);
  return {
    async write(repository, status) {
      const state = STATES[status.outcome];
      const written = await call(repository, async (gitlab, project) => {
        const known = status.pipeline ?? (await pipelineOf(gitlab, project, status));
        const send = (pipeline: StatusPipeline | undefined): Promise<unknown> =>
          gitlab.commits.editStatus(project, status.commit, state, detailsOf(status, pipeline));
        try {
          return placeOf(await send(known)) ?? known;
        } catch (error) {
          if (isSameState(error, state)) return known;
          if (known === undefined || !isPipelineMissing(error)) throw error;
          return placeOf(await send(undefined));
        }
      });
      if (!written.ok) return written;
      return ok(written.value === undefined ? {} : { pipeline: written.value });
    },

    async latest(repository, commit, context) {
      const found = await call(repository, async ({ commits }, project) => {
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

    stop,
  };
}

/** The newest pipeline of the ref, else the newest of the commit: that of a merge request runs the branch's commit under its own ref. */
async function pipelineOf(
  gitlab: Gitlab,
  project: string,
  { commit, ref }: { readonly commit: CommitSha; readonly ref: RefName },
): Promise<StatusPipeline | undefined> {
  const query = { sha: commit, orderBy: 'id', sort: 'desc', perPage: 20 };
  try {
    const endpoint = `projects/${encodeURIComponent(project)}/pipelines`;
    const pipelines = PipelineList.parse(await gitlab.send('GET', endpoint, { searchParams: query }));
    const short = shortRef(ref);
    return pipelines.find((pipeline) => pipeline.ref === short) ?? pipelines[0];
  } catch (error) {
    // The token, or the project, may have no pipelines at all; statuses are kept all the same.
    if (error instanceof AnswerError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

function placeOf(answer: unknown): StatusPipeline | undefined {
  const read = StatusAnswer.safeParse(answer);
  return read.success ? { id: read.data.pipeline_id, ref: read.data.ref } : undefined;
}

type Details = { name: string; description: string; ref?: string; targetUrl?: string; pipelineId?: number };

function detailsOf(status: CommitStatus, pipeline: StatusPipeline | undefined): Details {
  const ref = pipeline?.ref ?? shortRef(status.ref);
  const fits = status.targetUrl !== undefined && status.targetUrl.length <= TARGET_URL_LENGTH;
  return {
    name: status.context,
    description: [...status.description].slice(0, LIMITS.statusDescription).join(''),
    ...(ref === undefined ? {} : { ref }),
    ...(fits ? { targetUrl: status.targetUrl } : {}),
    ...(pipeline === undefined ? {} : { pipelineId: pipeline.id }),
  };
}

/**
 * The branch or tag name, which puts the status on the branch's own pipeline instead of an extra one (field lessons 4, item 4). A fork's
 * head is on no branch here, and without any ref GitLab answers 404 for it: then the merge request's own ref, as its pipelines have it.
 */
function shortRef(ref: RefName): string | undefined {
  if (ref.startsWith('refs/merge-requests/')) return ref;
  return /^refs\/(?:heads|tags)\/(.+)$/.exec(ref)?.[1];
}

function outcomesOf(state: string): readonly CommitOutcome[] {
  // Nobody but us writes this context; a state in between means that a pending one was started.
  const settled = state === 'running' || state === 'created' ? 'pending' : state;
  return Object.entries(STATES)
    .filter(([, mapped]) => mapped === settled)
    .map(([outcome]) => outcome as CommitOutcome);
}
