const TRUE = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const NULL = ['', '~', 'null', 'Null', 'NULL'];

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...TRUE.map((word) => [word, true] as const),
  ...FALSE.map((word) => [word, false] as const),
  ...NULL.map((word) => [word, null] as const),
]);

const NOT_A_NUMBER = /^(?:\.nan|\.NaN|\.NAN|[-+]?\.(?:inf|Inf|INF))$/;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|(0[0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
// Go's own parser, which takes what begins with a point, lets an underscore stand between digits.
const FRACTION = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const BASES = [16, 2, 8, 8, 10];

/**
 * What kubectl reads a YAML scalar without quotes as: the rules of go-yaml 2, which `sigs.k8s.io/yaml` uses. They are YAML 1.1 where
 * people notice (`yes`, `on`, `0755`, `1_000`), without its numbers to the base 60; dates stay text. Numbers that JSON does not have
 * come out as NaN, which callers refuse.
 */
export function plainScalar(source: string): string | number | boolean | null {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  if (NOT_A_NUMBER.test(source)) return Number.NaN;
  if (source.startsWith('.')) return FRACTION.test(source) ? finite(source.replaceAll('_', ''), source) : source;
  if (!/^[-+0-9]/.test(source)) return source;
  const digits = source.replaceAll('_', '');
  const [, sign, ...groups] = INTEGER.exec(digits) ?? [];
  const group = groups.findIndex((text) => text !== undefined);
  const base = BASES[group];
  if (base !== undefined) return signed(Number.parseInt(groups[group] ?? '', base), sign === '-');
  return FLOAT.test(digits) ? finite(digits, source) : source;
}

function signed(value: number, isNegative: boolean): number {
  return isNegative && value !== 0 ? -value : value;
}

/** A number too large for 64 bits of floating point is text to kubectl. */
function finite(digits: string, source: string): string | number {
  const value = Number(digits);
  if (!Number.isFinite(value)) return source;
  return value === 0 ? 0 : value;
}
