/** Time, handed in so that nothing below the shell reads it by itself. */
export interface Clock {
  now(): Date;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness, handed in for the same reason. */
export interface Random {
  /** Lowercase hex of this many random bytes, from a cryptographic source. */
  hex(bytes: number): string;
}
