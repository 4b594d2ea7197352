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
  /** `forge_unauthorized` when the App or its installation is gone, suspended or has no such permission. */
  mint(app: AppCredentials, use: TokenUse): Promise<Result<string>>;
}
