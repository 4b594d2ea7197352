import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { applyDelta } from './delta.ts';
import { type GitObject, hashObject, type ObjectFormat, type ObjectType, oidLength } from './objects.ts';
import { malformed } from './pkt-line.ts';

export type PackLimits = {
  /** Bytes of one inflated object. */
  readonly maxObjectBytes: number;
  /** Bytes of all inflated objects together, so that many small bombs are one bomb. */
  readonly maxTotalBytes: number;
};

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFS_DELTA = 6;
const REF_DELTA = 7;
/** git itself makes chains of at most 4,095 (pack.depth); a longer one is an attack on the stack or the clock. */
const MAX_CHAIN = 4096;

type Entry = {
  readonly at: number;
  readonly data: Buffer;
  /** The type of a whole object, or where the base of a delta is: at an offset or under an id. */
  readonly is: { readonly type: ObjectType } | { readonly base: number | string };
};

/**
 * Reads a whole pack (gitformat-pack(5), version 2 or 3) into its objects by id; ids are computed here, so a caller that finds the
 * id it asked for has the right bytes. Thin packs are not understood. `git_protocol` when anything is wrong, `object_too_large` when
 * an object announces more than `maxObjectBytes`.
 */
export function readPack(
  pack: Buffer,
  format: ObjectFormat,
  limits: PackLimits,
): Result<ReadonlyMap<string, GitObject>> {
  const width = oidLength(format) / 2;
  if (pack.length < 12 + width || pack.toString('latin1', 0, 4) !== 'PACK')
    return malformed('the answer is not a pack');
  const version = pack.readUInt32BE(4);
  if (version !== 2 && version !== 3) return malformed('the pack has an unknown version');
  const body = pack.subarray(0, pack.length - width);
  if (!createHash(format).update(body).digest().equals(pack.subarray(body.length))) {
    return malformed('the pack is damaged: its checksum is another');
  }
  const entries = readEntries(body, pack.readUInt32BE(8), { limits, width });
  return entries.ok ? resolveEntries(entries.value, format, limits) : entries;
}

function readEntries(
  body: Buffer,
  count: number,
  options: { readonly limits: PackLimits; readonly width: number },
): Result<readonly Entry[]> {
  const entries: Entry[] = [];
  let left = options.limits.maxTotalBytes;
  let at = 12;
  for (let i = 0; i < count; i++) {
    const entry = readEntry(body, at, {
      width: options.width,
      max: Math.min(options.limits.maxObjectBytes, left),
    });
    if (!entry.ok) return entry;
    entries.push(entry.value.entry);
    left -= entry.value.entry.data.length;
    at = entry.value.next;
  }
  return at === body.length ? ok(entries) : malformed('the pack has bytes after its last object');
}

function readEntry(
  body: Buffer,
  at: number,
  options: { readonly width: number; readonly max: number },
): Result<{ readonly entry: Entry; readonly next: number }> {
  const header = readHeader(body, at);
  if (header === undefined) return malformed('the pack ends inside an object header');
  // A delta that inserts everything can be a little larger than what it makes.
  if (header.size > options.max * (header.type >= OFS_DELTA ? 2 : 1)) return fail(problem('object_too_large'));
  let next = header.next;
  let is: Entry['is'];
  if (header.type === OFS_DELTA) {
    const distance = readDistance(body, next);
    if (distance === undefined || distance.value > at - 12) return malformed('a delta points outside the pack');
    is = { base: at - distance.value };
    next = distance.next;
  } else if (header.type === REF_DELTA) {
    is = { base: body.toString('hex', next, next + options.width) };
    next += options.width;
  } else {
    const type = TYPES[header.type];
    if (type === undefined) return malformed('the pack has an object of an unknown type');
    is = { type };
  }
  const inflated = inflate(body, next, header.size);
  if (!inflated.ok) return inflated;
  return ok({ entry: { at, data: inflated.value.data, is }, next: next + inflated.value.consumed });
}

/** Type in bits 4 to 6 of the first byte, size in the low 4 and then 7 a byte. */
function readHeader(body: Buffer, start: number): { type: number; size: number; next: number } | undefined {
  let byte = body[start];
  if (byte === undefined) return undefined;
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  let next = start + 1;
  for (let factor = 16; byte >= 0x80; factor *= 128) {
    byte = body[next++];
    if (byte === undefined || factor > 2 ** 46) return undefined;
    size += (byte & 0x7f) * factor;
  }
  return { type, size, next };
}

/** The distance of an offset delta's base: big-endian, seven bits a byte, one added per continuation. */
function readDistance(body: Buffer, start: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let i = 0; i < 7; i++) {
    const byte = body[start + i];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return value === 0 ? undefined : { value, next: start + i + 1 };
    value += 1;
  }
  return undefined;
}

function inflate(body: Buffer, at: number, size: number): Result<{ readonly data: Buffer; readonly consumed: number }> {
  try {
    // The chunk is a little larger than the object: the default keeps 16 KiB alive for each small object.
    const options = { info: true, maxOutputLength: size + 1, chunkSize: Math.max(64, Math.min(size + 16, 1 << 20)) };
    const { buffer, engine } = inflateSync(body.subarray(at), options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (buffer.length !== size) return malformed('an object is not as large as it announces');
    const data = Buffer.allocUnsafeSlow(size);
    buffer.copy(data);
    return ok({ data, consumed: engine.bytesWritten });
  } catch {
    // zlib throws for damaged and cut off data and for more output than announced.
    return malformed('an object in the pack is damaged');
  }
}

function resolveEntries(
  entries: readonly Entry[],
  format: ObjectFormat,
  limits: PackLimits,
): Result<ReadonlyMap<string, GitObject>> {
  const objects = new Map<string, GitObject>();
  const waiting = new Map<number | string, Entry[]>();
  const ready: { readonly entry: Entry; readonly base: GitObject; readonly depth: number }[] = [];
  let left = limits.maxTotalBytes;
  /** Keeps an object and wakes the deltas that wait for it, by its offset or by its id. */
  const keep = (at: number, object: GitObject, depth: number): void => {
    const oid = hashObject(object, format);
    objects.set(oid, object);
    for (const key of [at, oid]) {
      for (const entry of waiting.get(key) ?? []) ready.push({ entry, base: object, depth: depth + 1 });
      waiting.delete(key);
    }
  };
  for (const entry of entries) {
    if ('type' in entry.is) continue;
    const same = waiting.get(entry.is.base);
    if (same === undefined) waiting.set(entry.is.base, [entry]);
    else same.push(entry);
  }
  for (const entry of entries) if ('type' in entry.is) keep(entry.at, { type: entry.is.type, data: entry.data }, 0);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    if (next.depth > MAX_CHAIN) return malformed('a chain of deltas is too long');
    const data = applyDelta(next.base.data, next.entry.data, Math.min(limits.maxObjectBytes, left));
    if (!data.ok) return data;
    left -= data.value.length;
    keep(next.entry.at, { type: next.base.type, data: data.value }, next.depth);
  }
  return waiting.size === 0 ? ok(objects) : malformed('a delta has no base in the pack');
}
