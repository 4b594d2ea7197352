import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CheckBook } from './forge-checks.ts';
import { DeploymentBook, type RecordedDeployment } from './forge-deployments.ts';
import { answerGithub } from './forge-github.ts';
import { answerGithubPulls } from './forge-github-pulls.ts';
import { answerGitlab } from './forge-gitlab.ts';
import { answerGitlabPulls } from './forge-gitlab-pulls.ts';
import { answerGithubHooks, answerGitlabHooks, HookBook } from './forge-hooks.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  ForgeLedger,
  type RecordedPipeline,
  type RecordedStatus,
} from './forge-ledger.ts';
import { PeopleBook, type RepositoryRole } from './forge-people.ts';
import { PullBook, type RecordedComment, type RecordedPull } from './forge-pulls.ts';

/**
 * How requests fail: an HTTP status, with headers and the forge's own words or not; `reset` breaks the connection before anything is done; `lost` does the work and then
 * breaks the connection, so that the caller can not know; `hang` never answers.
 */
export type ForgeFailure =
  | number
  | 'reset'
  | 'lost'
  | 'hang'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      /** It does what was asked, says how, and these headers come along. */
      readonly isDone?: boolean;
    };

/** A running recorder. */
export interface ForgeRecorder {
  /** Base of the GitHub REST API. */
  readonly githubApiUrl: string;
  /** Base of the GitLab API, `/api/v4` included. */
  readonly gitlabApiUrl: string;
  /** Every write that was accepted, oldest first. */
  statuses(): readonly RecordedStatus[];
  /** Opens a pull request, or changes one that is known. Its time of change is now, unless given. */
  putPull(pull: Omit<RecordedPull, 'updatedAt'> & { readonly updatedAt?: string }): void;
  /** The comments there are now, of everybody. */
  comments(): readonly RecordedComment[];
  /** Every comment written or edited over the API, oldest first. */
  commentWrites(): readonly RecordedComment[];
  /** A comment of somebody else, or made by hand. */
  addComment(comment: Omit<RecordedComment, 'id' | 'at'>): RecordedComment;
  removeComment(id: number): void;
  /** From now on GitHub's token is an app's, which has no user. */
  actAsApp(): void;
  /** The webhooks there are, with what they delivered; a test may change them as people do. */
  readonly hooks: HookBook;
  /** The deployments as they are now, oldest first. */
  deployments(): readonly RecordedDeployment[];
  /** What somebody may do to every repository from now on; nothing until told. */
  setRole(user: number, role: RepositoryRole): void;
  /** How a check by another program stands: a check run at GitHub, a job at GitLab. */
  putCheck(check: {
    readonly forge: RecordedStatus['forge'];
    readonly project: string;
    readonly commit: string;
    readonly name: string;
    readonly state: 'running' | 'success' | 'failure';
  }): void;
  /** A pipeline that GitLab's own CI started. */
  addPipeline(pipeline: Omit<RecordedPipeline, 'id'>): RecordedPipeline;
  /** GitLab's pipelines of a commit, newest first. */
  pipelines(project: string, commit: string): readonly RecordedPipeline[];
  /** Requests seen so far, refused ones too. */
  requests(): number;
  /** Makes the next `count` requests fail; `headers` go with an HTTP status. */
  failNext(count: number, failure: ForgeFailure, headers?: Readonly<Record<string, string>>): void;
  /** Asked for each request, by method and path: how it fails, or `undefined`. */
  onRequest(hook: ((method: string, path: string) => ForgeFailure | undefined) | undefined): void;
  /** From now on only requests with this token are served. */
  requireToken(token: string): void;
  stop(): Promise<void>;
}

const BODY_BYTES = 1024 * 1024;

