import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyDelta } from '../../../src/adapters/git/delta.ts';
import { hashObject } from '../../../src/adapters/git/objects.ts';
import { readPack } from '../../../src/adapters/git/pack.ts';
import { cleanup, code, MIB, run, value } from './support.ts';

const undo = cleanup();
const LIMITS = { maxObjectBytes: MIB, maxTotalBytes: 8 * MIB };

function header(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  bytes.push((type << 4) | (size & 15) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

function pack(entries: readonly Buffer[], options: { count?: number; version?: number } = {}): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(options.version ?? 2, 4);
  head.writeUInt32BE(options.count ?? entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const whole = (type: number, data: Buffer, size = data.length) =>
  Buffer.concat([header(type, size), deflateSync(data)]);
const refDelta = (base: string, delta: Buffer) =>
  Buffer.concat([header(7, delta.length), Buffer.from(base, 'hex'), deflateSync(delta)]);
const text = Buffer.from('hello\n');
const oid = hashObject({ type: 'blob', data: text }, 'sha1');

describe('readPack against git pack-objects', () => {
  let folder: string;
  let oids: readonly string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hakopod-test-pack-'));
    undo(() => rm(folder, { recursive: true, force: true }));
    await run(folder, ['init', '-q', '-b', 'main', '.']);
    let lines = Array.from({ length: 400 }, (_, i) => `line ${i} ${'x'.repeat(i % 40)}`);
    for (let n = 0; n < 12; n++) {
      lines = lines.map((line, i) => (i % 37 === n ? `${line} changed ${n}` : line));
      await writeFile(join(folder, 'big.txt'), lines.join('\n'));
      await run(folder, ['add', '-A']);
      await run(folder, ['commit', '-qm', `n${n}`]);
    }
    const all = await run(folder, ['rev-list', '--objects', '--all']);
    oids = all
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
  });

  it.each([['--delta-base-offset'], ['--no-reuse-delta']])('reads deltas made with %s', async (flag) => {
    const name = await run(folder, ['pack-objects', '-q', '--window=50', flag, 'out'], `${oids.join('\n')}\n`);
    const bytes = await readFile(join(folder, `out-${name.trim()}.pack`));
    const verified = await run(folder, ['verify-pack', '-v', `out-${name.trim()}.idx`]);
    expect(verified).toContain('chain length');
    const objects = value(readPack(bytes, 'sha1', LIMITS));
    expect([...objects.keys()].sort()).toEqual([...oids].sort());
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      expect(code(readPack(damaged, 'sha1', LIMITS))).toBe('git_protocol');
      expect(code(readPack(bytes.subarray(0, at), 'sha1', LIMITS))).toBe('git_protocol');
    }
  });
});

describe('readPack on hostile packs', () => {
  it('reads a plain object and a delta whose base comes later', () => {
    const delta = Buffer.from([6, 11, 0x90, 6, 5, ...Buffer.from('world')]);
    const objects = value(readPack(pack([refDelta(oid, delta), whole(3, text)]), 'sha1', LIMITS));
    expect([...objects.values()].map(({ data }) => data.toString()).sort()).toEqual(['hello\n', 'hello\nworld']);
  });

  const bad: readonly (readonly [string, Buffer])[] = [
    ['no pack', Buffer.from('hello'.repeat(20))],
    ['an unknown version', pack([whole(3, text)], { version: 9 })],
    ['a count that is too high', pack([whole(3, text)], { count: 2 })],
    ['a count of four thousand million', pack([whole(3, text)], { count: 0xffffffff })],
    ['a count that is too low', pack([whole(3, text)], { count: 0 })],
    ['an announced size that is too small', pack([whole(3, text, 3)])],
    ['an announced size that is too large', pack([whole(3, text, 7)])],
    ['an unknown type', pack([whole(5, text)])],
    ['no data', pack([header(3, 6)])],
    ['a delta without base', pack([refDelta('a'.repeat(40), Buffer.from([6, 1, 1, 65]))])],
    [
      'a delta that points before the pack',
      pack([Buffer.concat([header(6, 3), Buffer.from([0x7f]), deflateSync(text)])]),
    ],
    ['a delta onto itself', pack([Buffer.concat([header(6, 6), Buffer.from([0]), deflateSync(text)])])],
  ];
  it.each(bad)('answers git_protocol for %s', (_name, bytes) =>
    expect(code(readPack(bytes, 'sha1', LIMITS))).toBe('git_protocol'),
  );

  it.each([MIB + 1, 2 ** 31, 2 ** 40, 2 ** 48])('does not allocate what a header of %d bytes announces', (size) => {
    expect(code(readPack(pack([whole(3, text, size)]), 'sha1', LIMITS))).toBe('object_too_large');
  });

  it('stops a bomb that announces little before it has grown', () => {
    const bomb = pack([Buffer.concat([header(3, 10), deflateSync(Buffer.alloc(400 * MIB))])]);
    globalThis.gc?.();
    const before = process.resourceUsage().maxRSS;
    // The buffer of zeros above is never touched, so it is not resident; what the bomb inflates to would be.
    expect(code(readPack(bomb, 'sha1', LIMITS))).toBe('git_protocol');
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024);
  });

  it('checks the checksum itself', () => {
    const bytes = pack([whole(3, text)]);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(code(readPack(bytes, 'sha1', LIMITS))).toBe('git_protocol');
  });

  it('bounds all objects together', () => {
    const entries = Array.from({ length: 10 }, () => whole(3, Buffer.alloc(MIB)));
    expect(code(readPack(pack(entries), 'sha1', LIMITS))).toBe('object_too_large');
  });

  it('never throws on random entries behind a right checksum', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(3), (bytes, count) => {
        const result = readPack(pack([Buffer.from(bytes)], { count }), 'sha1', LIMITS);
        expect(['ok', 'git_protocol', 'object_too_large']).toContain(code(result));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('applyDelta', () => {
  it('never throws and never makes more than allowed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), fc.uint8Array({ maxLength: 50 }), (base, delta) => {
        const sized = Buffer.concat([Buffer.from([base.length]), Buffer.from(delta)]);
        const result = applyDelta(Buffer.from(base), sized, 100);
        expect(result.ok ? result.value.length <= 100 : true).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses a delta that was made for another base or makes another size', () => {
    const copyAll = (from: number, to: number) =>
      applyDelta(Buffer.from('base'), Buffer.from([from, to, 0x90, 4]), MIB);
    expect(code(copyAll(4, 4))).toBe('ok');
    expect(code(copyAll(5, 4))).toBe('git_protocol');
    expect(code(copyAll(4, 5))).toBe('git_protocol');
    expect(code(copyAll(4, 3))).toBe('git_protocol');
    expect(code(applyDelta(Buffer.from('base'), Buffer.from([4, 4, 0x90, 4]), 3))).toBe('git_protocol');
  });

  it('reads a copy of 64 KiB, whose size is written as zero', () => {
    const base = Buffer.alloc(0x10000, 7);
    const delta = Buffer.from([0x80, 0x80, 0x04, 0x80, 0x80, 0x04, 0x80]);
    expect(value(applyDelta(base, delta, MIB)).equals(base)).toBe(true);
  });
});
