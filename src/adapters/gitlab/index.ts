/**
 * Everything that is GitLab's: its webhook dialect, its commit statuses, merge requests and notes, on gitlab.com and self-managed. Input: headers and bytes
 * of a delivery; a status in our words. Output: a verdict, a push in our words; a status on the commit. Never reads a repository,
 * never trusts a payload beyond "look there", never lets GitLab's words or a token into a message.
 */
export type { GitlabApiOptions } from './api.ts';
export { createGitlabChecks } from './checks.ts';
export { createGitlabCommentReader } from './comment-reader.ts';
export { createGitlabCommentWriter } from './comment-writer.ts';
export { createGitlabDeploymentWriter } from './deployment-writer.ts';
export { createGitlabDialect } from './dialect.ts';
export { createGitlabHooks } from './hooks.ts';
export { createGitlabOauthTokens } from './oauth-tokens.ts';
export { createGitlabPullRequests } from './pull-requests.ts';
export { createGitlabStatusWriter } from './status-writer.ts';
