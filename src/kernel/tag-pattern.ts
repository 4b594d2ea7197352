import { type RefName, refName } from './ids.ts';
import { problem } from './problem.ts';
import { fail, type Result } from './result.ts';

const TAGS = 'refs/tags/';

/** Whether a bound ref is a pattern of tags: it has the one `*` that no ref can have. */
export function isTagPattern(ref: string): boolean {
  return ref.includes('*');
}

/** Parses a pattern of tags such as `refs/tags/v*`: one `*`, which is any run of characters but `/`. */
export function tagPattern(text: string): Result<RefName> {
  const isOne = text.startsWith(TAGS) && text.split('*').length === 2;
  const valid = refName(text.replace('*', '0'));
  return isOne && valid.ok
    ? { ok: true, value: text as RefName }
    : fail(problem('invalid_ref', 'a pattern names tags and has one *, such as refs/tags/v*'));
}

/** What the `*` of a pattern stands for in a ref; `undefined` when the ref does not match. */
export function tagMatch(pattern: string, ref: string): string | undefined {
  const [before = '', after = ''] = pattern.split('*');
  if (ref.length <= before.length + after.length || !ref.startsWith(before) || !ref.endsWith(after)) return undefined;
  const match = ref.slice(before.length, ref.length - after.length);
  return match.includes('/') ? undefined : match;
}

/**
 * Pre-releases: what a pattern does not say itself is not meant by it. A word behind a hyphen, anything behind the hyphen of a version
 * (semver 9; years are no versions), and the words that others write without one (`1.0rc1`, `1.0b2`).
 */
const PRE_RELEASES: readonly RegExp[] = [
  /-[A-Za-z]/,
  /(?<!\d)\d{1,3}\.\d+\.\d+-/,
  /\d[._]?(?:(?:alpha|beta|preview|pre|rc|dev)[._]?\d*|[ab]\d+)$/i,
];

/**
 * The newest of the refs that a pattern matches, by what its `*` stands for: numbers by their value, everything else as text, and a number
 * before a word, so that `vnext` is not newer than all versions. Which tag was pushed last is nothing that a Git server tells. Pre-releases (`v2.0.0-rc.1` for `v*`) do not count.
 */
export function newestTag<Ref extends string>(pattern: string, refs: Iterable<Ref>): Ref | undefined {
  let newest: { readonly ref: Ref; readonly match: string } | undefined;
  for (const ref of refs) {
    const match = tagMatch(pattern, ref);
    if (match === undefined || PRE_RELEASES.some((one) => one.test(match))) continue;
    if (newest === undefined || compare(match, newest.match) > 0) newest = { ref, match };
  }
  return newest?.ref;
}

/** Whether one ref of a pattern is older than another by the same order; false when either does not match. */
export function isOlderTag(pattern: string, ref: string, than: string): boolean {
  const [match, other] = [tagMatch(pattern, ref), tagMatch(pattern, than)];
  return match !== undefined && other !== undefined && compare(match, other) < 0;
}

function compare(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const by = compareParts(left[i] ?? '', right[i] ?? '');
    if (by !== 0) return by;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function parts(text: string): readonly string[] {
  return text.match(/\d+|\D+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  const numbers = isNumber && isOther;
  if (isNumber !== isOther && a !== '' && b !== '') return isNumber ? 1 : -1;
  const [x, y] = numbers ? [a.replace(/^0+(?=.)/, ''), b.replace(/^0+(?=.)/, '')] : [a, b];
  if (numbers && x.length !== y.length) return x.length - y.length;
  return x < y ? -1 : x > y ? 1 : 0;
}
