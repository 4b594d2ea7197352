import { describe, expect, it } from 'vitest';
import { environmentBlocks } from '../../src/status/environment.ts';

const COMMIT = 'c'.repeat(40);
const END = { expiresAt: '2026-06-01T02:00:00.000Z' };
const linesOf = (note: Parameters<typeof environmentBlocks>[0]): readonly string[] =>
  environmentBlocks(note).flatMap(({ open, lines, close }) => [...open, ...lines, ...close]);

describe('what a comment says of a preview environment', () => {
  it('names one address in the sentence and several below', () => {
    const one = linesOf({ state: 'ready', commit: COMMIT, urls: { web: 'https://web.example.test' }, ...END });
    expect(one).toEqual([
      '',
      `- **Preview environment**: commit ${COMMIT} is deployed at <https://web.example.test>; it goes with its volumes on 2026-06-01 at 02:00 UTC, or when the request is closed.`,
    ]);
    const two = linesOf({
      state: 'ready',
      commit: COMMIT,
      urls: { api: 'https://a.test', web: 'https://b.test' },
      ...END,
    });
    expect(two.slice(-2)).toEqual(['  - api: <https://a.test>', '  - web: <https://b.test>']);
  });

  it('keeps what comes from the file inside a fence', () => {
    const message = 'services."`</x>@all".size: must be small\nin a preview';
    const lines = linesOf({ state: 'refused', commit: COMMIT, code: 'invalid_spec', message });
    expect(lines[2]).toBe('');
    expect(lines.slice(3)).toEqual([
      '```text',
      expect.stringMatching(/^- services.*small\\u\{000a\}in a preview \(invalid_spec\)$/),
      '```',
    ]);
  });

  it.each(['limited', 'expired', 'removed'] as const)('promises no end to what is not there: %s', (state) => {
    const text = linesOf({ state, commit: COMMIT, ...END, message: 'unsaid' }).join('\n');
    expect(text).not.toContain('2026');
    expect(text).not.toContain('unsaid');
  });
});
