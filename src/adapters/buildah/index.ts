/**
 * Building with buildah behind the `BuildEngine` port, on the worker and without a daemon. In: an exported context, a Dockerfile in it,
 * public build args, where to push. Out: the digest the registry knows the image by. Every build has a folder, an image store and a process
 * namespace of its own: it sees nothing of the worker or of another build, and all of it ends with the build. Registry credentials exist for
 * the push alone.
 */
export { type BuildahOptions, buildahAvailable, createBuildahEngine } from './engine.ts';
