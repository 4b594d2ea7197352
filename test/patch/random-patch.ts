import type { Json } from '../../src/kernel/index.ts';
import { FIELD_TABLE, type Field, type Fields, type FieldType, type PatchKind } from '../../src/patch/index.ts';
import { FRIENDLY, HOSTILE } from './patch-pieces.ts';

/** A number from 0 up to the number of sides. */
export type Dice = (sides: number) => number;

/** Dice that give the same throws for the same seed (mulberry32). */
export function seeded(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

function one<T>(dice: Dice, items: readonly T[]): T {
  return items[dice(items.length)]!;
}

/**
 * A patch of one to four pieces: such as people write, such as somebody writes who wants more than he may, and walks through the table of
 * fields that end in any value, a directive or nothing.
 */
export function randomPatch(kind: PatchKind, object: Fields, dice: Dice): Fields {
  const friendly = dice(3) === 0;
  let patch: Fields = {};
  for (let left = 1 + dice(4); left > 0; left -= 1) {
    const piece =
      friendly || dice(3) === 0
        ? one(dice, FRIENDLY[kind])
        : dice(2) === 0
          ? one(dice, HOSTILE[kind])
          : (walk({ ref: FIELD_TABLE.kinds[kind] }, object, { dice, depth: 0 }) as Fields);
    patch = joined(patch, piece, dice) as Fields;
  }
  return patch;
}

/** Two patches as one; elements of lists stand beside each other or, of the same name, mostly are one. */
function joined(a: Json | undefined, b: Json, dice: Dice): Json {
  if (a === undefined) return b;
  if (Array.isArray(a) && Array.isArray(b)) {
    const list = [...(a as readonly Json[])];
    for (const item of b as readonly Json[]) {
      const index = list.findIndex(
        (other) => isMap(other) && isMap(item) && other.name === item.name && 'name' in item,
      );
      if (index < 0 || dice(6) === 0) list.push(item);
      else list[index] = joined(list[index], item, dice);
    }
    return list;
  }
  if (!isMap(a) || !isMap(b)) return b;
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(keys.map((key) => [key, b[key] === undefined ? a[key]! : joined(a[key], b[key], dice)]));
}

function isMap(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Walk = { readonly dice: Dice; readonly depth: number };

const TEXTS = [
  'app',
  'api',
  'x',
  'system-x',
  'data',
  '/data',
  '/cache',
  'hakopod',
  'SIGNING',
  'LOG_LEVEL',
  'TCP',
  'UDP',
  'true',
  '',
];
const NUMBERS = [0, 1, 53, 80, 9000, 9100, 7946, 30_000];
const KEYS = [
  'team',
  'hakopod.io/x',
  'app.kubernetes.io/name',
  'x.k8s.io/y',
  'haproxy.org/check',
  'haproxy.org/x-snippet',
  'cpu',
  'memory',
];

/** Goes down the fields of a type, more often where the object has something, and ends in a value. */
function walk(type: FieldType, there: Json | undefined, { dice, depth }: Walk): Json {
  if ('list' in type || 'map' in type || 'scalar' in type) return anyOf(type, there, dice);
  const fields = FIELD_TABLE.types[type.ref] ?? {};
  const object = isMap(there) ? there : {};
  const present = Object.keys(object).filter((key) => fields[key] !== undefined);
  const name = present.length > 0 && dice(4) > 0 ? one(dice, present) : one(dice, Object.keys(fields));
  const field = fields[name]!;
  if (dice(14) === 0) return { $patch: one(dice, ['delete', 'replace', 'merge']) };
  if (dice(14) === 0) return { [name]: null };
  if (dice(20) === 0) return { $retainKeys: [name], [name]: object[name] ?? null };
  if ('ref' in field.type) {
    return { [name]: depth > 8 ? {} : walk(field.type, object[name], { dice, depth: depth + 1 }) };
  }
  if ('list' in field.type) return listPiece(name, field, { there: object[name], dice, depth });
  return { [name]: anyOf(field.type, object[name], dice) };
}

function listPiece(
  name: string,
  { type, mergeKey }: Field,
  { there, dice, depth }: Walk & { readonly there: Json | undefined },
): Fields {
  const items = Array.isArray(there) ? (there as readonly Json[]) : [];
  const element = 'list' in type ? type.list : type;
  if (mergeKey === undefined || !('ref' in element)) {
    if (dice(8) === 0) return { [`$deleteFromPrimitiveList/${name}`]: [...items.slice(0, 1), 'x'] };
    return {
      [name]:
        dice(5) === 0 ? [] : [...(dice(2) === 0 ? items : []), walk(element, items[0], { dice, depth: depth + 1 })],
    };
  }
  const keyOf = (item: Json | undefined): Json => (isMap(item) ? (item[mergeKey] ?? 'x') : 'x');
  const base = items.length > 0 && dice(4) > 0 ? one(dice, items) : undefined;
  const key = base === undefined ? one<Json>(dice, /[pP]ort$/.test(mergeKey) ? NUMBERS : TEXTS) : keyOf(base);
  if (dice(8) === 0) return { [name]: [{ [mergeKey]: key, $patch: 'delete' }] };
  if (dice(12) === 0) return { [name]: [{ $patch: 'replace' }, ...items.slice(dice(2))] };
  if (dice(10) === 0 && items.length > 0) {
    return { [`$setElementOrder/${name}`]: [...items].reverse().map((item) => ({ [mergeKey]: keyOf(item) })) };
  }
  const inner = walk(element, base, { dice, depth: depth + 1 });
  const item = { ...(isMap(inner) ? inner : {}), [mergeKey]: key };
  return { [name]: dice(10) === 0 ? [item, { [mergeKey]: key }] : [item] };
}

function anyOf(type: FieldType, there: Json | undefined, dice: Dice): Json {
  if (there !== undefined && dice(4) === 0) return there;
  if (dice(15) === 0) return one<Json>(dice, [null, [], {}, 'x', 7, true]);
  if ('list' in type) return dice(4) === 0 ? [] : [anyOf(type.list, undefined, dice)];
  if ('map' in type) {
    const key = isMap(there) && dice(2) === 0 ? one(dice, [...Object.keys(there), 'x']) : one(dice, KEYS);
    return { [key]: dice(4) === 0 ? null : anyOf(type.map, undefined, dice) };
  }
  if ('ref' in type) return walk(type, there, { dice, depth: 9 });
  if (type.scalar === 'bool') return dice(2) === 0;
  if (/^int(32|64)$/.test(type.scalar)) return one(dice, NUMBERS);
  if (type.scalar === 'int-or-string') return one<Json>(dice, [...NUMBERS, 'service']);
  return type.scalar === 'quantity' ? one<Json>(dice, ['1', '2Gi', '100m']) : one(dice, TEXTS);
}
