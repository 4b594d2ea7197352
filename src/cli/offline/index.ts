/**
 * The commands that read files and nothing else: `validate`, `plan --offline` and `schema`. A file, a folder with a `hakopod.toml` or a tree
 * of applications in; verdicts as a compiler gives them out. They show keys of a file, never a value; `manifests --file` alone shows what would be written.
 */
export { manifestsOf } from './patches.ts';
export { type PlanFlags, planFiles } from './plan.ts';
export { readText } from './read.ts';
export type { Loaded } from './source.ts';
export { loadSpecs, printProblemsOf, type SpecFlags, validate } from './validate.ts';
