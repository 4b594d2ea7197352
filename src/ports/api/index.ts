/**
 * What people and programs say to Hakopod and hear from it: zod schemas of every request and answer in the words of the wire (snake case), and
 * the operations behind them. The API's routes and its OpenAPI document are made from the schemas, the operations are implemented by the
 * pipeline, and the command line reads answers with them. No schema holds a secret in an answer, but for keys and webhook secrets shown once.
 */
export * from './applications.ts';
export * from './audit.ts';
export * from './certificates.ts';
export * from './cluster.ts';
export * from './cluster-runs.ts';
export * from './common.ts';
export * from './deliveries.ts';
export * from './deployments.ts';
export * from './domains.ts';
export * from './identities.ts';
export * from './keys.ts';
export * from './me.ts';
export * from './operations.ts';
export * from './plans.ts';
export * from './policies.ts';
export * from './previews.ts';
export * from './projects.ts';
export * from './registries.ts';
export * from './repositories.ts';
export * from './roles.ts';
export * from './secrets.ts';
export * from './settings.ts';
export * from './snake.ts';
export * from './sources.ts';
