/**
 * The plan: what releasing a granted application would change against the current revision, with warnings, secrets and refusals, and its
 * renderings for terminals, comments and programs. Pure, same input same bytes. Never holds a secret's value or a value of `env`; never asks
 * anything: missing secrets are handed in.
 */
export type { Change } from './changes.ts';
export { planJson } from './json.ts';
export { visible } from './lines.ts';
export { type Block, fitMarkdown, headingOf, type PlanBody, planBody, refusalPlan } from './markdown.ts';
export { type OfflinePlan, type Plan, planOffline, planRelease } from './plan.ts';
export {
  type Before,
  type ClaimsOf,
  NO_CLAIMS,
  type Placement,
  type Preflight,
  type PreflightReport,
  preflight,
} from './preflight/index.ts';
export { summarisePlan } from './summary.ts';
export { type Targeted, targetServices } from './target.ts';
export { planText } from './text.ts';
export { unsupportedFeatures } from './unsupported.ts';
