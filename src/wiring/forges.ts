import { isForgeAddress } from '../adapters/git/index.ts';
import {
  createGithubAppTokens,
  createGithubChecks,
  createGithubCommentReader,
  createGithubCommentWriter,
  createGithubDeploymentWriter,
  createGithubHooks,
  createGithubPullRequests,
  createGithubStatusWriter,
} from '../adapters/github/index.ts';
import {
  createGitlabChecks,
  createGitlabCommentReader,
  createGitlabCommentWriter,
  createGitlabDeploymentWriter,
  createGitlabHooks,
  createGitlabOauthTokens,
  createGitlabPullRequests,
  createGitlabStatusWriter,
} from '../adapters/gitlab/index.ts';
import { openHttpClient } from '../adapters/http/index.ts';
import { createCredentialStore } from '../adapters/store/index.ts';
import { createPace, createPause, type Pace, withRenewal } from '../pipeline/index.ts';
import type {
  CommentReader,
  CommentWriter,
  CommitChecks,
  CredentialStore,
  DeploymentWriter,
  ForgeBudget,
  ForgeHooks,
  ForgeRepository,
  OpenHttp,
  PullRequests,
  StatusWriter,
} from '../ports/index.ts';
import { type Foundation, version } from './foundation.ts';

/** What the pipeline says to forges and asks of them. */
export type Forges = {
  readonly statuses: StatusWriter;
  readonly pullRequests: PullRequests;
  readonly comments: CommentWriter;
  readonly hooks: ForgeHooks;
  readonly commands: CommentReader;
  readonly checks: CommitChecks;
  readonly deployments: DeploymentWriter;
  stop(): Promise<void>;
};

/** The trust and the proxy that everything outside is reached with. */
export function outsideOf({ ca, config }: Foundation): { readonly ca?: string; readonly proxy?: string } {
  const { proxyUrl: proxy } = config;
  return { ...(ca === undefined ? {} : { ca }), ...(proxy === undefined ? {} : { proxy }) };
}

/** Opens clients for forges, whose hosts people name with their repositories. */
function openForgeHttp({ config }: Foundation): OpenHttp {
  const own = [config.githubApiUrl, config.gitlabApiUrl].flatMap((url) => URL.parse(url)?.hostname ?? []);
  return (options) =>
    openHttpClient({ ...options, allowAddress: (host, address) => isForgeAddress(host, address, own) });
}

/** Credentials of repositories, with the forges that mint and renew tokens for them. It keeps connections of its own; `stop` ends them. */
export function openCredentials(foundation: Foundation): CredentialStore & { stop(): Promise<void> } {
  const { cluster, clock, config, log } = foundation;
  const shared = {
    ...outsideOf(foundation),
    openHttp: openForgeHttp(foundation),
    clock,
    userAgent: `hakopod/${version()}`,
  };
  const appTokens = createGithubAppTokens({ ...shared, apiUrl: config.githubApiUrl });
  const tokens = createGitlabOauthTokens({ ...shared, apiUrl: config.gitlabApiUrl });
  return {
    ...createCredentialStore({ cluster, namespace: config.namespace, appTokens, oauth: { tokens, clock, log } }),
    stop: async () => {
      await appTokens.stop();
      await tokens.stop();
    },
  };
}

/**
 * One of each for both forges; the repository says which is meant. A token that was renewed meanwhile is tried again. With a budget all keep
 * within it, by the installation they call as.
 */
export function openForges(foundation: Foundation, credentials: CredentialStore, budget?: ForgeBudget): Forges {
  const { clock, config } = foundation;
  const standard = { github: config.githubApiUrl, gitlab: config.gitlabApiUrl };
  const unpaced: Pace = (repository, _kind, call) => call(repository);
  const pace = withRenewal(budget === undefined ? unpaced : createPace(budget, standard), credentials);
  const outside = { ...outsideOf(foundation), ...(budget && { onSpent: createPause(budget, standard) }) };
  const shared = { ...outside, openHttp: openForgeHttp(foundation), clock, userAgent: `hakopod/${version()}` };
  const github = { ...shared, apiUrl: config.githubApiUrl };
  const gitlab = { ...shared, apiUrl: config.gitlabApiUrl };
  const writers = { github: createGithubStatusWriter(github), gitlab: createGitlabStatusWriter(gitlab) };
  const readers = { github: createGithubPullRequests(github), gitlab: createGitlabPullRequests(gitlab) };
  const commenters = { github: createGithubCommentWriter(github), gitlab: createGitlabCommentWriter(gitlab) };
  const commands = { github: createGithubCommentReader(github), gitlab: createGitlabCommentReader(gitlab) };
  const checks = { github: createGithubChecks(github), gitlab: createGitlabChecks(gitlab) };
  const deployers = { github: createGithubDeploymentWriter(github), gitlab: createGitlabDeploymentWriter(gitlab) };
  const keepers = { github: createGithubHooks(github), gitlab: createGitlabHooks(gitlab) };
  const of = <T>(parts: Readonly<Record<'github' | 'gitlab', T>>, repository: ForgeRepository): T =>
    parts[repository.forge];
  return {
    statuses: {
      write: (repository, status) => pace(repository, 'write', (as) => of(writers, as).write(as, status)),
      latest: (repository, commit, context) =>
        pace(repository, 'read', (as) => of(writers, as).latest(as, commit, context)),
    },
    pullRequests: {
      read: (repository, number) => pace(repository, 'read', (as) => of(readers, as).read(as, number)),
      open: (repository) => pace(repository, 'read', (as) => of(readers, as).open(as)),
    },
    comments: {
      upsert: (repository, comment) => pace(repository, 'write', (as) => of(commenters, as).upsert(as, comment)),
    },
    commands: {
      read: (repository, comment) => pace(repository, 'read', (as) => of(commands, as).read(as, comment)),
    },
    checks: {
      read: (repository, commit, names) => pace(repository, 'read', (as) => of(checks, as).read(as, commit, names)),
    },
    deployments: {
      write: (repository, deployment) => pace(repository, 'write', (as) => of(deployers, as).write(as, deployment)),
    },
    hooks: {
      list: (repository) => pace(repository, 'read', (as) => of(keepers, as).list(as)),
      create: (repository, wanted) => pace(repository, 'write', (as) => of(keepers, as).create(as, wanted)),
      update: (repository, id, wanted) => pace(repository, 'write', (as) => of(keepers, as).update(as, id, wanted)),
      remove: (repository, id) => pace(repository, 'write', (as) => of(keepers, as).remove(as, id)),
      test: (repository, id) => pace(repository, 'write', (as) => of(keepers, as).test(as, id)),
      deliveries: (repository, id) => pace(repository, 'read', (as) => of(keepers, as).deliveries(as, id)),
    },
    stop: async () => {
      const parts = [writers, readers, commenters, commands, checks, deployers, keepers].flatMap(
        ({ github: a, gitlab: b }) => [a, b],
      );
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
