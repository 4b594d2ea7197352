import fc from 'fast-check';
import type { Json } from '../../src/kernel/index.ts';
import type { Fields, PatchKind } from '../../src/patch/index.ts';
import { patchFor } from './arbitrary.ts';

const REPLACEMENTS: readonly Json[] = [
  'x',
  '',
  'true',
  '1Gi',
  5,
  -1,
  1.5,
  2 ** 31,
  true,
  [],
  ['x'],
  [1],
  {},
  { a: 'b' },
];

/** A patch without directives in which one field is misspelt or has another value, often of another type. */
export function brokenPatch(kind: PatchKind, object: Fields): fc.Arbitrary<Fields> {
  const whole = patchFor(kind, object).filter(
    (patch) => !JSON.stringify(patch).includes('"$') && places(patch).length > 0,
  );
  return fc.tuple(whole, fc.nat(), fc.constantFrom('misspelt', ...REPLACEMENTS)).map(([patch, place, to]) => {
    const all = places(patch);
    return changed(patch, all[place % all.length]!, to) as Fields;
  });
}

/** All places of a value, as paths. */
function places(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [...(path.length === 0 ? [] : [path]), ...children.flatMap(([key, child]) => places(child, [...path, key]))];
}

/** The value with one place replaced, or its key misspelt. */
function changed(value: Json, [key = '', ...rest]: readonly string[], to: Json): Json {
  const next = (child: Json): Json => (rest.length === 0 ? to : changed(child, rest, to));
  if (Array.isArray(value)) return value.map((child: Json, index) => (String(index) === key ? next(child) : child));
  const fields = value as Fields;
  if (rest.length > 0 || to !== 'misspelt') return { ...fields, [key]: next(fields[key]!) };
  const { [key]: child, ...others } = fields;
  return { ...others, [`${key}s`]: child! };
}
