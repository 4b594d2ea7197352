import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HookDialect } from '../../ports/index.ts';
import { decodeGithubDelivery } from './decode.ts';

/** Secrets that are valid at once: the current one and, during rotation, the one before (DESIGN invariant 2). */
const MAX_SECRETS = 2;
/** Facts 4.7: a delivery id has 8 to 128 characters. GitHub sends a UUID. */
const DELIVERY_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/**
 * GitHub's webhooks: HMAC-SHA256 over the raw bytes in `X-Hub-Signature-256`, and nothing else (the SHA-1 header is never read).
 * The check is our own few lines because the port is synchronous and works on bytes; @octokit/webhooks verifies text, asynchronously.
 */
export function createGithubDialect(): HookDialect {
  return {
    verify({ headers, body, secrets, auth }) {
      const signature = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1];
      if (auth !== 'hmac' || signature === undefined) return false;
      const claimed = Buffer.from(signature, 'hex');
      return usable(secrets).some((secret) =>
        timingSafeEqual(createHmac('sha256', secret).update(body).digest(), claimed),
      );
    },
    deliveryId(headers) {
      const id = headers['x-github-delivery'];
      return id !== undefined && DELIVERY_ID.test(id) ? id : undefined;
    },
    decode(headers, body) {
      return decodeGithubDelivery(headers['x-github-event'], body);
    },
  };
}

/** An empty secret proves nothing, so it is as good as none (fail closed). */
function usable(secrets: readonly string[]): readonly string[] {
  return secrets.slice(0, MAX_SECRETS).filter((secret) => secret !== '');
}
