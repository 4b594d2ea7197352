import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** What a name is answered: the strings of each of its TXT records, a refusal, or nothing at all. */
export type TxtAnswer = readonly (readonly string[])[] | 'nxdomain' | 'servfail' | 'silence';

export type NameServer = {
  /** IP address and port. */
  readonly address: string;
  readonly asked: string[];
  stop(): void;
};

const CODES = { nxdomain: 3, servfail: 2 } as const;

/** A name server on loopback over UDP (RFC 1035) that knows TXT records only. */
export async function startNameServer(answer: (name: string) => TxtAnswer): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const { name, end } = nameIn(question);
    asked.push(name);
    const said = answer(name);
    if (said === 'silence') return;
    const records = typeof said === 'string' ? [] : said;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (typeof said === 'string' ? CODES[said] : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    // The name, then type and class of the question.
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records.map(recordOf)]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, asked, stop: () => socket.close() };
}

/** The name a question is about, and where it ends. */
function nameIn(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** A TXT record of the name of the question, for a minute. */
function recordOf(parts: readonly string[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])));
  const head = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
