import { ok } from '../../kernel/index.ts';
import type { CommitOutcome, DeploymentWriter, ForgeDeployment } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import type { Gitlab } from './client.ts';
import { isOtherState, isSameState } from './problems.ts';
import { DeploymentAnswer, DeploymentList, EnvironmentList } from './schema.ts';

type State = 'running' | 'success' | 'failed' | 'canceled';

const STATES: Readonly<Record<CommitOutcome, State>> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  superseded: 'canceled',
  cancelled: 'canceled',
  lost: 'failed',
};
/** GitLab refuses a longer external URL. */
const URL_LENGTH = 255;
/** Deployments of the environment that are looked at; ours of this commit is among the newest. */
const LOOKED_AT = 50;

type Place = { readonly gitlab: Gitlab; readonly base: string; readonly deployment: ForgeDeployment };

/** Deployments, and the URL of their environments, through GitLab's API. A deployment makes its environment. */
export function createGitlabDeploymentWriter(options: GitlabApiOptions): DeploymentWriter & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options);
  return {
    async write(repository, deployment) {
      const done = await call(repository, async (gitlab, project) => {
        const place = { gitlab, base: `projects/${encodeURIComponent(project)}`, deployment };
        const known = idOf(deployment.known) ?? (await find(place));
        const id = known === undefined ? await create(place) : await change(place, known);
        if (deployment.outcome === 'success' && deployment.url !== undefined) await showUrl(place, deployment.url);
        return id;
      });
      return done.ok ? ok(done.value.toString()) : done;
    },
    stop,
  };
}

async function find({ gitlab, base, deployment }: Place): Promise<number | undefined> {
  const query = { environment: deployment.environment, orderBy: 'id', sort: 'desc', perPage: LOOKED_AT };
  const list = DeploymentList.parse(await gitlab.send('GET', `${base}/deployments`, { searchParams: query }));
  return list.find(({ sha }) => sha === deployment.commit)?.id;
}

async function create({ gitlab, base, deployment }: Place): Promise<number> {
  const { commit, ref, environment, outcome } = deployment;
  const body = {
    environment,
    sha: commit,
    ref: ref.replace(/^refs\/(?:heads|tags)\//, ''),
    tag: ref.startsWith('refs/tags/'),
    status: STATES[outcome],
  };
  return DeploymentAnswer.parse(await gitlab.send('POST', `${base}/deployments`, { body })).id;
}

/** One that ended can not go on, so a release that is resumed is a deployment of its own. */
async function change(place: Place, id: number): Promise<number> {
  const state = STATES[place.deployment.outcome];
  try {
    await place.gitlab.send('PUT', `${place.base}/deployments/${id}`, { body: { status: state } });
    return id;
  } catch (error) {
    if (isSameState(error, state)) return id;
    if (!isOtherState(error)) throw error;
    return create(place);
  }
}

async function showUrl({ gitlab, base, deployment }: Place, url: string): Promise<void> {
  if (url.length > URL_LENGTH) return;
  const query = { name: deployment.environment };
  const list = EnvironmentList.parse(await gitlab.send('GET', `${base}/environments`, { searchParams: query }));
  const environment = list.find(({ name }) => name === deployment.environment);
  if (environment === undefined || environment.external_url === url) return;
  await gitlab.send('PUT', `${base}/environments/${environment.id}`, { body: { externalUrl: url } });
}

function idOf(known: string | undefined): number | undefined {
  return known !== undefined && /^\d{1,15}$/.test(known) ? Number(known) : undefined;
}
