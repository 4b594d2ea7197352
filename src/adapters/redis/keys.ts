import { sha256 } from '../../kernel/index.ts';

/** Delivery ids this plain stand in a key as they are; all others as a digest, so that a key is short whatever was sent. */
const PLAIN_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Key that exists while a delivery counts as seen; empty for a delivery without id. */
export function markKey(prefix: string, repository: string, deliveryId: string | undefined): string {
  if (deliveryId === undefined) return '';
  return `${prefix}:seen:${repository}:${PLAIN_ID.test(deliveryId) ? deliveryId : sha256(deliveryId)}`;
}

/** Key of the commits mentioned for a ref, a sorted set by time. */
export function mentionedKey(prefix: string, repository: string, ref: string): string {
  return `${prefix}:mentioned:${repository}:${ref}`;
}

/** Key of a repository's newest deliveries, a list. */
export function historyKey(prefix: string, repository: string): string {
  return `${prefix}:deliveries:${repository}`;
}

/** Key of what is left of a forge installation's budget, a hash. */
export function budgetKey(prefix: string, installation: string): string {
  return `${prefix}:forge-budget:${installation}`;
}

/** Key of the time until which a forge asked an installation to wait. */
export function pauseKey(prefix: string, installation: string): string {
  return `${prefix}:forge-pause:${installation}`;
}