/** Starts a peer on loopback that is as strict as the forges' documentation says they are, and remembers each status. */
export async function startForgeRecorder(
  options: {
    readonly onStatus?: (status: RecordedStatus) => void;
    /** Told of each request that is served. */
    readonly onCall?: (forge: RecordedStatus['forge'], call: ApiRequest) => void;
  } = {},
): Promise<ForgeRecorder> {
  const ledger = new ForgeLedger(options.onStatus ?? (() => undefined));
  const failures: ForgeFailure[] = [];
  const book = new PullBook();
  const deployments = new DeploymentBook();
  const hooks = new HookBook();
  const people = new PeopleBook();
  const checks = new CheckBook();
  let token: string | undefined;
  let app = false;
  let hook: ((method: string, path: string) => ForgeFailure | undefined) | undefined;
  let requests = 0;

  const server = createServer((request, response) => {
    requests += 1;
    const failure = failures.shift() ?? hook?.(request.method ?? '', request.url ?? '');
    void serve(request, response, failure).catch(() => response.destroy());
  });

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    failure: ForgeFailure | undefined,
  ): Promise<void> {
    if (failure === 'hang') return;
    if (failure === 'reset') return void request.socket.destroy();
    const body = await readJson(request);
    if (typeof failure === 'number') return send(response, { status: failure, json: tactless(request) });
    const { status, headers = {}, message, isDone = false } = typeof failure === 'object' ? failure : { status: 0 };
    if (status > 0 && !isDone)
      return send(response, { status, json: message === undefined ? tactless(request) : { message }, headers });
    const answer = await answerCall(request, body);
    if (failure === 'lost') return void request.socket.destroy();
    send(response, isDone ? { ...answer, headers } : answer);
  }

  async function answerCall(request: IncomingMessage, body: ApiRequest['body']): Promise<ApiAnswer> {
    const url = new URL(request.url ?? '/', 'http://forge');
    const gitlab = url.pathname.startsWith('/api/v4/');
    if (token !== undefined && !presentsToken(request, token)) {
      return {
        status: 401,
        json: gitlab ? { message: '401 Unauthorized' } : { message: 'Bad credentials', status: '401' },
      };
    }
    const path = gitlab ? url.pathname.slice('/api/v4/'.length) : url.pathname.slice('/github/'.length);
    const call: ApiRequest = {
      method: request.method ?? '',
      segments: path.split('/').map(decodeURIComponent),
      query: url.searchParams,
      headers: { 'user-agent': request.headers['user-agent'] },
      body,
    };
    options.onCall?.(gitlab ? 'gitlab' : 'github', call);
    return gitlab
      ? ((await answerGitlabHooks(call, hooks)) ??
          answerGitlabPulls(call, book) ??
          people.answerGitlab(call) ??
          deployments.answerGitlab(call) ??
          answerGitlab(call, ledger, book))
      : (answerGithubHooks(call, hooks) ??
          answerGithubPulls(call, book, app) ??
          people.answerGithub(call) ??
          checks.answerGithub(call, ledger) ??
          deployments.answerGithub(call) ??
          answerGithub(call, ledger));
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    githubApiUrl: `http://127.0.0.1:${port}/github`,
    gitlabApiUrl: `http://127.0.0.1:${port}/api/v4`,
    statuses: () => ledger.writes(),
    putPull: (pull) => book.put({ updatedAt: new Date().toISOString(), ...pull }),
    comments: () => book.comments().filter((comment) => comment.number > 0),
    commentWrites: () => book.writes(),
    addComment: (comment) => book.add(comment),
    removeComment: (id) => book.remove(id),
    hooks,
    actAsApp() {
      app = true;
    },
    deployments: () => deployments.all(),
    setRole: (user, role) => people.set(user, role),
    putCheck({ forge, project, commit, name, state }) {
      const isOver = state !== 'running';
      if (forge === 'github')
        return checks.put({
          ...{ project, commit, name },
          ...{ status: isOver ? 'completed' : 'in_progress', conclusion: isOver ? state : null },
        });
      const context = { forge, project, commit, context: name, description: undefined, targetUrl: undefined };
      ledger.record({ ...context, state: state === 'failure' ? 'failed' : state }, 'main');
    },
    addPipeline: (pipeline) => ledger.addPipeline(pipeline),
    pipelines: (project, commit) => ledger.pipelines(project, commit),
    requests: () => requests,
    failNext(count, failure, headers = {}) {
      const next = typeof failure === 'number' ? { status: failure, headers } : failure;
      for (let i = 0; i < count; i += 1) failures.push(next);
    },
    onRequest(asked) {
      hook = asked;
    },
    requireToken(required) {
      token = required;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** The worst an error can do: it repeats the credentials it was sent. */
function tactless(request: IncomingMessage): object {
  return { message: `told to fail: ${request.headers.authorization ?? request.headers['private-token'] ?? ''}` };
}

function presentsToken(request: IncomingMessage, token: string): boolean {
  const { authorization, 'private-token': privateToken } = request.headers;
  return authorization === `Bearer ${token}` || authorization === `token ${token}` || privateToken === token;
}

async function readJson(request: IncomingMessage): Promise<ApiRequest['body']> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, answer: ApiAnswer): void {
  const headers = { 'content-type': 'application/json', ...answer.headers };
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.json));
}
