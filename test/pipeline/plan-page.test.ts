import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { packPlanText, planPageUrl, planTextOf } from '../../src/pipeline/preview/plan-page.ts';

const LIMIT = 64 * 1024;
const unpacked = (text: string | undefined): string | undefined =>
  planTextOf({ status: text === undefined ? {} : { text } });

test('a plan is kept whole', () => {
  expect(unpacked(packPlanText('Plan: no changes\n'))).toBe('Plan: no changes\n');
  expect(unpacked(packPlanText('+ a\n'.repeat(20_000)))).toBe('+ a\n'.repeat(20_000));
});

test('a plan that nothing makes small loses its last lines, and says how many', () => {
  const lines = Array.from({ length: 2000 }, (_, n) => `+ ${n} ${randomBytes(60).toString('base64')}`);
  const packed = packPlanText(`${lines.join('\n')}\n`);
  expect(packed.length).toBeLessThanOrEqual(LIMIT);
  const shown = (unpacked(packed) ?? '').trimEnd().split('\n');
  const kept = shown.length - 2;
  expect(kept).toBeGreaterThan(300);
  expect(shown.slice(0, kept)).toEqual(lines.slice(0, kept));
  expect(shown.slice(kept)).toEqual(['', `(${2000 - kept} more lines)`]);
});

test('what is no packed text is none', () => {
  for (const text of [undefined, '', 'H4sI', 'not base64!']) expect(unpacked(text)).toBeUndefined();
});

test('a page is below the address of the server, however that ends', () => {
  for (const end of ['', '/', '//'])
    expect(planPageUrl(`https://hakopod.example.com/at${end}`, 'acme.production.shop.7')).toBe(
      'https://hakopod.example.com/at/plans/acme.production.shop.7',
    );
});
