/**
 * Everything that is GitHub's: its webhook dialect and its commit statuses. Input: headers and bytes of a delivery; a status in our
 * words. Output: a verdict, a push in our words; a status on the commit. Never reads a repository, never trusts a payload beyond
 * "look there", never lets GitHub's words or a token into a message.
 */
export { createGithubDialect } from './dialect.ts';
export { createGithubStatusWriter, type GithubStatusWriterOptions } from './status-writer.ts';
