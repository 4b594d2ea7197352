/** What came and was not asked for yet, and the one who waits for the next; its reader sets the pace. */
export class Mailbox<T> {
  readonly #items: T[] = [];
  #waiting: ((item: T | undefined) => void) | undefined;
  #isOver = false;

  /** How many wait to be asked for. */
  get size(): number {
    return this.#items.length;
  }

  /** Adds one; after the end it is dropped. */
  put(item: T): void {
    if (this.#isOver) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  /** No more come; those that are here are still handed out. */
  end(): void {
    this.#isOver = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }

  /** The next one, or `undefined` after the last. One asks at a time. */
  take(): Promise<T | undefined> {
    if (this.#items.length > 0 || this.#isOver) return Promise.resolve(this.#items.shift());
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
