import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Mailbox } from '../../kernel/index.ts';
import type { MessageSocket } from '../../ports/index.ts';

/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
/** Bytes of a message, its parts together. */
const MESSAGE_BYTES = 64 * 1024;
/** Messages that may wait to be asked for before the sender is held back. */
const WAITING = 16;
const PING_MS = 15_000;
/** How long the other end may say nothing at all, not even answer a ping. */
const SILENCE_MS = 45_000;
const GOODBYE_MS = 2000;

/** The answer to a proper handshake (RFC 6455, section 4.2); `undefined` when it is none. */
export function acceptHandshake({ headers, method }: IncomingMessage): string | undefined {
  const key = headers['sec-websocket-key'];
  const isOne =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    key !== undefined &&
    KEY.test(key);
  if (!isOne) return undefined;
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    '\r\n',
  ].join('\r\n');
}

type Parts = { readonly opcode: number; readonly payloads: Buffer[] };
type Frame = { readonly isLast: boolean; readonly opcode: number; readonly payload: Buffer };

/**
 * The server's end of a WebSocket over a connection whose handshake is done: text and binary messages of at most 64 KiB. It pings, and takes
 * an end that is silent for 45 s, or takes nothing for as long, for gone. What breaks the protocol ends it. No extension is offered.
 */
export class WebSocketEnd implements MessageSocket {
  readonly #connection: Duplex;
  readonly #queue = new Mailbox<string | Uint8Array>();
  readonly #timers: NodeJS.Timeout[];
  #unread: Buffer;
  #parts: Parts | undefined;
  #heardAt = performance.now();
  #isClosing = false;

  constructor(connection: Duplex, head: Buffer) {
    this.#connection = connection;
    this.#unread = head;
    this.#timers = [setInterval(() => this.#ping(), PING_MS)];
    connection.on('data', (data: Buffer) => this.#onData(data));
    connection.on('error', () => this.#gone());
    connection.on('close', () => this.#gone());
    connection.on('end', () => this.#gone());
    if (head.length > 0) this.#onData(Buffer.alloc(0));
  }

  async send(message: string | Uint8Array): Promise<void> {
    if (this.#isClosing) return;
    const [opcode, payload] =
      typeof message === 'string' ? [OPCODE.text, Buffer.from(message)] : [OPCODE.binary, Buffer.from(message)];
    if (this.#connection.write(frameOf(opcode, payload)) || this.#connection.destroyed) return;
    await new Promise<void>((resolve) => {
      // An end that takes nothing is as gone as one that says nothing, though it goes on talking.
      const late = setTimeout(() => this.#gone(), SILENCE_MS);
      const done = (): void => {
        clearTimeout(late);
        this.#connection.off('drain', done).off('close', done);
        resolve();
      };
      this.#connection.on('drain', done).on('close', done);
    });
  }

  async receive(): Promise<string | Uint8Array | undefined> {
    const message = await this.#queue.take();
    if (this.#queue.size < WAITING && this.#connection.isPaused()) this.#connection.resume();
    return message;
  }

  close(): void {
    this.#end(1000);
  }

  #end(code: number): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#connection.end(frameOf(OPCODE.close, payload));
    this.#queue.end();
    this.#timers.push(setTimeout(() => this.#connection.destroy(), GOODBYE_MS));
  }

  #gone(): void {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#queue.end();
    this.#connection.destroy();
  }

  #ping(): void {
    if (performance.now() - this.#heardAt > SILENCE_MS) this.#gone();
    else if (!this.#isClosing) this.#connection.write(frameOf(OPCODE.ping, Buffer.alloc(0)));
  }

  #onData(data: Buffer): void {
    this.#heardAt = performance.now();
    this.#unread = this.#unread.length === 0 ? data : Buffer.concat([this.#unread, data]);
    while (!this.#isClosing) {
      const read = readFrame(this.#unread);
      if (read === undefined) break;
      if (typeof read === 'number') {
        this.#end(read);
        return;
      }
      this.#unread = this.#unread.subarray(read.length);
      this.#onFrame(read.frame);
    }
    if (this.#queue.size >= WAITING) this.#connection.pause();
  }

  #onFrame(frame: Frame): void {
    const { opcode, payload } = frame;
    if (opcode === OPCODE.close) this.#end(1000);
    else if (opcode === OPCODE.ping) this.#connection.write(frameOf(OPCODE.pong, payload));
    else if (opcode !== OPCODE.pong) this.#onPart(frame);
  }

  #onPart({ isLast, opcode, payload }: Frame): void {
    const isNew = opcode !== OPCODE.continuation;
    const parts: Parts | undefined = isNew ? { opcode, payloads: [] } : this.#parts;
    // A new message inside of another, or a part of none.
    if (parts === undefined || (isNew && this.#parts !== undefined)) {
      this.#end(1002);
      return;
    }
    parts.payloads.push(payload);
    this.#parts = isLast ? undefined : parts;
    if (parts.payloads.reduce((sum, { length }) => sum + length, 0) > MESSAGE_BYTES) this.#end(1009);
    else if (isLast) {
      const whole = Buffer.concat(parts.payloads);
      this.#queue.put(parts.opcode === OPCODE.text ? whole.toString('utf8') : new Uint8Array(whole));
    }
  }
}

/** The first frame of what came, with its length; `undefined` when it is not all there; a closing code when it is none. */
function readFrame(data: Buffer): { readonly frame: Frame; readonly length: number } | number | undefined {
  if (data.length < 2) return undefined;
  const [first = 0, second = 0] = data;
  const opcode = first & 0x0f;
  const isLast = (first & 0x80) !== 0;
  const isControl = opcode >= 8;
  const short = second & 0x7f;
  const isKnown = (Object.values(OPCODE) as number[]).includes(opcode);
  // Clients mask what they send; nobody agreed on extensions; control frames are short and whole.
  if ((second & 0x80) === 0 || (first & 0x70) !== 0 || !isKnown || (isControl && (!isLast || short > 125))) return 1002;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (data.length < 2 + extra) return undefined;
  const size = extra === 2 ? data.readUInt16BE(2) : extra === 8 ? Number(data.readBigUInt64BE(2)) : short;
  if (size > MESSAGE_BYTES) return 1009;
  const start = 2 + extra + 4;
  if (data.length < start + size) return undefined;
  const mask = data.subarray(start - 4, start);
  const payload = Buffer.from(data.subarray(start, start + size));
  for (let i = 0; i < size; i += 1) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return { frame: { isLast, opcode, payload }, length: start + size };
}

/** One whole frame, unmasked as a server's are. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
