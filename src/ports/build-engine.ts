import type { Result } from '../kernel/index.ts';

/** A private folder for one build. */
export interface BuildSpace {
  /** An empty folder for the context. */
  readonly contextDir: string;
  /** Removes everything the build left behind; never rejects. */
  dispose(): Promise<void>;
}

export type BuildRequest = {
  /** The `contextDir` of a space of this engine, filled. */
  readonly contextDir: string;
  /** Path of the Dockerfile inside the context. */
  readonly dockerfile: string;
  readonly target?: string;
  /** Public values (facts 2.8). */
  readonly buildArgs: Readonly<Record<string, string>>;
  /** `registry/repository:tag` to push to. */
  readonly image: string;
  /** Registry hosts base images may come from; globs as in a deploy grant. */
  readonly registries: readonly string[];
  /** Used for the push alone: no step of the build ever sees it. */
  readonly credentials?: { readonly username: string; readonly token: string };
  readonly deadline: Date;
  readonly signal: AbortSignal;
  /** Gets the output as it comes, in pieces of any size. Must not throw. */
  readonly onLog: (text: string) => void;
};

/**
 * Builds and pushes images. A build sees its context, its build args and nothing of the worker: no environment, no credentials, no process.
 * When `build` has answered, nothing of it runs any more, whatever the Dockerfile started; a worker that is killed takes its builds along.
 */
export interface BuildEngine {
  /** `build_unavailable` where the engine is not installed, can not work or has no room. */
  prepare(): Promise<Result<BuildSpace>>;
  /**
   * Answers the digest the registry knows the image by. `build_failed` (the reason is in the log), `build_timeout`, `build_too_large`,
   * `grant_refused` for a base image from another registry, `registry_unauthorized`, `registry_unavailable`, `worker_stopping` when the
   * signal aborts. Safe to repeat: the same push gives the same tag.
   */
  build(request: BuildRequest): Promise<Result<{ readonly digest: string }>>;
}
