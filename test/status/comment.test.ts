import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS, problem } from '../../src/kernel/index.ts';
import { type Plan, planBody, refusalPlan } from '../../src/plan/index.ts';
import {
  type CommentBinding,
  commandAnswer,
  commandMarker,
  describeOutcome,
  planComment,
  planMarker,
  planTitle,
  retargetedComment,
} from '../../src/status/index.ts';
import { structureOf } from '../support/markdown.ts';

const SHOP = { project: 'acme', environment: 'production', name: 'shop' };
const BINDING: CommentBinding = {
  ...{ application: SHOP, head: 'a'.repeat(40), against: 3, grantRevision: 2 },
  ...{ fork: false, draft: false, notes: [] },
};
const BODY = { heading: '### Plan', blocks: [] };

type Change = Plan['changes'][number];
const change = (n: number, after: string, field = 'image'): Change => ({
  ...{ service: `s${n}`, field, before: 'nginx:1', after, sensitive: false },
});
const planWith = (changes: readonly Change[], refusals: Plan['refusals'] = []): Plan => ({
  ...refusalPlan(refusals),
  changes,
});

describe('the comment of a pull request', () => {
  it('begins with its marker and says what it is bound to', () => {
    expect(planComment(BODY, BINDING)).toBe(
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
    const text = planComment(BODY, { ...BINDING, against: 'nothing', fork: true });
    expect(text).toContain('compared with nothing: no revision was accepted yet');
    expect(text).toContain('This is a fork: which secrets exist is not told.');
    const refused = planComment(BODY, { ...BINDING, against: undefined });
    expect(refused).toContain('compared with nothing that runs');
    expect(refused).not.toContain('no revision');
  });

  it('has the summary first, then what a reader has to know, then the details folded, and a link at its end', () => {
    const body = planBody(planWith([change(1, 'nginx:2')]), planTitle(SHOP));
    const page = 'https://hakopod.example.com/plans/acme.production.shop.7';
    const text = planComment(body, { ...BINDING, draft: true, notes: ['The head is behind.'], page });
    expect(text.split('\n')).toEqual([
      '<!-- hakopod:plan:acme/production/shop -->',
      '### Plan of acme/production/shop: 1 service to change',
      '',
      '- This request is a draft; it is planned like any other.',
      '- The head is behind.',
      '',
      '<details><summary>s1 (changed), 2 lines</summary>',
      '',
      '```diff',
      '- image: nginx:1',
      '+ image: nginx:2',
      '```',
      '',
      '</details>',
      '',
      `Commit ${'a'.repeat(40)}, compared with revision 3, under revision 2 of the deploy grant. Nothing was built or applied.`,
      `[The whole plan](<${page}>) is for people with a key.`,
      '',
    ]);
  });

  it('tells applications apart', () => {
    const markers = ['shop', 'shop2', 'a--b'].map((name) => planMarker({ ...SHOP, name }));
    expect(new Set(markers).size).toBe(3);
    for (const marker of markers) expect(marker).toMatch(/^<!-- [a-z0-9:/-]+ -->$/);
    expect(planTitle(SHOP)).toBe('Plan of acme/production/shop');
  });

  it('of a request that goes elsewhere says so under the same marker', () => {
    const text = retargetedComment(SHOP);
    expect(
      text.startsWith(`${planMarker(SHOP)}\n### Plan of acme/production/shop: the request goes into another`),
    ).toBe(true);
    expect(describeOutcome({ kind: 'retargeted' })).toEqual({
      ...{ outcome: 'cancelled', description: 'cancelled: the request goes into another branch now' },
    });
  });

  it('says of a closed request that its heads are cancelled', () => {
    expect(describeOutcome({ kind: 'request_closed' })).toEqual({
      outcome: 'cancelled',
      description: 'cancelled: the pull request is closed',
    });
  });
});

describe('the budget of a comment', () => {
  /** What every comment must be, whatever is in it. */
  function check(text: string, marker = planMarker(SHOP)): void {
    expect(text.length).toBeLessThanOrEqual(LIMITS.commentCharacters);
    // GitHub counts characters, at most 65,536, and keeps four bytes for each.
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536 * 4);
    expect(text.isWellFormed()).toBe(true);
    expect(text.startsWith(`${marker}\n`)).toBe(true);
    expect(structureOf(text)).toMatchObject({ open: 0, inFence: false, faults: [] });
  }

  it('holds a plan with 500 changes of 4 KiB values as one valid comment', () => {
    for (const value of [
      'x'.repeat(4096),
      'é\n'.repeat(2048),
      '`'.repeat(4096),
      '</details>\n```\n'.repeat(273),
      '😀'.repeat(1024),
    ]) {
      const changes = Array.from({ length: 500 }, (_, n) => change(n, value));
      const text = planComment(planBody(planWith(changes), planTitle(SHOP)), BINDING);
      check(text);
      expect(text.length).toBeGreaterThan(LIMITS.commentCharacters - 2000);
      expect(text).toContain('500 services to change');
      expect(text).toMatch(/_\d+ more lines did not fit/);
      expect(text).toContain(`Commit ${'a'.repeat(40)}, compared with revision 3`);
    }
  });

  it('holds 5,000 refusals, and says where the first ones are', () => {
    const problems = Array.from({ length: 5000 }, (_, n) =>
      problem('invalid_spec', 'is not valid', { at: `services.s${n}`, position: { line: n + 1, column: 1 } }),
    );
    const text = planComment(planBody(refusalPlan(problems), planTitle(SHOP)), BINDING);
    check(text);
    expect(text).toContain('refused, 5000 problems');
    expect(text).toContain('- services.s0: is not valid (line 1, column 1)');
  });

  it('holds the answer to a command about a thousand applications', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `${'p'.repeat(60)}/production/${'a'.repeat(50)}${n}`);
    const text = commandAnswer('approved at abc for', names);
    check(text, commandMarker());
    expect(text).toContain(`- ${names[0]}`);
    expect(commandAnswer('nothing waits')).toBe(`${commandMarker()}\n\`hakopod deploy\`: nothing waits.\n`);
  });

  it('is kept for any plan, and nothing of the file is read as Markdown, HTML, a mention, a link or a command', () => {
    const hostile = fc
      .array(
        fc.constantFrom(
          ...[
            '@team',
            '#12',
            '!34',
            'https://evil.example',
            '[x](http://y)',
            '<img src=x>',
            '<!-- hakopod:plan:',
            '-->',
          ],
          ...[
            '</details>',
            '```',
            '~~~',
            '\n',
            '\r\n',
            '\n/close\n',
            '\nhakopod deploy\n',
            '\u2028',
            '\u202e',
            '\ud800',
            '😀',
          ],
          ...['| a | b |', '# x', '> ', '    ', 'x'.repeat(600)],
        ),
        { maxLength: 10 },
      )
      .map((parts) => parts.join(''));
    const changes = fc.array(fc.tuple(hostile, fc.constantFrom('image', 'working_dir', 'healthcheck')), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(changes, fc.array(hostile, { maxLength: 5 }), fc.boolean(), (values, messages, isLong) => {
        const all = values.map(([value, field], n) => change(n, isLong ? value.repeat(20) : value, field));
        const refusals = messages.map((message) => problem('invalid_spec', message, { at: message }));
        const plan = { ...planWith(all, refusals), warnings: messages, requiredSecrets: messages };
        const text = planComment(planBody(plan, planTitle(SHOP)), { ...BINDING, notes: ['A note.'] });
        check(text);
        const { outside, inside } = structureOf(text);
        const ours =
          /^(<!-- hakopod:plan:acme\/production\/shop -->|### Plan of acme\/production\/shop: [a-z0-9 ,]+|<details><summary>s\d+ \(changed\), \d+ lines?<\/summary>|<\/details>|\*\*(Refused|Warnings|Required secrets)\*\*|- A note\.|Commit a{40}, [a-z0-9 ,]+\. Nothing was built or applied\.|_\d+ more lines did not fit; `hakopod plan` shows them all\._|)$/;
        expect(outside.filter((line) => !ours.test(line))).toEqual([]);
        expect(inside.filter((line) => !/^[-+!] /.test(line))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
