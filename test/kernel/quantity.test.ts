import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalQuantity, quantityNumber } from '../../src/kernel/quantity.ts';

describe('normalQuantity', () => {
  it.each([
    ['1', '1000m'],
    ['0.5', '500m'],
    ['1.0', 1],
    ['1Gi', '1024Mi'],
    ['1Ki', 1024],
    ['1k', '1e3'],
    ['1E3', '1000'],
    ['1.5Gi', '1536Mi'],
    ['100n', '0.1u'],
    ['16k', '16000000m'],
    ['1Ei', '1024Pi'],
  ])('knows that %s is %s', (a, b) => {
    expect(normalQuantity(a)).toBe(normalQuantity(b));
  });

  it.each([
    ['1', '1m'],
    ['1Gi', '1G'],
    ['1E', '1Ei'],
    ['0', '1n'],
    ['-1', '1'],
  ])('tells %s from %s', (a, b) => {
    expect(normalQuantity(a)).not.toBe(normalQuantity(b));
  });

  it('leaves what is no quantity as it is', () => {
    for (const text of ['', '.', 'x', '1 Gi', '1kk', '0x1', '1e', '--1']) expect(normalQuantity(text)).toBe(text);
  });

  it('agrees with integers', () => {
    fc.assert(fc.property(fc.nat(), (n) => normalQuantity(`${n}m`) === `${BigInt(n) * 1_000_000n}n`));
  });
});

describe('quantityNumber', () => {
  it.each([
    ['1', 'm', 1000],
    ['250m', 'm', 250],
    ['100u', 'm', 1],
    ['0.5', 'm', 500],
    ['1Gi', '', 1024 ** 3],
    ['1500m', '', 2],
    [3, '', 3],
    ['-1500m', '', -1],
    ['none', '', 0],
    [undefined, 'm', 0],
  ] as const)('takes %s in units of %j as %d', (value, unit, want) => {
    expect(quantityNumber(value, unit)).toBe(want);
  });
});
