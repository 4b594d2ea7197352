import type { Result } from '../kernel/index.ts';

/** What somebody allowed an application of GitLab to do in their name, for one repository. */
export type OauthGrant = {
  readonly applicationId: string;
  /** Absent for an application that is not confidential. */
  readonly applicationSecret?: string;
  /** Good for one use: the answer brings the next one, and this one is invalid from then on. */
  readonly refreshToken: string;
  readonly apiUrl?: string;
};

/** What a refresh token was exchanged for. */
export type OauthExchange = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Milliseconds that the access token lives. */
  readonly lifetimeMs: number;
  /** Absent when the forge does not say. */
  readonly scopes?: readonly string[];
};

/**
 * Exchanges refresh tokens. Not idempotent: with the answer the refresh token and the access token before it are invalid at once, so what
 * comes back has to be kept before it is used, and two that use one refresh token end the grant. Deadline 15 s.
 */
export interface OauthTokens {
  /**
   * `oauth_grant_ended` when the refresh token was used before, or the grant was revoked; `forge_unauthorized` when the application is not
   * known or its secret is wrong. After `forge_unavailable` it is unknown whether the refresh token was used.
   */
  refresh(grant: OauthGrant): Promise<Result<OauthExchange>>;
}
