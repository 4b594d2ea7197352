import { type ApiAnswer, type ApiRequest, isCommit, pageOf } from './forge-ledger.ts';

/** A deployment as a forge keeps it, in the forge's own words. */
export type RecordedDeployment = {
  readonly id: number;
  readonly forge: 'github' | 'gitlab';
  readonly project: string;
  readonly commit: string;
  readonly environment: string;
  readonly task: string;
  readonly state: string;
  /** Of the environment. */
  readonly url: string | undefined;
};

const GITHUB_STATES = ['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success'];
const GITLAB_STATES = ['created', 'running', 'success', 'failed', 'canceled'];
const GITLAB_ENDS = ['success', 'failed', 'canceled'];

/** The deployments of both forges, oldest first, and GitLab's environments. */
export class DeploymentBook {
  readonly #all: RecordedDeployment[] = [];

  all(): readonly RecordedDeployment[] {
    return [...this.#all];
  }

  /** GitHub's: list and create deployments, create a status of one. `undefined` for any other call. */
  answerGithub({ method, segments, query, body = {} }: ApiRequest): ApiAnswer | undefined {
    const [repos, owner, repo, kind, id, statuses] = segments;
    if (repos !== 'repos' || kind !== 'deployments') return undefined;
    const project = `${owner}/${repo}`;
    const mine = this.#all.filter((one) => one.forge === 'github' && one.project === project);
    if (method === 'GET' && id === undefined) {
      const wanted = { commit: query.get('sha'), environment: query.get('environment'), task: query.get('task') };
      const found = mine.filter((one) =>
        (['commit', 'environment', 'task'] as const).every((key) => wanted[key] === null || wanted[key] === one[key]),
      );
      return { status: 200, json: pageOf(found.toReversed().map(present), query, 30) };
    }
    if (method === 'POST' && id === undefined) {
      const { ref, environment = 'production', task = 'deploy' } = body;
      if (typeof ref !== 'string' || !isCommit(ref))
        return { status: 422, json: { message: `No ref found for: ${ref}` } };
      const place = { forge: 'github', project, commit: ref } as const;
      const words = { environment: String(environment), task: String(task), state: 'created' };
      return { status: 201, json: present(this.#add({ ...place, ...words })) };
    }
    const one = mine.find((known) => String(known.id) === id);
    if (method !== 'POST' || statuses !== 'statuses' || one === undefined) return undefined;
    if (!GITHUB_STATES.includes(String(body.state))) return { status: 422, json: { message: 'Validation Failed' } };
    this.#change(one, String(body.state), textOf(body.environment_url));
    return { status: 201, json: { id: one.id, state: body.state } };
  }

  /** GitLab's: list, create and update deployments; list and update environments. `undefined` for any other call. */
  answerGitlab({ method, segments, query, body = {} }: ApiRequest): ApiAnswer | undefined {
    const [projects, project = '', kind, id] = segments;
    if (projects !== 'projects') return undefined;
    const mine = this.#all.filter((one) => one.forge === 'gitlab' && one.project === project);
    if (kind === 'environments') return this.#environments(mine, { method, name: query.get('name'), id, body });
    if (kind !== 'deployments') return undefined;
    if (method === 'GET' && id === undefined) {
      const found = mine.filter((one) => one.environment === query.get('environment')).toReversed();
      return { status: 200, json: pageOf(found.map(present), query, 20) };
    }
    const state = String(body.status);
    if (!GITLAB_STATES.includes(state)) return { status: 400, json: { error: 'status does not have a valid value' } };
    if (method === 'POST' && id === undefined) {
      const { sha, ref, tag, environment } = body;
      const isWhole = typeof sha === 'string' && isCommit(sha) && typeof ref === 'string' && typeof tag === 'boolean';
      if (!isWhole || typeof environment !== 'string') return { status: 400, json: { error: 'a field is missing' } };
      const made = this.#add({ forge: 'gitlab', project, commit: sha, environment, task: '', state });
      return { status: 201, json: present(made) };
    }
    const one = mine.find((known) => String(known.id) === id);
    if (method !== 'PUT' || one === undefined) return { status: 404, json: { message: '404 Not found' } };
    if (one.state === state || GITLAB_ENDS.includes(one.state)) {
      return { status: 400, json: { message: `Cannot transition status via :${state} from :${one.state}` } };
    }
    return { status: 200, json: present(this.#change(one, state, one.url)) };
  }

  #environments(
    mine: readonly RecordedDeployment[],
    call: { method: string; name: string | null; id: string | undefined; body: Readonly<Record<string, unknown>> },
  ): ApiAnswer | undefined {
    const names = [...new Set(mine.map(({ environment }) => environment))];
    const entry = (name: string): object => ({
      id: names.indexOf(name) + 1,
      name,
      external_url: mine.findLast((one) => one.environment === name)?.url ?? null,
    });
    if (call.method === 'GET') return { status: 200, json: names.filter((name) => name === call.name).map(entry) };
    const name = names[Number(call.id) - 1];
    if (call.method !== 'PUT' || name === undefined) return { status: 404, json: { message: '404 Not found' } };
    for (const one of mine.filter(({ environment }) => environment === name))
      this.#change(one, one.state, textOf(call.body.external_url));
    return { status: 200, json: entry(name) };
  }

  #add(deployment: Omit<RecordedDeployment, 'id' | 'url'>): RecordedDeployment {
    const added = { ...deployment, url: undefined, id: this.#all.length + 1 };
    this.#all.push(added);
    return added;
  }

  #change(one: RecordedDeployment, state: string, url: string | undefined): RecordedDeployment {
    const changed = { ...one, state, url: url ?? one.url };
    this.#all[one.id - 1] = changed;
    return changed;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function present({ id, commit, environment, task, state }: RecordedDeployment): object {
  return { id, sha: commit, environment, task, status: state };
}
