import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dataPacket,
  MAX_PACKET_DATA,
  type Packet,
  packetText,
  readPackets,
  specialPacket,
} from '../../../src/adapters/git/pkt-line.ts';
import { code, value } from './support.ts';

const packet = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((data): Packet => ({ type: 'data', data: Buffer.from(data) })),
  fc.constantFrom('flush', 'delimiter', 'end').map((type): Packet => ({ type }) as Packet),
);

describe('readPackets', () => {
  it('reads what the writers wrote', () => {
    fc.assert(
      fc.property(fc.array(packet), (packets) => {
        const bytes = Buffer.concat(
          packets.map((p) => (p.type === 'data' ? dataPacket(p.data) : specialPacket(p.type))),
        );
        expect(value(readPackets(bytes))).toEqual(packets);
      }),
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['ok', 'git_protocol']).toContain(code(readPackets(Buffer.from(bytes))));
      }),
    );
  });

  it.each(['000', '0003', 'zzzz', '+001', '0005', '0006a', 'fff5', `ffff${'x'.repeat(70_000)}`])(
    'refuses %.8s',
    (text) => expect(code(readPackets(Buffer.from(text)))).toBe('git_protocol'),
  );

  it('takes the largest packet', () => {
    const [largest] = value(readPackets(dataPacket(Buffer.alloc(MAX_PACKET_DATA))));
    expect(largest?.type === 'data' && largest.data.length).toBe(MAX_PACKET_DATA);
  });

  it('gives text without its line end', () => {
    expect(packetText({ type: 'data', data: Buffer.from('version 2\n') })).toBe('version 2');
    expect(packetText({ type: 'flush' })).toBeUndefined();
  });
});
