import { describe, expect, it } from 'vitest';
import { problem } from '../../src/kernel/index.ts';
import { refusalMarkdown } from '../../src/plan/index.ts';
import { describeOutcome, planComment, planMarker, planTitle } from '../../src/status/index.ts';

const SHOP = { project: 'acme', environment: 'production', name: 'shop' };
const BINDING = { application: SHOP, head: 'a'.repeat(40), revision: 3, grantRevision: 2, fork: false };

describe('the comment of a pull request', () => {
  it('begins with its marker and says what it is bound to', () => {
    expect(planComment('### Plan\n', BINDING)).toBe(
      [
        '<!-- hakopod:plan:acme/production/shop -->',
        '### Plan',
        '',
        `Commit ${'a'.repeat(40)}, compared with revision 3, under revision 2 of the deploy grant. Nothing was built or applied.`,
        '',
      ].join('\n'),
    );
  });

  it('says when there is nothing to compare with, and what a fork is not told', () => {
    const text = planComment('x', { ...BINDING, revision: undefined, fork: true });
    expect(text).toContain('compared with nothing: no revision was accepted yet');
    expect(text).toContain('This is a fork: which secrets exist is not told.');
  });

  it('tells applications apart', () => {
    const markers = ['shop', 'shop2', 'a--b'].map((name) => planMarker({ ...SHOP, name }));
    expect(new Set(markers).size).toBe(3);
    for (const marker of markers) expect(marker).toMatch(/^<!-- [a-z0-9:/-]+ -->$/);
    expect(planTitle(SHOP)).toBe('Plan of acme/production/shop');
  });

  it('fits a forge however much is wrong', () => {
    const problems = Array.from({ length: 5000 }, (_, n) =>
      problem('invalid_spec', 'is not valid', { at: `services.s${n}`, position: { line: n + 1, column: 1 } }),
    );
    const text = planComment(refusalMarkdown(problems, planTitle(SHOP)), BINDING);
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('refused, 5000 problems');
    expect(text).toContain('- services.s0: is not valid (line 1, column 1)');
    expect((text.match(/```/g) ?? []).length % 2).toBe(0);
  });

  it('says of a closed request that its heads are cancelled', () => {
    expect(describeOutcome({ kind: 'request_closed' })).toEqual({
      outcome: 'cancelled',
      description: 'cancelled: the pull request is closed',
    });
  });
});
