import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Case, Raw } from './fuzz-cases.ts';
import type { Call } from './harness.ts';

/** Longer than the server lets anybody take. */
const SILENCE_MS = 8_000;
/** How long a connection is heard after an answer that does not end it: a second answer would be somebody else's. */
const AFTER_MS = 15;

/** Sends cases, most of them over connections that are kept. */
export type Sender = { send(one: Case): Promise<string>; stop(): void };

export function createSender(port: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    send: (one) => ('call' in one ? overHttp(port, agent, one.call) : overSocket(port, one.raw)),
    stop: () => agent.destroy(),
  };
}

function overHttp(port: number, agent: Agent, { method = 'POST', path, headers, body }: Call): Promise<string> {
  return new Promise((resolve) => {
    const about = { port, host: '127.0.0.1', method, path, headers, agent, timeout: SILENCE_MS };
    const req = request(about, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve(named(res.statusCode ?? 0, Buffer.concat(chunks).toString())));
      res.on('error', () => resolve('cut'));
    });
    req.on('timeout', () => req.destroy(new Error('silence')));
    req.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code ?? error.message}`));
    req.end(body);
  });
}

function overSocket(port: number, { bytes, then }: Raw): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    let after: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes, () => {
        if (then === 'breaks off') socket[bytes.length % 2 === 0 ? 'destroy' : 'resetAndDestroy']();
      });
    });
    const finish = (how: string): void => {
      clearTimeout(silence);
      clearTimeout(after);
      socket.destroy();
      resolve(how);
    };
    const silence = setTimeout(() => finish('silence'), SILENCE_MS);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      clearTimeout(after);
      if (isWhole(heard)) after = setTimeout(() => finish(wordsOf(heard)), AFTER_MS);
    });
    socket.on('close', () => finish(wordsOf(heard)));
    socket.on('error', () => {});
  });
}

function isWhole(heard: string): boolean {
  const [head = '', body] = splitHead(heard);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (body === undefined) return false;
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
}

function splitHead(heard: string): readonly [string, string?] {
  const end = heard.indexOf('\r\n\r\n');
  return end < 0 ? [heard] : [heard.slice(0, end), heard.slice(end + 4)];
}

/** All answers on a connection; `closed` for none. */
function wordsOf(heard: string): string {
  if (heard === '') return 'closed';
  const answers = heard.split(/(?=HTTP\/1\.1 \d{3} )/);
  return answers
    .map((answer) => {
      const [head, body = ''] = splitHead(answer);
      return named(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), body.replace(/^[0-9a-f]+\r\n|\r\n.*$/gs, '')).trim();
    })
    .join(' + ');
}

/** The status, and the word our answers say it with. */
function named(status: number, body: string): string {
  const word = /^\{"(?:ignored":"(\w+)"|(accepted)":|error":\{"code":"(\w+)")/.exec(body);
  return `${status} ${word?.[1] ?? word?.[2] ?? word?.[3] ?? ''}`;
}
