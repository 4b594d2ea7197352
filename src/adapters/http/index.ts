/**
 * Outgoing HTTP for the adapters of forges and registries. Input: a request and the rules of its client (trusted roots, proxy,
 * which addresses may be connected to, size and time limits). Output: the raw answer or the reason there is none. Never follows a
 * redirect, never retries, never changes a process-wide setting, never reads the environment.
 */
export { type Lookup, openHttpClient } from './client.ts';
