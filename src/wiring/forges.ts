import {
  createGithubCommentWriter,
  createGithubPullRequests,
  createGithubStatusWriter,
} from '../adapters/github/index.ts';
import {
  createGitlabCommentWriter,
  createGitlabPullRequests,
  createGitlabStatusWriter,
} from '../adapters/gitlab/index.ts';
import { openHttpClient } from '../adapters/http/index.ts';
import type { CommentWriter, ForgeRepository, PullRequests, StatusWriter } from '../ports/index.ts';
import { type Foundation, version } from './foundation.ts';

/** What the pipeline says to forges and asks of them. */
export type Forges = {
  readonly statuses: StatusWriter;
  readonly pullRequests: PullRequests;
  readonly comments: CommentWriter;
  stop(): Promise<void>;
};

/** One of each for both forges; the repository says which is meant. */
export function openForges(foundation: Foundation, outside: { readonly ca?: string; readonly proxy?: string }): Forges {
  const { clock, config } = foundation;
  const shared = { ...outside, openHttp: openHttpClient, clock, userAgent: `hakopod/${version()}` };
  const github = { ...shared, apiUrl: config.githubApiUrl };
  const gitlab = { ...shared, apiUrl: config.gitlabApiUrl };
  const writers = { github: createGithubStatusWriter(github), gitlab: createGitlabStatusWriter(gitlab) };
  const readers = { github: createGithubPullRequests(github), gitlab: createGitlabPullRequests(gitlab) };
  const commenters = { github: createGithubCommentWriter(github), gitlab: createGitlabCommentWriter(gitlab) };
  const of = <T>(parts: Readonly<Record<'github' | 'gitlab', T>>, repository: ForgeRepository): T =>
    parts[repository.forge];
  return {
    statuses: {
      write: (repository, status) => of(writers, repository).write(repository, status),
      latest: (repository, commit, context) => of(writers, repository).latest(repository, commit, context),
    },
    pullRequests: {
      read: (repository, number) => of(readers, repository).read(repository, number),
      open: (repository) => of(readers, repository).open(repository),
    },
    comments: { upsert: (repository, comment) => of(commenters, repository).upsert(repository, comment) },
    stop: async () => {
      const parts = [writers, readers, commenters].flatMap(({ github: a, gitlab: b }) => [a, b]);
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
