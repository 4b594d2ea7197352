import type { Space } from './space.ts';

/** Of a line without an end, more than this is passed on as it is. */
const PENDING = 64 * 1024;

/** Passes output on line by line with the build's own folders taken out, and remembers the last line that is not empty. */
export class Lines {
  readonly #space: Space;
  readonly #sink: (text: string) => void;
  #pending = '';
  #last = '';

  constructor(space: Space, sink: (text: string) => void) {
    this.#space = space;
    this.#sink = sink;
  }

  get last(): string {
    return this.#last;
  }

  push(text: string): void {
    this.#pending += text;
    const end = this.#pending.lastIndexOf('\n');
    const ready = this.#pending.length > PENDING ? this.#pending.length : end + 1;
    if (ready > 0) this.#pass(this.#pending.slice(0, ready));
    this.#pending = this.#pending.slice(ready);
  }

  /** Passes on a last line without an end. */
  end(): void {
    if (this.#pending !== '') this.#pass(`${this.#pending}\n`);
    this.#pending = '';
  }

  #pass(text: string): void {
    // Where the worker keeps its builds helps nobody who reads the log.
    const clean = text.replaceAll(this.#space.context, '.').replaceAll(this.#space.root, '[build]');
    this.#last =
      clean
        .trimEnd()
        .split('\n')
        .findLast((line) => line.trim() !== '') ?? this.#last;
    this.#sink(clean);
  }
}
