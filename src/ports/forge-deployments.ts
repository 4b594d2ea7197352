import type { CommitSha, RefName, Result } from '../kernel/index.ts';
import type { ForgeRepository } from './forge.ts';
import type { CommitOutcome } from './git-resources.ts';

/** What a forge shows of a release of one commit in one environment. */
export type ForgeDeployment = {
  readonly commit: CommitSha;
  readonly ref: RefName;
  /** Stable per application, such as `acme/production/shop`; at most 255 characters. */
  readonly environment: string;
  readonly outcome: CommitOutcome;
  /** At most 140 characters, no secret. */
  readonly description: string;
  /** Where the application answers. */
  readonly url?: string;
  /** Where to read more. */
  readonly logUrl?: string;
  /** The id answered before; without one it is looked for, then made. */
  readonly known?: string;
};

/** Keeps deployments: GitHub's, and GitLab's with their environments. Deadline 15 s a call. */
export interface DeploymentWriter {
  /**
   * Makes the forge show the deployment so and answers its id. Looks before it makes one, so it may be repeated after an unknown outcome;
   * saying the same twice does no harm.
   */
  write(repository: ForgeRepository, deployment: ForgeDeployment): Promise<Result<string>>;
}
