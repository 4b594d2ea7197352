import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, send } from './answer.ts';

/** How long, and how much, we listen to a sender whose body was refused, so that it gets to read the answer. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1024 * 1024;

/** What came of reading a body. */
export type Body = Buffer | 'too large' | 'broken';

/** Whether the announced length is over the cap; a length that is not a number never reaches us (the parser refuses it). */
export function announcesTooMuch(req: IncomingMessage, cap: number): boolean {
  const announced = req.headers['content-length'];
  return announced !== undefined && Number(announced) > cap;
}

/** Reads at most `cap` bytes, the limit being checked while they stream in. Never rejects: a connection that breaks is `broken`. */
export function readBody(req: IncomingMessage, cap: number): Promise<Body> {
  return new Promise((resolve) => {
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > cap) {
        first = undefined;
        more = undefined;
        req.removeAllListeners('data');
        req.pause();
        resolve('too large');
      } else if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    req.on('end', () => resolve(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, size)));
    req.on('error', () => resolve('broken'));
    req.on('close', () => resolve('broken'));
  });
}

/**
 * Answers a request whose body we do not want and ends the connection, but goes on listening for a moment: closing at once while
 * bytes arrive makes the sender's system throw our answer away.
 */
export function sendAndClose(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  if (res.headersSent || res.destroyed) return;
  const waiting = !req.complete;
  res.writeHead(answer.status, [...answer.headers, 'Connection', 'close']);
  if (!waiting) {
    res.end(answer.body);
    return;
  }
  res.write(answer.body);
  let heard = 0;
  const finish = (): void => {
    clearTimeout(timer);
    if (!res.writableEnded) res.end();
    req.socket.destroySoon();
  };
  const timer = setTimeout(finish, LINGER_MS);
  req.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    if (heard > LINGER_BYTES) finish();
  });
  req.on('end', finish);
  req.on('error', finish);
  req.on('close', finish);
  req.resume();
}

/** `sendAndClose` for a body still on its way, `send` otherwise. */
export function refuse(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  const empty = req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined;
  if (empty || req.headers['content-length'] === '0') send(res, answer);
  else sendAndClose(req, res, answer);
}
