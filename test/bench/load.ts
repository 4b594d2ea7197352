import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { BenchRequest } from './deliveries.ts';

/** What a run saw. Latencies in milliseconds, in no order. */
export type LoadResult = {
  readonly accepted: number;
  readonly refused: number;
  readonly perSecond: number;
  readonly latencies: readonly number[];
};

/** Keeps `connections` requests in flight for `seconds`. */
export async function closedLoop(
  port: number,
  requests: readonly BenchRequest[],
  options: { connections: number; seconds: number },
): Promise<LoadResult> {
  const tally = new Tally();
  const began = performance.now();
  const end = began + options.seconds * 1_000;
  await Promise.all(
    Array.from({ length: options.connections }, async (_, n) => {
      const line = await Line.open(port);
      for (let i = n; performance.now() < end; i += 1) {
        const at = performance.now();
        tally.add(await line.exchange(nextOf(requests, i)), performance.now() - at);
      }
      line.close();
    }),
  );
  return tally.result((performance.now() - began) / 1_000);
}

/** Sends `rate` requests a second whatever the answers do; a latency counts from when its request was due. */
export async function openLoop(
  port: number,
  requests: readonly BenchRequest[],
  options: { rate: number; seconds: number },
): Promise<LoadResult> {
  const tally = new Tally();
  const idle = await Promise.all(Array.from({ length: 200 }, () => Line.open(port)));
  const lines = [...idle];
  const due: number[] = [];
  const total = options.rate * options.seconds;
  const began = performance.now();
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve, reject) => {
    const pump = (): void => {
      for (let line = idle.pop(); line !== undefined; line = idle.pop()) {
        const at = due.shift();
        if (at === undefined) {
          idle.push(line);
          return;
        }
        const used = line;
        used.exchange(nextOf(requests, sent++)).then((status) => {
          tally.add(status, performance.now() - at);
          idle.push(used);
          answered += 1;
          if (answered === total) resolve();
          else pump();
        }, reject);
      }
    };
    let scheduled = 0;
    const tick = (): void => {
      const now = performance.now();
      while (scheduled < total && began + (scheduled * 1_000) / options.rate <= now) {
        due.push(began + (scheduled * 1_000) / options.rate);
        scheduled += 1;
      }
      pump();
      if (scheduled < total) setTimeout(tick, 1);
    };
    tick();
  });
  for (const line of lines) line.close();
  return tally.result((performance.now() - began) / 1_000);
}

/** The value below which this share of the numbers lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function nextOf(requests: readonly BenchRequest[], i: number): BenchRequest {
  return requests[i % requests.length]!;
}

class Tally {
  readonly latencies: number[] = [];
  accepted = 0;
  refused = 0;

  add(status: string, ms: number): void {
    if (status.startsWith('2')) this.accepted += 1;
    else this.refused += 1;
    this.latencies.push(ms);
  }

  result(seconds: number): LoadResult {
    return {
      accepted: this.accepted,
      refused: this.refused,
      perSecond: this.accepted / seconds,
      latencies: this.latencies,
    };
  }
}

/** A keep-alive connection with one request at a time, as little work as a client can do: the load shares its core with Redis. */
class Line {
  private socket: Socket;
  private readonly port: number;
  private readonly seed = randomBytes(12).toString('hex');
  private count = 0;
  private heard = '';
  private done: { resolve: (status: string) => void; reject: (error: Error) => void } | undefined;

  private constructor(port: number, socket: Socket) {
    this.port = port;
    this.socket = this.adopt(socket);
  }

  private adopt(socket: Socket): Socket {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.hear(chunk.toString('latin1')));
    socket.on('close', () => {
      this.done?.reject(new Error('the server closed a connection'));
      this.done = undefined;
    });
    socket.on('error', (error) => this.done?.reject(error));
    return socket;
  }

  static async open(port: number): Promise<Line> {
    return new Line(port, await connected(port));
  }

  async exchange({ bytes, idAt }: BenchRequest): Promise<string> {
    // A server closes what was idle for long; a real client connects again, and so does this one.
    if (this.socket.destroyed || this.socket.readableEnded) this.socket = this.adopt(await connected(this.port));
    const copy = Buffer.from(bytes);
    copy.write(`${this.seed}${String(this.count++).padStart(12, '0')}`, idAt, 'latin1');
    return new Promise((resolve, reject) => {
      this.done = { resolve, reject };
      this.socket.write(copy);
    });
  }

  close(): void {
    this.done = undefined;
    this.socket.destroy();
  }

  private hear(text: string): void {
    this.heard += text;
    const head = this.heard.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /content-length: (\d+)/i.exec(this.heard.slice(0, head))?.[1];
    // An answer without a length ends with the empty chunk.
    const complete =
      length === undefined ? this.heard.endsWith('0\r\n\r\n') : this.heard.length >= head + 4 + Number(length);
    if (!complete) return;
    const status = this.heard.slice(9, 12);
    const { done } = this;
    this.heard = '';
    this.done = undefined;
    done?.resolve(status);
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}
