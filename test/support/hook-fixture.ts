import { readFileSync } from 'node:fs';

/** The bytes of a delivery under test/fixtures/hooks, shaped as the forge publishes it and cut to the fields that matter. */
export function hookFixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/hooks/${name}.json`, import.meta.url));
}

/** Bodies whose meaning survives re-serialising but whose bytes do not: a signature must be checked over what was received. */
export const AWKWARD_BODIES: readonly (readonly [string, string])[] = [
  ['unicode', '{"a":"Größe 🚀 \u2028"}'],
  ['escaped unicode', '{"a":"\\u00e9\\u2028\\/"}'],
  ['floats', '{"a":1.0,"b":1e3,"c":-0.0}'],
  ['white space', ' {\r\n\t"a" :  1 }\n\n'],
  ['duplicate keys', '{"a":1,"a":2}'],
  ['a byte order mark', '\ufeff{"a":1}'],
  ['an empty body', ''],
];
