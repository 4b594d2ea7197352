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
  createGitlabPullRequests,
  createGitlabStatusWriter,
} from '../adapters/gitlab/index.ts';
import { openHttpClient } from '../adapters/http/index.ts';
import { createPace, type Pace } from '../pipeline/index.ts';
import type {
  CommentReader,
  CommentWriter,
  CommitChecks,
  DeploymentWriter,
  ForgeBudget,
  ForgeHooks,
  ForgeRepository,
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

/** Tokens of GitHub Apps. It keeps connections of its own; `stop` ends them. */
export function openAppTokens(foundation: Foundation): ReturnType<typeof createGithubAppTokens> {
  const { clock, config } = foundation;
  const shared = { ...outsideOf(foundation), openHttp: openHttpClient, clock, userAgent: `hakopod/${version()}` };
  return createGithubAppTokens({ ...shared, apiUrl: config.githubApiUrl });
}

/** One of each for both forges; the repository says which is meant. With a budget all keep within it, by the installation they call as. */
export function openForges(
  foundation: Foundation,
  outside: { readonly ca?: string; readonly proxy?: string },
  budget?: ForgeBudget,
): Forges {
  const { clock, config } = foundation;
  const standard = { github: config.githubApiUrl, gitlab: config.gitlabApiUrl };
  const pace: Pace = budget === undefined ? (_repository, _kind, call) => call() : createPace(budget, standard);
  const shared = { ...outside, openHttp: openHttpClient, clock, userAgent: `hakopod/${version()}` };
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
      write: (repository, status) => pace(repository, 'write', () => of(writers, repository).write(repository, status)),
      latest: (repository, commit, context) =>
        pace(repository, 'read', () => of(writers, repository).latest(repository, commit, context)),
    },
    pullRequests: {
      read: (repository, number) => pace(repository, 'read', () => of(readers, repository).read(repository, number)),
      open: (repository) => pace(repository, 'read', () => of(readers, repository).open(repository)),
    },
    comments: {
      upsert: (repository, comment) =>
        pace(repository, 'write', () => of(commenters, repository).upsert(repository, comment)),
    },
    commands: {
      read: (repository, comment) => pace(repository, 'read', () => of(commands, repository).read(repository, comment)),
    },
    checks: {
      read: (repository, commit, names) =>
        pace(repository, 'read', () => of(checks, repository).read(repository, commit, names)),
    },
    deployments: {
      write: (repository, deployment) =>
        pace(repository, 'write', () => of(deployers, repository).write(repository, deployment)),
    },
    hooks: {
      list: (repository) => pace(repository, 'read', () => of(keepers, repository).list(repository)),
      create: (repository, wanted) =>
        pace(repository, 'write', () => of(keepers, repository).create(repository, wanted)),
      update: (repository, id, wanted) =>
        pace(repository, 'write', () => of(keepers, repository).update(repository, id, wanted)),
      remove: (repository, id) => pace(repository, 'write', () => of(keepers, repository).remove(repository, id)),
      test: (repository, id) => pace(repository, 'write', () => of(keepers, repository).test(repository, id)),
      deliveries: (repository, id) =>
        pace(repository, 'read', () => of(keepers, repository).deliveries(repository, id)),
    },
    stop: async () => {
      const parts = [writers, readers, commenters, commands, checks, deployers, keepers].flatMap(
        ({ github: a, gitlab: b }) => [a, b],
      );
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
