/**
 * Preview environments: an ephemeral application per request and source, where the source wants them (facts 2.10, 4.9). In: the plan of a
 * request's head and what the cluster has; out: an application of its own with a release of the head, what the plan says of it, and its end
 * with everything it has. Never for a fork, never for what the grant would not deploy, never a write to the application it is a preview of.
 */
export { bringEnvironment, type EnvironmentQuestion, type EnvironmentTurn } from './bring.ts';
export { checkPreviewGrant } from './check-grant.ts';
export { isEnvironmentDue, toldOf, wantsEnvironment } from './due.ts';
export { jobsAfterRemoval, recordCleaned, requestJob, strayPreviews } from './ended.ts';
export { environmentName, isPreview, type Preview, previewSlug } from './names.ts';
export { askForRemoval, markForRemoval, removeEnvironmentOf, removeStrays } from './remove.ts';
export { missingSecrets, snapshotSecrets } from './secrets.ts';
