import { BlockList, isIP } from 'node:net';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';

const MAX_URL = 2048;

/** Addresses no repository of a forge lives at: this machine and the link, where clouds keep their metadata services. */
const HERE: BlockList = (() => {
  const list = new BlockList();
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addAddress('::', 'ipv6');
  list.addAddress('::1', 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addAddress('fd00:ec2::254', 'ipv6');
  return list;
})();

/** True for a loopback, unspecified or link-local IP address, also one written as IPv4-mapped IPv6. */
export function isHereAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && HERE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Checks the URL of a repository: https, or http too when `local`; no user information, query or fragment; unless `local` no
 * host that means this machine or link. `ssh_unsupported` for both SSH notations, `invalid_url` for everything else.
 */
export function checkRemoteUrl(text: string, options: { readonly local: boolean }): Result<URL> {
  if (isSsh(text)) return fail(problem('ssh_unsupported'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the URL parser silently drops some of them
  if (text.length > MAX_URL || /[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return invalid();
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(options.local && url.protocol === 'http:')) {
    return invalid('a repository URL starts with https://');
  }
  if (/^[^/]*\/\/[^/]*@/.test(text)) {
    return invalid('a repository URL carries no user name or token; credentials are given separately');
  }
  if (/[?#]/.test(text)) return invalid('a repository URL has no query and no fragment');
  if (url.pathname === '/') return invalid('the repository URL names a host but no repository');
  if (!options.local && isHereHost(url.hostname)) {
    return invalid('the repository URL names this machine or a link-local address');
  }
  return ok(url);
}

function invalid(message?: string): Result<never> {
  return fail(problem('invalid_url', message));
}

function isSsh(text: string): boolean {
  return (
    /^(?:git\+)?ssh:|^ssh\+git:/i.test(text) ||
    /^[^/:@\s]+@[^/:\s]+:/.test(text) ||
    /^[\w-]+(?:\.[\w-]+)+:\D/.test(text)
  );
}

function isHereHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || isHereAddress(host);
}

/**
 * Whether the API of a forge named `host` may be at `address`. It is at the host of the repository's URL, so a name of somebody else's must not
 * lead to this machine or link by its DNS. Names of the operator's own (`own`) may; what needs no DNS was judged with its URL.
 */
export function isForgeAddress(host: string, address: string, own: readonly string[]): boolean {
  return isHereHost(host) || own.includes(host) || !isHereAddress(address);
}
