import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPager } from '../../../src/pipeline/operations/page.ts';

const pager = createPager('a secret of the installation');
const list = (items: readonly string[], filters = {}) => ({
  name: 'things',
  filters,
  items: [...items].sort(),
  keyOf: (item: string) => item,
});

describe('pages', () => {
  it('bring every item once, whatever comes and goes in between', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(names, names, fc.integer({ min: 1, max: 7 }), (stay, others, limit) => {
        const passing = others.filter((name) => !stay.includes(name));
        const seen: string[] = [];
        let cursor: string | undefined;
        let round = 0;
        do {
          const there = [...stay, ...passing.filter((_, index) => (index + round) % 2 === 0)];
          const page = pager.of(list(there), { cursor, limit });
          if (!page.ok) throw new Error(page.problem.message);
          expect(page.value.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.value.items);
          cursor = page.value.next_cursor;
          round += 1;
        } while (cursor !== undefined);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((name) => stay.includes(name))).toEqual([...stay].sort());
      }),
    );
  });

  it('take no cursor but their own', () => {
    const first = pager.of(list(['a', 'b', 'c']), { limit: 1 });
    const cursor = first.ok ? (first.value.next_cursor ?? '') : '';
    const refused = (text: string, of = list(['a'])) => {
      const page = pager.of(of, { cursor: text, limit: 1 });
      return page.ok ? 'taken' : [page.problem.code, page.problem.at];
    };
    const expected = ['invalid_request', 'query.cursor'];
    expect(refused('')).toEqual(expected);
    expect(refused('nonsense')).toEqual(expected);
    expect(refused(`${cursor}x`)).toEqual(expected);
    expect(refused(`${cursor}.x`)).toEqual(expected);
    const [payload = '', mac = ''] = cursor.split('.');
    const other = Buffer.from(Buffer.from(payload, 'base64url').toString().replace(/a$/, 'b')).toString('base64url');
    expect(refused(`${other}.${mac}`)).toEqual(expected);
    expect(refused(cursor, list(['a'], { project: 'acme' }))).toEqual(expected);
    expect(createPager('another').after({ name: 'things' }, cursor).ok).toBe(false);
    expect(pager.after({ name: 'things' }, cursor)).toEqual({ ok: true, value: 'a' });
  });

  it('say nothing of an end that the page reaches', () => {
    const page = pager.of(list(['a', 'b']), { limit: 2 });
    expect(page).toEqual({ ok: true, value: { items: ['a', 'b'] } });
  });
});
