import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTxtResolver } from '../../../src/adapters/dns/index.ts';

/** What the name server here says: strings of one record each, a response code, or nothing. */
type Answer = readonly (readonly string[])[] | 'nxdomain' | 'servfail' | 'silence';

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** A name server on loopback over UDP (RFC 1035), and the names it was asked for. */
async function nameServer(answer: Answer): Promise<{ readonly address: string; readonly asked: string[] }> {
  const socket = createSocket('udp4');
  open.push(socket);
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    asked.push(labels.join('.'));
    if (answer === 'silence') return;
    const records = typeof answer === 'string' ? [] : answer;
    const code = answer === 'nxdomain' ? 3 : answer === 'servfail' ? 2 : 0;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt16BE(0, 8);
    header.writeUInt16BE(0, 10);
    const body = records.map((parts) => {
      const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])));
      const head = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 60, 0, 0]);
      head.writeUInt16BE(data.length, 10);
      return Buffer.concat([head, data]);
    });
    socket.send(Buffer.concat([header, question.subarray(12, at + 5), ...body]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

function ask(server: string, timeoutMs = 2000) {
  return createTxtResolver({ servers: [server], timeoutMs }).txt('_hakopod-challenge.shop.example.com');
}

describe('TXT records', () => {
  it('come from the name server it is told, each as one text', async () => {
    const { address, asked } = await nameServer([['hakopod-domain-', 'verification=abc'], ['v=spf1 -all']]);
    expect(await ask(address)).toEqual({ ok: true, value: ['hakopod-domain-verification=abc', 'v=spf1 -all'] });
    expect(asked).toEqual(['_hakopod-challenge.shop.example.com']);
  });

  it.each(['nxdomain', []] as const)('are none when the answer is %s', async (answer) => {
    const { address } = await nameServer(answer);
    expect(await ask(address)).toEqual({ ok: true, value: [] });
  });

  it.each(['servfail', 'silence'] as const)('can not be told when the answer is %s', async (answer) => {
    const { address } = await nameServer(answer);
    const began = performance.now();
    expect(await ask(address, 400)).toMatchObject({ ok: false, problem: { code: 'dns_unavailable' } });
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
