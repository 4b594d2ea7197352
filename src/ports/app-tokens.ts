import type { Result } from '../kernel/index.ts';

/** What a token is for; each has the least permission that does it. */
export type TokenUse = 'read' | 'report' | 'hooks';

/** A GitHub App's way into one repository. */
export type AppCredentials = {
  readonly appId: string;
  readonly installationId: string;
  /** PEM of an RSA key of at least 2048 bits. */
  readonly privateKey: string;
  readonly repositoryId: string;
  readonly apiUrl?: string;
};

/** Mints tokens of a GitHub App's installation, for one repository each. They are never stored. Deadline 15 s. */
export interface AppTokens {
  /**
   * `installation_suspended`, `installation_gone` or, for a repository it does not include, `installation_repository`; `forge_unauthorized` when
   * the App is not known or has no such permission. A refusal is told for a while without asking again, and a token that was `refused`
   * replaced unless it is that new.
   */
  mint(app: AppCredentials, use: TokenUse, refused?: string): Promise<Result<string>>;
}
