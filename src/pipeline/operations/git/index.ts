/**
 * Git repositories, the sources that bind them to applications, the grants of those, and plans of pull requests. Takes a principal and a
 * request of the API, decides, changes the records and audits. A token goes in and never comes out; a webhook's secret is answered by the
 * request that made it, once.
 */
export type { GitDeps } from './context.ts';
export { deliveryOperations } from './deliveries.ts';
export { planOperations } from './plans.ts';
export { previewOperations } from './previews.ts';
export { repositoryOperations } from './repositories.ts';
export { sourceOperations } from './sources.ts';
export { webhookOperations } from './webhooks.ts';
