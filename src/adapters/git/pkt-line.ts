import { fail, ok, problem, type Result } from '../../kernel/index.ts';

/** One packet of Git's pkt-line framing (gitprotocol-common(5)). `data` is a view into the input, without its length. */
export type Packet =
  | { readonly type: 'data'; readonly data: Buffer }
  | { readonly type: 'flush' | 'delimiter' | 'end' };

/** The most bytes one packet can carry: 65,520 less the four of the length (gitprotocol-common(5)). */
export const MAX_PACKET_DATA = 65_516;

const SPECIAL = ['flush', 'delimiter', 'end'] as const;

/** Frames text or bytes as one data packet. Callers keep to `MAX_PACKET_DATA`. */
export function dataPacket(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** Frames a special packet: `0000`, `0001` or `0002`. */
export function specialPacket(type: 'flush' | 'delimiter' | 'end'): Buffer {
  return Buffer.from(`000${SPECIAL.indexOf(type)}`);
}

/** Splits a whole answer into packets. `git_protocol` when a length is not hex, is 3, is too large or runs past the end. */
export function readPackets(bytes: Buffer): Result<readonly Packet[]> {
  const packets: Packet[] = [];
  let at = 0;
  while (at < bytes.length) {
    const head = bytes.toString('latin1', at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(head)) return malformed('a packet length is not four hex digits');
    const length = Number.parseInt(head, 16);
    const special = SPECIAL[length];
    if (special !== undefined) {
      packets.push({ type: special });
      at += 4;
      continue;
    }
    if (length < 4 || length > MAX_PACKET_DATA + 4) return malformed('a packet length is out of range');
    if (at + length > bytes.length) return malformed('the answer ends inside a packet');
    packets.push({ type: 'data', data: bytes.subarray(at + 4, at + length) });
    at += length;
  }
  return ok(packets);
}

/** The text of a data packet without its line end; `undefined` for a special packet. */
export function packetText(packet: Packet | undefined): string | undefined {
  return packet?.type === 'data' ? packet.data.toString('utf8').replace(/\n$/, '') : undefined;
}

/** A `git_protocol` failure; `detail` is our own words and goes to the log. */
export function malformed(detail: string): Result<never> {
  return fail(problem('git_protocol', undefined, { cause: detail }));
}
