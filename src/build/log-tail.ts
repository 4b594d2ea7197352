/** Bytes kept of a build's log. A BuildRun is one object in etcd and is written again and again while it runs. */
const TAIL_BYTES = 32 * 1024;
/** Characters kept of one line; what follows in the line is dropped. */
const LINE_CHARACTERS = 2000;
/** Of a line without an end, more than this is never held. */
const PENDING_CHARACTERS = 8192;

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY/;
const KEY_END = /-----END [A-Z0-9 ]{0,64}PRIVATE KEY-----/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what this removes
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/**
 * The last lines of a build's log, whole lines only, at most 32 KiB. Each line is redacted before it is cut, and private keys are left out
 * line by line, so that no cut can show half a token. In: text in pieces of any size. Out: what may be stored and shown.
 */
export class LogTail {
  readonly #redact: (line: string) => string;
  #lines: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #pending = '';
  #inKey = false;

  constructor(redact: (line: string) => string) {
    this.#redact = redact;
  }

  /** Takes a piece of the output. */
  push(text: string): void {
    const parts = (this.#pending + text).split('\n');
    const last = parts.pop() ?? '';
    for (const line of parts) this.#take(line);
    // Beyond the bound the rest of the line is dropped, not made a line of its own: a token could straddle the border.
    this.#pending = last.slice(0, PENDING_CHARACTERS);
  }

  /** Counts an unfinished last line as a line; for the end of the output. */
  end(): void {
    if (this.#pending !== '') this.#take(this.#pending);
    this.#pending = '';
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** The tail as one text. The first line tells how many lines are not shown. */
  text(): string {
    const head = this.#dropped === 0 ? [] : [`[${this.#dropped} earlier lines are not kept]`];
    return [...head, ...this.#lines].join('\n');
  }

  #take(raw: string): void {
    const line = this.#clean(raw);
    if (line === undefined) return;
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line) + 1;
    while (this.#bytes > TAIL_BYTES - 64) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? '') + 1;
      this.#dropped += 1;
    }
  }

  /** The line as it may be shown; `undefined` inside a private key. */
  #clean(raw: string): string | undefined {
    // Progress bars rewrite their line: what stands in the end is what a person would see.
    const seen = raw.replace(/\r+$/, '');
    const text = seen
      .slice(seen.lastIndexOf('\r') + 1)
      .replace(TERMINAL, '')
      .replace(/\t/g, ' ')
      .replace(/\p{Cc}/gu, '');
    if (this.#inKey) {
      this.#inKey = !KEY_END.test(text);
      return undefined;
    }
    if (KEY_BEGIN.test(text)) {
      this.#inKey = !KEY_END.test(text);
      return '[redacted]';
    }
    const redacted = this.#redact(text);
    return redacted.length > LINE_CHARACTERS ? `${redacted.slice(0, LINE_CHARACTERS)}...` : redacted;
  }
}
