/** A map bounded by the sum of its values' sizes; what was used longest ago goes first. */
export class Lru<V> {
  readonly #items = new Map<string, { readonly value: V; readonly size: number }>();
  readonly #max: number;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Sum of the sizes held. */
  get total(): number {
    return this.#total;
  }

  /** The value, which thereby counts as used now. */
  get(key: string): V | undefined {
    const item = this.#items.get(key);
    if (item === undefined) return undefined;
    this.#items.delete(key);
    this.#items.set(key, item);
    return item.value;
  }

  /** Puts or replaces a value and returns what had to go for it. A value over the whole bound is not kept and returned itself. */
  set(key: string, value: V, size: number): readonly V[] {
    this.delete(key);
    if (size > this.#max) return [value];
    this.#items.set(key, { value, size });
    this.#total += size;
    const gone: V[] = [];
    for (const [oldest, item] of this.#items) {
      if (this.#total <= this.#max) break;
      this.delete(oldest);
      gone.push(item.value);
    }
    return gone;
  }

  delete(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#items.delete(key);
    this.#total -= item.size;
  }
}
