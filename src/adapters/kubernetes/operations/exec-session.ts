import { at, fail, isFields, ok, type Problem, problem, type Result, records } from '../../../kernel/index.ts';
import type { ExecSession, TerminalSize as Size } from '../../../ports/cluster-operations/index.ts';
import { OPERATION_LIMITS, TerminalSize } from '../../../ports/cluster-operations/index.ts';
import type { Clock } from '../../../ports/index.ts';
import type { Channels } from '../channels.ts';

/** Kubernetes' numbers of the channels; a terminal has no stderr of its own. */
const STDIN = 0;
const STDOUT = 1;
const STATUS = 3;
const RESIZE = 4;

/** Output nobody has read beyond which the other side has to wait. */
const HIGH_WATER = 256 * 1024;

/** Milliseconds; shorter ones for tests. */
export type ExecTimes = { readonly idleMs: number; readonly lifetimeMs: number };

/**
 * The program's end of one exec stream (cluster operations 10). Feed it with `onFrame` and `onGone`, and hand it the channels once they are
 * open. The first cause ends it for reader and writer alike: closed, idle (no input; output does not count), lifetime, or a broken stream.
 */
export class Session implements ExecSession {
  readonly #clock: Clock;
  readonly #times: ExecTimes;
  readonly #ended = new AbortController();
  #channels: Channels | undefined;
  #output: Buffer[] = [];
  #buffered = 0;
  #wake: (() => void)[] = [];
  #cause: Problem | undefined;
  /** The program has ended by itself: what is left of its output is still read. */
  #isOver = false;
  #exitCode: number | undefined;
  #lastInput: number;
  #size: Size | undefined;
  #isResizing = false;

  constructor(clock: Clock, times: Partial<ExecTimes> = {}) {
    const { execIdleMs: idleMs, execLifetimeMs: lifetimeMs } = OPERATION_LIMITS;
    this.#clock = clock;
    this.#times = { idleMs, lifetimeMs, ...times };
    this.#lastInput = clock.now().getTime();
  }

  /** The stream is open: from now on the times run. */
  start(channels: Channels): void {
    this.#channels = channels;
    this.#lastInput = this.#clock.now().getTime();
    if (this.#cause !== undefined || this.#isOver) {
      channels.close();
      return;
    }
    void this.#watchIdle();
    void this.#clock.sleep(this.#times.lifetimeMs, this.#ended.signal).then(() => {
      if (!this.#ended.signal.aborted) this.#end('exec_lifetime');
    });
  }

  async #watchIdle(): Promise<void> {
    for (;;) {
      const left = this.#lastInput + this.#times.idleMs - this.#clock.now().getTime();
      if (left <= 0) return this.#end('exec_idle');
      await this.#clock.sleep(left, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
    }
  }

  onFrame(channel: number, data: Buffer): void {
    if (this.#cause !== undefined || this.#isOver) return;
    if (channel === STATUS) this.#finish(data);
    if (channel !== STDOUT || data.length === 0) return;
    this.#output.push(data);
    this.#buffered += data.length;
    if (this.#buffered > HIGH_WATER) this.#channels?.pause();
    this.#notify();
  }

  /** A stream that goes before it told how the program ended must not read as a clean end of output. */
  onGone(): void {
    if (!this.#isOver) this.#end('exec_refused');
  }

  #finish(data: Buffer): void {
    const exitCode = exitCodeOf(data);
    if (exitCode === undefined) {
      this.#end('exec_refused');
      return;
    }
    this.#exitCode = exitCode;
    this.#isOver = true;
    this.#ended.abort();
    this.#channels?.close();
    this.#notify();
  }

  #end(code: 'exec_closed' | 'exec_idle' | 'exec_lifetime' | 'exec_refused'): void {
    if (this.#cause !== undefined) return;
    this.#cause = code === 'exec_refused' ? problem(code, 'the stream to the container broke') : problem(code);
    this.#output = [];
    this.#ended.abort();
    this.#channels?.close();
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  async read(): Promise<Result<Uint8Array | undefined>> {
    for (;;) {
      if (this.#cause !== undefined) return fail(this.#cause);
      const head = this.#output.shift();
      if (head !== undefined) return ok(this.#take(head));
      if (this.#isOver) return ok(undefined);
      await new Promise<void>((wake) => this.#wake.push(wake));
    }
  }

  #take(head: Buffer): Uint8Array {
    const chunk = head.subarray(0, OPERATION_LIMITS.execChunkBytes);
    if (chunk.length < head.length) this.#output.unshift(head.subarray(chunk.length));
    this.#buffered -= chunk.length;
    if (this.#buffered <= HIGH_WATER && !this.#isOver) this.#channels?.resume();
    return chunk;
  }

  async write(chunk: Uint8Array): Promise<Result<void>> {
    if (this.#cause !== undefined) return fail(this.#cause);
    if (chunk.length > OPERATION_LIMITS.execChunkBytes) return fail(problem('invalid_request'));
    const channels = this.#channels;
    if (this.#isOver || channels === undefined) return fail(problem('exec_closed'));
    this.#lastInput = this.#clock.now().getTime();
    const ended = new Promise<void>((wake) => this.#wake.push(wake));
    let isSent = false;
    const sent = channels.send(STDIN, chunk).then(
      () => {
        isSent = true;
      },
      () => this.onGone(),
    );
    // Output wakes us too; a program that does not read its input must not hold a writer whose session is over.
    for (let wait = ended; ; wait = new Promise<void>((wake) => this.#wake.push(wake))) {
      await Promise.race([sent, wait]);
      if (isSent) return ok(undefined);
      if (this.#cause !== undefined) return fail(this.#cause);
      if (this.#isOver) return fail(problem('exec_closed'));
    }
  }

  resize(size: Size): Result<void> {
    if (this.#cause !== undefined) return fail(this.#cause);
    if (!TerminalSize.safeParse(size).success) return fail(problem('invalid_request'));
    this.#lastInput = this.#clock.now().getTime();
    this.#size = size;
    if (!this.#isResizing) void this.#sendSizes();
    return ok(undefined);
  }

  /** One size is under way at a time; of those that come meanwhile only the newest is sent. */
  async #sendSizes(): Promise<void> {
    this.#isResizing = true;
    while (this.#size !== undefined && this.#channels !== undefined && !this.#ended.signal.aborted) {
      const { rows, columns } = this.#size;
      this.#size = undefined;
      const body = Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
      await this.#channels.send(RESIZE, body).catch(() => this.onGone());
    }
    this.#isResizing = false;
  }

  inspect(): { readonly running: boolean; readonly exitCode?: number } {
    const running = !this.#isOver && this.#cause === undefined;
    return this.#exitCode === undefined ? { running } : { running, exitCode: this.#exitCode };
  }

  close(): void {
    if (!this.#isOver) this.#end('exec_closed');
    else this.#cause ??= problem('exec_closed');
    this.#notify();
  }
}

/** The program's exit code from the status that ends a stream; undefined when the stream failed instead. */
function exitCodeOf(data: Buffer): number | undefined {
  let status: unknown;
  try {
    status = JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
  if (at(status, 'status') === 'Success') return 0;
  if (!isFields(status) || status.reason !== 'NonZeroExitCode') return undefined;
  const cause = records(at(status, 'details', 'causes')).find(({ reason }) => reason === 'ExitCode');
  const message = cause?.message;
  return typeof message === 'string' && /^\d{1,9}$/.test(message) ? Number(message) : undefined;
}
