import fc from 'fast-check';
import type { Json } from '../../src/kernel/index.ts';
import { FIELD_TABLE, type Field, type Fields, type FieldType, type PatchKind } from '../../src/patch/index.ts';

/*
 * Patches for fast-check, led by the field table and by the object they are for: what is there already is patched more often than the
 * rest, elements of lists carry keys that are there, and every directive appears where it has a meaning, and now and then where it has none.
 */

type Context = { readonly there: Json | undefined; readonly depth: number };

const WORDS = ['app', 'api', 'a', 'b', 'LOG_LEVEL', 'ZONE', 'NEW', 'service', 'true', '80', '1Gi', ''];
const NUMBERS = [0, 1, 2, 53, 80, 7946, 9100, -1];

/** A patch for an object of this kind; for a Deployment mostly one of its pod or its container, where the lists are. */
export function patchFor(kind: PatchKind, object: Fields): fc.Arbitrary<Fields> {
  const whole = fieldsOf(FIELD_TABLE.kinds[kind], { there: object, depth: 0 }).map(withoutNames);
  if (kind !== 'deployment') return whole;
  const pod = at(object, 'spec', 'template', 'spec');
  const inPod = (spec: Fields): Fields => ({ spec: { template: { spec } } });
  const container = items(at(pod, 'containers'))[0];
  return fc.oneof(
    whole,
    fieldsOf('PodSpec', { there: pod, depth: 2 }).map(inPod),
    fieldsOf('Container', { there: container, depth: 2 }).map((fields) =>
      inPod({ containers: [{ ...fields, name: 'app' }] }),
    ),
  );
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, key) => (isMap(found) ? found[key] : undefined), value);
}

/** What no patch may set is left out, so that most patches pass. */
function withoutNames(patch: Fields): Fields {
  const { apiVersion: _version, kind: _kind, $patch: _patch, $retainKeys: _keys, metadata, ...rest } = patch;
  if (!isMap(metadata)) return metadata === undefined ? rest : { metadata, ...rest };
  const { name: _name, namespace: _namespace, ...meta } = metadata;
  return { metadata: meta, ...rest };
}

function isMap(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(name: string, { there, depth }: Context): fc.Arbitrary<Fields> {
  const type = FIELD_TABLE.types[name] ?? {};
  const object = isMap(there) ? there : {};
  const present = Object.keys(object).filter((key) => type[key] !== undefined);
  const any = fc.constantFrom(...Object.keys(type));
  const names =
    present.length === 0
      ? any
      : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...present) }, { weight: 1, arbitrary: any });
  return fc
    .uniqueArray(names, { minLength: depth < 4 ? 1 : 0, maxLength: depth < 6 ? 4 : 2 })
    .chain((keys) =>
      fc.record(
        Object.fromEntries(
          keys.map((key) => [key, arbitraryOf(type[key]!, { there: object[key], depth: depth + 1 })]),
        ) as Record<string, fc.Arbitrary<Json>>,
        { requiredKeys: [] },
      ),
    )
    .chain((fields) =>
      fc.tuple(
        fc.constant(fields),
        directives(fields as Fields, object),
        listDirectives(type, fields as Fields, object),
      ),
    )
    .map(([fields, whole, lists]) => ({ ...fields, ...whole, ...lists }) as Fields);
}

/** `$patch` and `$retainKeys`, seldom. */
function directives(fields: Fields, object: Fields): fc.Arbitrary<Fields> {
  const keys = [...new Set([...Object.keys(fields), ...Object.keys(object)])];
  const retained = fc.subarray(keys, { minLength: Math.min(keys.length, Object.keys(fields).length) });
  return fc.oneof(
    { weight: 14, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom<Fields>({ $patch: 'replace' }, { $patch: 'delete' }) },
    {
      weight: 1,
      arbitrary: retained.map((names) => ({ $retainKeys: [...new Set([...Object.keys(fields), ...names])] })),
    },
  );
}

function listDirectives(type: Readonly<Record<string, Field>>, fields: Fields, object: Fields): fc.Arbitrary<Fields> {
  const lists = Object.entries(type).filter(([key, field]) => 'list' in field.type && (key in fields || key in object));
  const parts = lists.map(([key, field]) => directivesOf(key, field, [items(fields[key]), items(object[key])]));
  return fc.tuple(...parts).map((found) => Object.assign({}, ...found) as Fields);
}

