import type { Screen } from './io.ts';

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const BACKSPACE: readonly number[] = [0x08, 0x7f];
const ENTER: readonly number[] = [0x0a, 0x0d];

/**
 * Reads one line that is typed and never shown, for secrets; `undefined` when the person stops (Ctrl-C, Ctrl-D, the end of the
 * input) or types more than `maxBytes`.
 */
export function readHidden(screen: Screen, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const typed: number[] = [];
    const stop = screen.onInput((chunk) => {
      const last = typeKeys(typed, chunk ?? Uint8Array.of(CTRL_D));
      if (last === undefined && typed.length <= maxBytes) return;
      stop();
      const isGiven = last !== undefined && ENTER.includes(last) && typed.length <= maxBytes;
      resolve(isGiven ? Buffer.from(typed).toString('utf8') : undefined);
    });
  });
}

/** Adds keys to the line; answers the key that ended it, if one did. */
function typeKeys(typed: number[], keys: Uint8Array): number | undefined {
  for (const key of keys) {
    if (ENTER.includes(key) || key === CTRL_C || key === CTRL_D) return key;
    if (BACKSPACE.includes(key)) takeBack(typed);
    else typed.push(key);
  }
  return undefined;
}

/** Takes back one character, which may be several bytes of UTF-8. */
function takeBack(typed: number[]): void {
  let last = typed.pop();
  while (last !== undefined && (last & 0xc0) === 0x80) last = typed.pop();
}
