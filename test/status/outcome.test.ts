import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Problem, problem } from '../../src/kernel/index.ts';
import { describeOutcome, type Standing } from '../../src/status/index.ts';

const at = { at: 'services.web.port', position: { line: 12, column: 3 } };
const refusal = problem('invalid_spec', 'must be a whole number', at);

const CASES: readonly (readonly [Standing, string, string])[] = [
  [{ kind: 'queued' }, 'pending', 'queued'],
  [{ kind: 'accepted', revision: 4 }, 'pending', 'accepted as revision 4, queued'],
  [{ kind: 'deploying', revision: 4 }, 'pending', 'deploying revision 4'],
  [{ kind: 'deploying', revision: 4, service: 'web' }, 'pending', 'deploying revision 4, service web'],
  [{ kind: 'released', revision: 4 }, 'success', 'released revision 4'],
  [
    { kind: 'released', revision: 4, grantEnds: '2026-06-04' },
    'success',
    'released revision 4; the deploy grant ends on 2026-06-04, renew it',
  ],
  [{ kind: 'unchanged', revision: 4 }, 'success', 'no change, revision 4 stays'],
  [{ kind: 'unchanged' }, 'success', 'no change'],
  [{ kind: 'untouched' }, 'success', 'nothing touched'],
  [{ kind: 'untouched', path: 'a/b.toml' }, 'success', 'nothing touched: a/b.toml is as it was'],
  [{ kind: 'planned', summary: '1 service to add' }, 'success', 'plan: 1 service to add'],
  [
    { kind: 'refused', problems: [refusal] },
    'failure',
    'refused: services.web.port (line 12, column 3): must be a whole number',
  ],
  [
    { kind: 'refused', problems: [refusal, refusal, refusal] },
    'failure',
    'refused: services.web.port (line 12, column 3): must be a whole number and 2 more',
  ],
  [
    { kind: 'refused', problems: [problem('invalid_spec', 'not TOML', { position: at.position })] },
    'failure',
    'refused: line 12, column 3: not TOML',
  ],
  [
    { kind: 'refused', problems: [problem('grant_expired')] },
    'failure',
    'refused: the deploy grant has expired; renew it with `hakopod sources grant renew`',
  ],
  [{ kind: 'refused', problems: [] }, 'failure', 'refused'],
  [
    { kind: 'failed', service: 'web', problem: problem('rollout_failed') },
    'failure',
    'failed, service web: a service did not become ready',
  ],
  [
    { kind: 'failed', problem: problem('rollout_failed'), recovered: 3 },
    'failure',
    'failed: a service did not become ready; revision 3 was put back',
  ],
  [
    // What runs now survives the cut.
    { kind: 'failed', problem: problem('rollout_failed', 'x'.repeat(200)), recovered: 12 },
    'failure',
    `failed: ${'x'.repeat(140 - 'failed: ...; revision 12 was put back'.length)}...; revision 12 was put back`,
  ],
  [
    { kind: 'failed', problem: problem('release_deadline') },
    'failure',
    'failed: the release did not finish before its deadline',
  ],
  [{ kind: 'superseded', by: '0123456789abcdef0123456789abcdef01234567' }, 'superseded', 'superseded by 0123456'],
  [{ kind: 'cancelled' }, 'cancelled', 'cancelled'],
  [{ kind: 'ref_gone' }, 'cancelled', 'cancelled: the ref no longer exists'],
  [{ kind: 'source_removed' }, 'cancelled', 'cancelled: the source was removed'],
  [{ kind: 'lost' }, 'lost', 'lost: the worker stopped and the release did not end in time'],
];

test.each(CASES)('%j is %s: %s', (standing, outcome, description) => {
  expect(describeOutcome(standing)).toEqual({ outcome, description });
});

const summary = (n: number): string => describeOutcome({ kind: 'planned', summary: 'x'.repeat(n) }).description;

test('140 code points stay, 141 are cut', () => {
  expect(summary(133)).toHaveLength(139);
  expect(summary(134)).toHaveLength(140);
  expect(summary(134)).not.toContain('...');
  expect(summary(135)).toHaveLength(140);
  expect(summary(135)).toMatch(/x\.\.\.$/);
});

test('never half a surrogate pair, never two lines, never more than 140 code points', () => {
  const text = fc
    .array(fc.constantFrom('😀', 'e\u0301', 'x', '\n', '\r\n', '\u2028', ' ', '\u0000'), { maxLength: 400 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, fc.nat(30), (a, b, more) => {
      const p: Problem = problem('invalid_spec', a, { at: b });
      for (const standing of [
        { kind: 'planned', summary: a },
        { kind: 'refused', problems: Array.from({ length: more + 1 }, () => p) },
        { kind: 'failed', problem: p, service: b },
      ] satisfies Standing[]) {
        const { description } = describeOutcome(standing);
        expect([...description].length).toBeLessThanOrEqual(140);
        expect(description.isWellFormed()).toBe(true);
        expect(description).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }
    }),
  );
});

test('a long field and message keep the place and the count', () => {
  const long = problem('invalid_spec', 'm'.repeat(300), {
    at: `services.${'a'.repeat(100)}.port`,
    position: { line: 12345, column: 3 },
  });
  const { description } = describeOutcome({ kind: 'refused', problems: [long, long] });
  expect(description).toContain('(line 12345, column 3)');
  expect(description).toMatch(/ and 1 more$/);
  expect(description).toHaveLength(140);
});

test("another system's words stay out", () => {
  const p = problem('rollout_failed', undefined, { cause: new Error('canary') });
  expect(
    JSON.stringify([
      describeOutcome({ kind: 'failed', problem: p }),
      describeOutcome({ kind: 'refused', problems: [p] }),
    ]),
  ).not.toContain('canary');
});
