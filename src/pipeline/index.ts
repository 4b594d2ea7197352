/**
 * The imperative shell: one function per kind of job, each an ordered list of steps over the pure stages and the ports. Reads before it
 * writes, so every job may run again after any crash. Imports no package.
 */
export { build } from './build.ts';
export type { Deps, PipelineOptions, Run } from './context.ts';
export { createPace, createPause, type Pace } from './forge-pace.ts';
export { warnOfGrants } from './grant-expiry.ts';
export { plan } from './plan.ts';
export { poll } from './poll.ts';
export { preview } from './preview/preview.ts';
export { reconcile } from './reconcile.ts';
export { withGitRenewal, withRenewal } from './renewal.ts';
export { report } from './report.ts';
export { resync, watchApplications, watchForDrift, watchSources } from './resync.ts';
export { sync } from './sync.ts';
