import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE } from '../support/hostile-texts.ts';

/* What the most hostile 256 KiB cost: at most 100 ms and 64 MiB. */

const MIB = 1024 ** 2;
const ALLOWED_MIB = 64;
const ALLOWED_MS = 100;
/** What the child's reference work takes on the computer that the limit is meant for. */
const REFERENCE_MS = 25;

type Cost = { readonly heap: number; readonly reference: number; readonly times: Readonly<Record<string, number>> };

function run(flags: readonly string[], ...name: readonly string[]): Cost {
  const script = join(import.meta.dirname, 'hostile-child.ts');
  const options = { encoding: 'utf8', timeout: 300_000 } as const;
  const child = spawnSync(process.execPath, ['--expose-gc', ...flags, script, ...name], options);
  expect(child.status, `${name} ${flags}: ${child.stderr.slice(0, 300)}`).toBe(0);
  return JSON.parse(child.stdout) as Cost;
}

test('every hostile text is judged within 100 ms', { timeout: 310_000 }, () => {
  const { reference, times } = run([]);
  const factor = Math.max(1, reference / REFERENCE_MS);
  const slowest = Object.entries(times).sort(([, a], [, b]) => b - a);
  const told = slowest.slice(0, 6).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
  console.log(`on a computer ${factor.toFixed(1)} times slower than meant: ${told.join(', ')}`);
  expect(slowest.filter(([, ms]) => ms > ALLOWED_MS * factor)).toEqual([]);
});

test('every hostile text is judged within 64 MiB', { timeout: 600_000 }, () => {
  const room = Math.ceil(run([], '').heap / MIB) + ALLOWED_MIB;
  console.log(`each in a heap of ${room} MiB`);
  for (const name of Object.keys(HOSTILE)) run([`--max-old-space-size=${room}`, '--max-semi-space-size=4'], name);
});
