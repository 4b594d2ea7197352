import { describe, expect, it } from 'vitest';
import { matchesCron } from '../../src/spec/index.ts';

/** Friday, 13 March, 18:05. */
const AT = { minute: 5, hour: 18, day: 13, month: 3, weekday: 5 };

describe('matchesCron', () => {
  it.each([
    ['* * * * *', true],
    ['5 18 13 3 5', true],
    ['5 18 ? mar fri', true],
    ['6 18 * * *', false],
    ['5 17 * * *', false],
    ['0-10/5 18 * * *', true],
    ['1-10/5 18 * * *', false],
    ['0/5 * * * *', true],
    ['*/7 * * * *', false],
    ['1,5,9 16-18 * jan-apr *', true],
    ['5 18 * 4 *', false],
    // Both days restricted: either is enough.
    ['5 18 1 * fri', true],
    ['5 18 13 * mon', true],
    ['5 18 1 * mon', false],
    ['5 18 */2 * mon', true],
    // One restricted: that one counts.
    ['5 18 1 * *', false],
    ['5 18 */1 * mon', false],
  ])('%s is %s', (text, expected) => {
    expect(matchesCron(text, AT)).toBe(expected);
  });
});
