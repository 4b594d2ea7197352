import { ok, type Result } from '../../kernel/index.ts';
import { malformed } from './pkt-line.ts';

/**
 * Applies a pack delta to its base (gitformat-pack(5), "Deltified representation"). The result is at most `maxBytes`; anything
 * that does not add up is `git_protocol`, never an exception.
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Result<Buffer> {
  const from = readSize(delta, 0);
  const to = from === undefined ? undefined : readSize(delta, from.next);
  if (from === undefined || to === undefined) return malformed('a delta has no sizes');
  if (from.size !== base.length) return malformed('a delta is for another base');
  if (to.size > maxBytes) return malformed('a delta makes an object that is too large');
  const out = Buffer.allocUnsafeSlow(to.size);
  let written = 0;
  let at = to.next;
  while (at < delta.length) {
    const op = delta[at] ?? 0;
    const copy = op & 0x80 ? readCopy(delta, at) : { offset: at + 1, size: op, next: at + 1 + op };
    const source = op & 0x80 ? base : delta;
    if (copy.size === 0 || copy.next > delta.length) return malformed('a delta has a bad instruction');
    if (copy.offset + copy.size > source.length || written + copy.size > to.size) {
      return malformed('a delta copies out of range');
    }
    written += source.copy(out, written, copy.offset, copy.offset + copy.size);
    at = copy.next;
  }
  return written === to.size ? ok(out) : malformed('a delta makes too few bytes');
}

/** Seven bits a byte, lowest first. `undefined` when cut off or over 2^49. */
function readSize(bytes: Buffer, start: number): { size: number; next: number } | undefined {
  let size = 0;
  for (let i = 0; i < 7; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return undefined;
    size += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { size, next: start + i + 1 };
  }
  return undefined;
}

/** Bits 0 to 3 say which offset bytes follow, bits 4 to 6 which size bytes; size 0 means 0x10000. */
function readCopy(delta: Buffer, start: number): { offset: number; size: number; next: number } {
  const op = delta[start] ?? 0;
  let next = start + 1;
  const number = (firstBit: number, count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++) if (op & (1 << (firstBit + i))) value += (delta[next++] ?? 0) * 2 ** (8 * i);
    return value;
  };
  const offset = number(0, 4);
  const size = number(4, 3);
  return { offset, size: size === 0 ? 0x10000 : size, next };
}
