import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What the most hostile 256 KiB may cost, and what the child's reference work takes on the computer that the limit is meant for. */
const ALLOWED_MS = 100;
const REFERENCE_MS = 25;

type Cost = { readonly reference: number; readonly times: Readonly<Record<string, number>> };

test('every hostile text is judged within 100 ms', { timeout: 310_000 }, () => {
  const options = { encoding: 'utf8', timeout: 300_000 } as const;
  const child = spawnSync(process.execPath, [join(import.meta.dirname, 'hostile-child.ts')], options);
  expect(child.status, child.stderr.slice(0, 300)).toBe(0);
  const { reference, times } = JSON.parse(child.stdout) as Cost;
  const factor = Math.max(1, reference / REFERENCE_MS);
  const slowest = Object.entries(times).sort(([, a], [, b]) => b - a);
  const told = slowest.slice(0, 6).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
  console.log(`on a computer ${factor.toFixed(1)} times slower than meant: ${told.join(', ')}`);
  expect(slowest.length).toBeGreaterThan(40);
  expect(slowest.filter(([, ms]) => ms > ALLOWED_MS * factor)).toEqual([]);
});
