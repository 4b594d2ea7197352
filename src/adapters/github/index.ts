/**
 * Everything that is GitHub's: its webhook dialect, its commit statuses, pull requests and comments. Input: headers and bytes of a
 * delivery; a status or comment in our words. Output: a verdict, a push or pull request in our words; a status on the commit. Never reads a repository, never trusts a payload beyond
 * "look there", never lets GitHub's words or a token into a message.
 */
export type { GithubApiOptions } from './api.ts';
export { createGithubAppTokens } from './app-tokens.ts';
export { createGithubChecks } from './checks.ts';
export { createGithubCommentReader } from './comment-reader.ts';
export { createGithubCommentWriter } from './comment-writer.ts';
export { createGithubDeploymentWriter } from './deployment-writer.ts';
export { createGithubDialect } from './dialect.ts';
export { createGithubHooks } from './hooks.ts';
export { createGithubPullRequests } from './pull-requests.ts';
export { createGithubStatusWriter } from './status-writer.ts';
