/**
 * The pure half of building: which images an application needs, what identifies a build, where its image goes, what the engine is asked
 * for, and what is kept and shown of its log. Takes a specification and the installation's registry; never runs anything and never sees a
 * secret.
 */
export { type BuildTarget, buildRunName, buildsOf, imageName, watchedPaths } from './builds.ts';
export { builtImage } from './image.ts';
export { LogTail } from './log-tail.ts';
export { configurationRevision } from './revision.ts';
export { buildFailure, usefulLines } from './useful-lines.ts';
