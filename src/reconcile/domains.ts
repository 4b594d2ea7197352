import { createHmac } from 'node:crypto';
import type { Result } from '../kernel/index.ts';

/** How the ownership of a custom domain stands; times are ISO 8601. */
export type DomainState = {
  readonly verifiedAt?: string | undefined;
  readonly checkedAt?: string | undefined;
  readonly failingSince?: string | undefined;
  readonly code?: string | undefined;
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How often a pending domain is looked at without being asked to, and a verified one. */
const PENDING_CHECK_MS = 5 * MINUTE;
const VERIFIED_CHECK_MS = DAY;
/** How long the record of a verified domain may be gone before the domain is pending again: a domain changes hands slower than a record is lost. */
const LAPSE_MS = 7 * DAY;

/** Longest name in DNS, and what the usual challenge adds to a host: the longest hosts of facts 2.6 get a shorter one. */
const NAME = 253;
const PREFIXES = ['_hakopod-challenge', '_hakopod'] as const;
const VALUE = 'hakopod-domain-verification=';

/** The TXT record that proves who owns a domain: where it must be, and what it must say. */
export function domainChallenge(host: string, token: string): { readonly name: string; readonly value: string } {
  const [usual, short] = PREFIXES;
  const prefix = usual.length + 1 + host.length <= NAME ? usual : short;
  return { name: `${prefix}.${host}`, value: `${VALUE}${token}` };
}

/** The token of one application and domain: the same whenever it is asked for, and nobody else's. `key` is the installation's. */
export function domainToken(key: string, applicationId: string, host: string): string {
  return createHmac('sha256', key).update(`domain\n${applicationId}\n${host}`).digest('hex').slice(0, 32);
}

/** Whether a domain leads to its service. */
export function isDomainActive(state: DomainState): boolean {
  return state.verifiedAt !== undefined;
}

/** Whether a domain is to be looked at again without anybody asking. */
export function isDomainDue(state: DomainState, now: Date): boolean {
  if (state.checkedAt === undefined) return true;
  const isSettled = isDomainActive(state) && state.code === undefined;
  return now.getTime() - Date.parse(state.checkedAt) >= (isSettled ? VERIFIED_CHECK_MS : PENDING_CHECK_MS);
}

/**
 * How a domain stands after its records were read. One record with the value is enough. A verified domain stays verified while the name
 * servers do not answer, and for seven days without the record.
 */
export function nextDomainState(
  state: DomainState,
  input: { readonly value: string; readonly records: Result<readonly string[]>; readonly now: Date },
): DomainState {
  const { value, records, now } = input;
  const checkedAt = now.toISOString();
  if (!records.ok) return { ...state, checkedAt, code: records.problem.code };
  if (records.value.some((record) => record.trim() === value))
    return { verifiedAt: state.verifiedAt ?? checkedAt, checkedAt };
  const failed = { checkedAt, code: 'domain_not_verified' };
  if (!isDomainActive(state)) return failed;
  const failingSince = state.failingSince ?? checkedAt;
  const isOver = now.getTime() - Date.parse(failingSince) >= LAPSE_MS;
  return isOver ? failed : { ...failed, verifiedAt: state.verifiedAt, failingSince };
}
