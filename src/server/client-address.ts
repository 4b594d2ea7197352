import type { IncomingMessage } from 'node:http';

/**
 * The address a request came from. Behind `trustedProxies` proxies of ours it is that many entries from the right of X-Forwarded-For; entries
 * further left were written by the client and prove nothing.
 */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string {
  const peer = req.socket.remoteAddress ?? 'unknown';
  if (trustedProxies < 1) return peer;
  const forwarded = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return forwarded.at(-trustedProxies)?.slice(0, 64) ?? peer;
}
