import type { Octokit } from '@octokit/core';
import { LIMITS, ok } from '../../kernel/index.ts';
import type { CommitOutcome, DeploymentWriter, ForgeDeployment } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi, type Target } from './api.ts';
import { DeploymentAnswer, DeploymentList } from './schema.ts';

/** Tells ours from what others deploy to an environment of the same name. */
const TASK = 'deploy:hakopod';

type State = 'in_progress' | 'success' | 'failure' | 'inactive' | 'error';

/** What a newer commit, or a person, put aside was never there. */
const STATES: Readonly<Record<CommitOutcome, State>> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  superseded: 'inactive',
  cancelled: 'inactive',
  lost: 'error',
};

/** Deployments and their statuses through GitHub's REST API (deployments). GitHub itself ends the one before on success. */
export function createGithubDeploymentWriter(options: GithubApiOptions): DeploymentWriter & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options);
  return {
    async write(repository, deployment) {
      const done = await call(repository, async (target, request) => {
        const id =
          idOf(deployment.known) ??
          (await find(target, request, deployment)) ??
          (await create(target, request, deployment));
        const { outcome, description, url, logUrl } = deployment;
        await request('POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses', {
          owner: target.owner,
          repo: target.repo,
          deployment_id: id,
          state: STATES[outcome],
          description: cut(description),
          ...(url === undefined || outcome !== 'success' ? {} : { environment_url: url }),
          ...(logUrl === undefined ? {} : { log_url: logUrl }),
        });
        return id;
      });
      return done.ok ? ok(done.value.toString()) : done;
    },
    stop,
  };
}

async function find(
  { owner, repo }: Target,
  request: Octokit['request'],
  { commit, environment }: ForgeDeployment,
): Promise<number | undefined> {
  const query = { owner, repo, sha: commit, environment, task: TASK, per_page: 1 };
  const { data } = await request('GET /repos/{owner}/{repo}/deployments', query);
  return DeploymentList.parse(data)[0]?.id;
}

/** No checks are asked for and nothing is merged: that a commit may be deployed was decided before. */
async function create(
  { owner, repo }: Target,
  request: Octokit['request'],
  { commit, environment, description }: ForgeDeployment,
): Promise<number> {
  const { data } = await request('POST /repos/{owner}/{repo}/deployments', {
    owner,
    repo,
    ref: commit,
    task: TASK,
    auto_merge: false,
    required_contexts: [],
    environment,
    description: cut(description),
  });
  return DeploymentAnswer.parse(data).id;
}

function idOf(known: string | undefined): number | undefined {
  return known !== undefined && /^\d{1,15}$/.test(known) ? Number(known) : undefined;
}

function cut(description: string): string {
  return [...description].slice(0, LIMITS.statusDescription).join('');
}