function items(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function directivesOf(
  key: string,
  field: Field,
  [patch, there]: readonly [readonly Json[], readonly Json[]],
): fc.Arbitrary<Fields> {
  const { mergeKey } = field;
  const none = { weight: 6, arbitrary: fc.constant<Fields>({}) };
  // kubectl can not order a list without elements.
  if (patch.length + there.length === 0) return fc.constant({});
  if (mergeKey !== undefined) {
    // The order of the patch has to be kept, so the others are put around it.
    const order = fc.tuple(fc.shuffledSubarray([...there]), fc.boolean()).map(([others, isFirst]): Fields => {
      const all = (isFirst ? [...patch, ...others] : [...others, ...patch]).filter(
        (item) => isMap(item) && item[mergeKey] !== undefined,
      );
      const values = [...new Set(all.map((item) => (item as Fields)[mergeKey]!))];
      return { [`$setElementOrder/${key}`]: values.map((value) => ({ [mergeKey]: value })) };
    });
    return fc.oneof(none, { weight: 3, arbitrary: order });
  }
  const isScalars = 'list' in field.type && 'scalar' in field.type.list;
  if (!isScalars) return fc.constant({});
  const gone = fc
    .subarray([...there, ...patch, 'gone'])
    .map((list): Fields => ({ [`$deleteFromPrimitiveList/${key}`]: list }));
  const order = fc
    .shuffledSubarray([...there, ...patch])
    .map((list): Fields => ({ [`$setElementOrder/${key}`]: list }));
  const isMerged = field.strategy?.includes('merge') === true;
  return fc.oneof(none, { weight: 2, arbitrary: gone }, ...(isMerged ? [{ weight: 2, arbitrary: order }] : []));
}

function arbitraryOf(field: Field, context: Context): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 12, arbitrary: typed(field.type, context, field) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

function typed(type: FieldType, context: Context, field?: Field): fc.Arbitrary<Json> {
  const { there, depth } = context;
  if ('scalar' in type) return scalar(type.scalar, there);
  if ('ref' in type) return depth > 12 ? fc.constant({}) : fieldsOf(type.ref, context);
  if ('map' in type) return mapOf(type.map, context);
  const { mergeKey } = field ?? {};
  const existing = items(there);
  const fresh = typed(type.list, { there: existing[0], depth: depth + 1 });
  if (mergeKey === undefined) return fc.array(fresh, { maxLength: 3 });
  const element = fc.oneof(
    { weight: 1, arbitrary: fresh },
    ...existing.map((item) => ({
      weight: 2,
      arbitrary: typed(type.list, { there: item, depth: depth + 1 }).map((value) => keyed(value, item, mergeKey)),
    })),
  );
  const deletion = fc
    .constantFrom(...existing, { [mergeKey]: 'gone' })
    .map((item): Json => ({ [mergeKey]: isMap(item) ? item[mergeKey]! : 'gone', $patch: 'delete' }));
  const withKey = fc
    .tuple(element, key(mergeKey))
    .map(
      ([value, own]): Json =>
        isMap(value) && value[mergeKey] == null && value.$patch !== 'replace' ? { ...value, [mergeKey]: own } : value,
    );
  const anElement = fc.oneof(
    { weight: 8, arbitrary: withKey },
    { weight: 1, arbitrary: deletion },
    { weight: 1, arbitrary: fc.constant<Json>({ $patch: 'replace' }) },
  );
  return fc.array(anElement, { maxLength: 3 });
}

function keyed(value: Json, item: Json, mergeKey: string): Json {
  return isMap(value) && isMap(item) ? { ...value, [mergeKey]: item[mergeKey]! } : value;
}

function key(mergeKey: string): fc.Arbitrary<Json> {
  return /[pP]ort$/.test(mergeKey) ? fc.constantFrom(53, 80, 9100) : fc.constantFrom('app', 'LOG_LEVEL', 'NEW', 'a');
}

function mapOf(type: FieldType, { there, depth }: Context): fc.Arbitrary<Json> {
  const keys = fc.constantFrom(...Object.keys(isMap(there) ? there : {}), 'team', 'cpu', 'memory', 'haproxy.org/a');
  const value = fc.oneof(
    { weight: 6, arbitrary: typed(type, { there: undefined, depth: depth + 1 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  return fc
    .dictionary(keys, value, { maxKeys: 3 })
    .chain((map) => fc.tuple(fc.constant(map), directives(map as Fields, isMap(there) ? there : {})))
    .map(([map, whole]) => ({ ...map, ...whole }) as Json);
}

function scalar(type: string, there: Json | undefined): fc.Arbitrary<Json> {
  const same = there === undefined || there === null ? [] : [there];
  if (type === 'bool') return fc.boolean();
  if (type === 'int32' || type === 'int64') return fc.constantFrom(...same, ...NUMBERS);
  if (type === 'int-or-string') return fc.constantFrom<Json>(...same, '25%', 'service', ...NUMBERS);
  if (type === 'quantity') return fc.constantFrom<Json>(...same, '100m', '1Gi', 1, 0.5);
  if (type === 'time') return fc.constant('2026-01-31T12:00:00Z');
  if (type === 'bytes') return fc.constant('aGk=');
  if (type === 'raw') return fc.constant({});
  return fc.constantFrom<Json>(...same, ...WORDS);
}
