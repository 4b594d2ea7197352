import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that are not the public Internet (IANA special-purpose registry): private, loopback, link-local with the cloud metadata
 * service, carrier-grade NAT, documentation, benchmarks, multicast, reserved. The last is Azure's host service, which has a public address.
 */
const REFUSED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
];
/** Within the global unicast range 2000::/3, the only IPv6 range that is allowed at all: protocol assignments and documentation. */
const REFUSED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const refused = listOf(REFUSED_V4, REFUSED_V6);
const global = listOf([], [['2000::', 3]]);
/** Ranges whose addresses carry an IPv4 address: mapped, NAT64 and 6to4. */
const carriers: readonly { readonly range: BlockList; readonly from: number }[] = [
  { range: listOf([], [['::ffff:0:0', 96]]), from: 6 },
  { range: listOf([], [['64:ff9b::', 96]]), from: 6 },
  { range: listOf([], [['2002::', 16]]), from: 1 },
];

/** Whether an address is on the public Internet, so that asking it can not reach something of the operator's (facts 3.8). */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4');
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return false;
  const carrier = carriers.find(({ range }) => range.check(plain, 'ipv6'));
  if (carrier !== undefined) return isPublicAddress(embeddedV4(plain, carrier.from));
  return global.check(plain, 'ipv6') && !refused.check(plain, 'ipv6');
}

function listOf(v4: readonly (readonly [string, number])[], v6: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of v4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of v6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

/** The IPv4 address in the two 16-bit groups that start at `from`. */
function embeddedV4(address: string, from: number): string {
  // The URL parser writes IPv6 in one form only: hex groups, the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back];
  const [high = 0, low = 0] = groups.slice(from, from + 2).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
