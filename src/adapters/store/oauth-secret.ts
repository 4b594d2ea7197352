import type { Manifest } from '../../kernel/index.ts';
import type { OauthExchange, OauthGrant } from '../../ports/index.ts';
import type { SecretContent } from './secret-objects.ts';
import { secretValue } from './secret-objects.ts';

/** An OAuth grant as its Secret holds it; times in milliseconds since 1970. */
export type KeptGrant = OauthGrant & {
  readonly access?: {
    readonly token: string;
    readonly issuedAt: number;
    /** From then on it is renewed before it is used. */
    readonly renewAt: number;
    readonly endsAt: number;
  };
  /** Somebody exchanges the refresh token, and is believed to until then. */
  readonly claimedUntil?: number;
  /** The forge refused the refresh token for good. */
  readonly ended: boolean;
};

/** Before its end, at most: work that begins with the old token should have it until then. */
const SPARE_MS = 5 * 60 * 1000;

/** The grant that a Secret holds; `undefined` when it holds something else. */
export function grantIn(secret: Manifest): KeptGrant | undefined {
  const applicationId = secretValue(secret, 'oauth-application-id');
  const refreshToken = secretValue(secret, 'oauth-refresh-token');
  if (applicationId === undefined || refreshToken === undefined) return undefined;
  const applicationSecret = secretValue(secret, 'oauth-application-secret');
  const apiUrl = secretValue(secret, 'api-url');
  const token = secretValue(secret, 'access-token');
  const [issuedAt, renewAt, endsAt, claimedUntil] = (
    ['issued-at', 'renew-at', 'ends-at', 'claimed-until'] as const
  ).map((key) => timeOf(secretValue(secret, key)));
  return {
    applicationId,
    refreshToken,
    ...(applicationSecret === undefined ? {} : { applicationSecret }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(token === undefined || issuedAt === undefined || renewAt === undefined || endsAt === undefined
      ? {}
      : { access: { token, issuedAt, renewAt, endsAt } }),
    ...(claimedUntil === undefined ? {} : { claimedUntil }),
    ended: secretValue(secret, 'ended') === 'true',
  };
}

/** The Secret that holds the grant. */
export function secretOf(grant: KeptGrant): SecretContent {
  const { applicationId, applicationSecret, refreshToken, apiUrl, access, claimedUntil, ended } = grant;
  return {
    data: {
      'oauth-application-id': applicationId,
      ...(applicationSecret === undefined ? {} : { 'oauth-application-secret': applicationSecret }),
      'oauth-refresh-token': refreshToken,
      ...(apiUrl === undefined ? {} : { 'api-url': apiUrl }),
      ...(access === undefined
        ? {}
        : {
            'access-token': access.token,
            'issued-at': iso(access.issuedAt),
            'renew-at': iso(access.renewAt),
            'ends-at': iso(access.endsAt),
          }),
      ...(claimedUntil === undefined ? {} : { 'claimed-until': iso(claimedUntil) }),
      ...(ended ? { ended: 'true' } : {}),
    },
    labels: {},
  };
}

/** The grant with what its refresh token was exchanged for, asked for at `since`. */
export function exchanged(grant: OauthGrant, exchange: OauthExchange, since: number): KeptGrant {
  const { applicationId, applicationSecret, apiUrl } = grant;
  const { accessToken: token, refreshToken, lifetimeMs } = exchange;
  const endsAt = since + lifetimeMs;
  return {
    applicationId,
    ...(applicationSecret === undefined ? {} : { applicationSecret }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    refreshToken,
    access: { token, issuedAt: since, renewAt: endsAt - Math.min(SPARE_MS, lifetimeMs / 10), endsAt },
    ended: false,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
