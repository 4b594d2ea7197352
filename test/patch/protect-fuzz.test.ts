import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, type Fields, strategicMerge } from '../../src/patch/index.ts';
import { protectedChanges } from '../../src/patch/protect.ts';
import { base, boundDeployment } from './protect-fixture.ts';
import { violations } from './protected-oracle.ts';
import { type Dice, randomPatch } from './random-patch.ts';

const OBJECTS = [
  ['deployment', base('deployment')],
  ['deployment', boundDeployment()],
  ['service', base('service')],
  ['ingress', base('ingress')],
] as const;

/** Throws from a list, then ones that choose the first of everything: shorter lists are smaller patches. */
function diceOf(throws: readonly number[]): Dice {
  let next = 0;
  return (sides) => (throws[next++] ?? 0) % sides;
}

const aPatch = fc
  .tuple(fc.constantFrom(...OBJECTS), fc.array(fc.nat(1e6), { maxLength: 150, size: 'max' }))
  .map(([[kind, object], throws]) => ({
    kind,
    object: object as Fields,
    patch: randomPatch(kind, object, diceOf(throws)),
  }));

describe('protect: any patch', () => {
  it('never lets a protected field change, by an oracle that knows nothing of the rules', () => {
    const seen = { applied: 0, refused: 0 };
    fc.assert(
      fc.property(aPatch, ({ kind, object, patch }) => {
        const result = applyPatch({ kind, object, text: JSON.stringify(patch), at: 'x' });
        seen[result.ok ? 'applied' : 'refused'] += 1;
        if (result.ok) expect(violations(kind, object, result.value)).toEqual([]);
      }),
      { numRuns: 600 },
    );
    expect(seen.applied).toBeGreaterThan(30);
    expect(seen.refused).toBeGreaterThan(30);
  });

  it('refuses only what the oracle refuses too', () => {
    fc.assert(
      fc.property(aPatch, ({ kind, object, patch }) => {
        const merged = strategicMerge(kind, object, patch);
        if (!merged.ok) return;
        const checked = applyPatch({ kind, object, text: JSON.stringify(patch), at: 'x' });
        if (!checked.ok && checked.problem.code !== 'protected_field') return;
        const refused = protectedChanges(kind, object, merged.value).length > 0;
        expect(refused).toBe(violations(kind, object, merged.value).length > 0);
      }),
      { numRuns: 600 },
    );
  });
});
