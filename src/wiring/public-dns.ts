import { createTxtResolver } from '../adapters/dns/index.ts';
import type { Config } from '../config.ts';
import type { TxtResolver } from '../ports/index.ts';

/** How long the name servers have for one challenge. */
const TIMEOUT_MS = 5000;

/** The name servers of the configuration, for the challenges of custom domains. */
export function publicDns({ dnsServers }: Config): TxtResolver {
  return createTxtResolver({ servers: dnsServers, timeoutMs: TIMEOUT_MS });
}
