/** The machine's own clock and randomness behind their ports. Never used by a stage. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Random } from '../../ports/index.ts';

/** Real time. */
export function createSystemClock(): Clock {
  return {
    now: () => new Date(),
    sleep: async (ms, signal) => {
      try {
        await delay(ms, undefined, signal === undefined ? {} : { signal });
      } catch {
        // Aborted: the caller looks at its signal.
      }
    },
  };
}

/** Cryptographic randomness. */
export function createRandom(): Random {
  return { hex: (bytes) => randomBytes(bytes).toString('hex') };
}
