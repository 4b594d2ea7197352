import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { HookDialect, HookHeaders } from '../../ports/index.ts';
import { decodeGitlabDelivery } from './decode.ts';

/** Secrets that are valid at once: the current one and, during rotation, the one before (DESIGN invariant 2). */
const MAX_SECRETS = 2;
/** Facts 4.7: a delivery id has 8 to 128 characters. GitLab sends UUIDs. */
const DELIVERY_ID = /^[A-Za-z0-9._:-]{8,128}$/;
/** Field lessons R2: the clocks may differ by five minutes. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;
/** Standard Webhooks allows several signatures for key rotation; more than a handful is not a delivery. */
const MAX_SIGNATURES = 8;

/**
 * GitLab's webhooks. A repository is configured for one of two proofs and never accepts the other: the plain `X-Gitlab-Token`, or
 * since GitLab 19 the signing token of Standard Webhooks (HMAC-SHA256 over `{id}.{timestamp}.{body}`).
 */
export function createGitlabDialect(): HookDialect {
  return {
    verify({ headers, body, secrets, auth, now }) {
      const valid = secrets.slice(0, MAX_SECRETS).filter((secret) => secret !== '');
      if (auth === 'token') return verifyToken(headers, valid);
      return auth === 'signing-token' && verifySignature({ headers, body, secrets: valid, now });
    },
    /**
     * `webhook-id` equals `Idempotency-Key`: one per delivery, the same when it is retried. `X-Gitlab-Webhook-UUID` is new for each
     * attempt. `X-Gitlab-Event-UUID` is not used: GitLab keeps it across a chain of hooks that trigger each other, so two
     * different pushes can carry the same one and the second would be lost as a duplicate.
     */
    deliveryId(headers) {
      const id = headers['webhook-id'] ?? headers['idempotency-key'] ?? headers['x-gitlab-webhook-uuid'];
      return id !== undefined && DELIVERY_ID.test(id) ? id : undefined;
    },
    decode(headers, body) {
      return decodeGitlabDelivery(headers['x-gitlab-event'], body);
    },
  };
}

function verifyToken(headers: HookHeaders, secrets: readonly string[]): boolean {
  const token = headers['x-gitlab-token'];
  if (token === undefined || token === '') return false;
  const claimed = digest(token);
  return secrets.some((secret) => timingSafeEqual(digest(secret), claimed));
}

/** Hashing both sides makes them equally long whatever was sent, so the comparison says nothing about the secret's length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function verifySignature(delivery: {
  readonly headers: HookHeaders;
  readonly body: Buffer;
  readonly secrets: readonly string[];
  readonly now: Date;
}): boolean {
  const { headers, body, now } = delivery;
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!DELIVERY_ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > CLOCK_TOLERANCE_MS) return false;
  const claimed = claimedSignatures(headers['webhook-signature'] ?? '');
  return delivery.secrets.flatMap(signingKey).some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return claimed.some((signature) => timingSafeEqual(expected, signature));
  });
}

/** The 32-byte signatures of version 1 among a space separated list of `version,base64`. */
function claimedSignatures(header: string): readonly Buffer[] {
  return header
    .split(' ', MAX_SIGNATURES)
    .filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
    .map((part) => Buffer.from(part.slice(3), 'base64'));
}

/** The key of `whsec_<base64>`, 24 to 64 bytes by the Standard Webhooks specification (GitLab: 32); none when it is not one. */
function signingKey(secret: string): readonly Buffer[] {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (encoded === undefined) return [];
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 ? [key] : [];
}
