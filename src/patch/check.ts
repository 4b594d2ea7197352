import { type Json, type Problem, problem } from '../kernel/index.ts';
import { scalarFault } from './check-scalar.ts';
import { DELETE_FROM, PATCH, RETAIN_KEYS, SET_ORDER } from './directives.ts';
import { below, type Fields, isFields, isList, own } from './json.ts';
import { FIELD_TABLE } from './schema/table.ts';
import type { Field, FieldType, ObjectType, PatchKind } from './types.ts';

/** Faults listed for one patch. */
const MOST = 16;

type Place = {
  readonly at: string;
  /** Whether directives are carried out here; elsewhere they would stay in the object, which the API server refuses. */
  readonly directives: boolean;
  /** The merge key, in an element of a merged list. */
  readonly mergeKey?: string;
};
type Fault = { readonly at: string; readonly rule: string };

/**
 * Checks a patch against the fields of its kind, as the API server's strict validation would: an unknown field, a value of another type
 * and a directive that can not be carried out each give an `invalid_patch` whose `at` is the path inside the object. At most 16.
 */
export function checkFields(kind: PatchKind, patch: Fields): readonly Problem[] {
  return found(kind, patch, true);
}

/** The same for a patched object, in which no directive may be left. */
export function checkObject(kind: PatchKind, object: Fields): readonly Problem[] {
  return found(kind, object, false);
}

function found(kind: PatchKind, fields: Fields, directives: boolean): readonly Problem[] {
  const faults: Fault[] = [];
  const type = own(FIELD_TABLE.types, FIELD_TABLE.kinds[kind]) ?? {};
  if (directives && Object.hasOwn(fields, PATCH)) faults.push({ at: PATCH, rule: 'can not replace the whole object' });
  checkObjectFields(type, fields, { at: '', directives }, faults);
  return faults.slice(0, MOST).map(({ at, rule }) => problem('invalid_patch', `${at}: ${rule}`, { at }));
}

/** Checks the fields of an object of the table. */
function checkObjectFields(type: ObjectType, fields: Fields, place: Place, faults: Fault[]): void {
  const inner = innerPlace(fields, place);
  for (const [key, value] of Object.entries(fields)) {
    const at = below(place.at, key);
    if (key.startsWith('$')) {
      const rule = place.directives ? directiveFault(type, key, value) : 'a directive has no effect here';
      if (rule !== undefined) faults.push({ at, rule });
      continue;
    }
    const field = own(type, key);
    if (field === undefined) faults.push({ at, rule: 'unknown field' });
    // Null removes a field, and is an absent one to the API server.
    else if (value !== null) checkValue(field.type, value, { ...inner, at }, faults, field);
  }
  const { mergeKey } = place;
  if (mergeKey === undefined || fields[PATCH] === 'replace') return;
  if ((own(fields, mergeKey) ?? null) === null)
    faults.push({ at: below(place.at, mergeKey), rule: 'an element of this list needs it' });
}

/** Below `$patch` nothing is merged any more, so directives there have no effect. */
function innerPlace(fields: Fields, place: Place): Place {
  return { at: place.at, directives: place.directives && !Object.hasOwn(fields, PATCH) };
}

function checkValue(type: FieldType, value: Json, place: Place, faults: Fault[], field?: Field): void {
  const { at } = place;
  if ('scalar' in type) {
    const rule = scalarFault(type.scalar, value);
    if (rule !== undefined) faults.push({ at, rule });
  } else if ('list' in type) {
    if (!isList(value)) faults.push({ at, rule: 'must be a list' });
    else checkList(type.list, value, { place, field }, faults);
  } else if (!isFields(value)) {
    faults.push({ at, rule: 'must be a mapping' });
  } else if ('ref' in type) {
    checkObjectFields(own(FIELD_TABLE.types, type.ref) ?? {}, value, place, faults);
  } else {
    checkMap(type.map, value, place, faults);
  }
}

type ListPlace = { readonly place: Place; readonly field: Field | undefined };

function checkList(type: FieldType, list: readonly Json[], { place, field }: ListPlace, faults: Fault[]): void {
  const merged = field?.strategy?.includes('merge') === true;
  const mergeKey = merged && place.directives ? field.mergeKey : undefined;
  const identities = new Set<string>();
  for (const [index, value] of list.entries()) {
    const at = `${place.at}[${index}]`;
    const inner = { at, directives: place.directives && merged, ...(mergeKey === undefined ? {} : { mergeKey }) };
    if (value === null) faults.push({ at, rule: 'must not be null' });
    else checkValue(type, value, inner, faults);
    // Where elements are merged this is no fault: the later of two goes into the earlier.
    const identity = place.directives ? undefined : identityOf(value, field);
    if (identity === undefined) continue;
    if (identities.has(identity)) faults.push({ at, rule: 'is there twice' });
    identities.add(identity);
  }
}

/**
 * What tells an element from the others of its list for the server-side apply that writes the object; it refuses two of one key. To
 * the merge key it adds the protocol of ports and, for topology spread constraints, what to do when there is no place.
 */
function identityOf(value: Json, field: Field | undefined): string | undefined {
  const { mergeKey } = field ?? {};
  if (mergeKey === undefined || !isFields(value)) return undefined;
  const protocol = /port$/i.test(mergeKey) ? (own(value, 'protocol') ?? 'TCP') : null;
  return JSON.stringify([own(value, mergeKey) ?? null, protocol, own(value, 'whenUnsatisfiable') ?? null]);
}

/** A map's keys are free; the directives for whole objects work in it as well. */
function checkMap(type: FieldType, map: Fields, place: Place, faults: Fault[]): void {
  for (const [key, value] of Object.entries(map)) {
    const at = below(place.at, key);
    if (place.directives && (key === PATCH || key === RETAIN_KEYS)) {
      const rule = directiveFault({}, key, value);
      if (rule !== undefined) faults.push({ at, rule });
    } else if (key.startsWith('$')) faults.push({ at, rule: 'a directive has no effect here' });
    else if (value !== null) checkValue(type, value, { ...innerPlace(map, place), at }, faults);
  }
}

/** What is wrong with a directive in an object of this type. */
function directiveFault(type: ObjectType, key: string, value: Json): string | undefined {
  if (key === PATCH) {
    // `merge` is in the format, but kubectl carries it out nowhere.
    return value === 'replace' || value === 'delete' ? undefined : 'must be replace or delete';
  }
  if (key === RETAIN_KEYS) return isStrings(value) ? undefined : 'must be a list of field names';
  if (key.startsWith(SET_ORDER)) return orderFault(own(type, key.slice(SET_ORDER.length)), value);
  if (key.startsWith(DELETE_FROM)) return deleteFault(own(type, key.slice(DELETE_FROM.length)), value);
  return 'unknown directive';
}

function isStrings(value: Json): boolean {
  return isList(value) && value.every((item) => typeof item === 'string');
}

function orderFault(field: Field | undefined, value: Json): string | undefined {
  if (field === undefined || !('list' in field.type) || field.strategy?.includes('merge') !== true) {
    return 'is for the name of a list that is merged';
  }
  const { mergeKey } = field;
  if (mergeKey === undefined) return isStrings(value) ? undefined : 'must be a list of strings';
  const holds = isList(value) && value.every((item) => isFields(item) && isKey(own(item, mergeKey)));
  return holds ? undefined : `must be a list of mappings with ${mergeKey}`;
}

function isKey(value: Json | undefined): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function deleteFault(field: Field | undefined, value: Json): string | undefined {
  const element = field !== undefined && 'list' in field.type ? field.type.list : undefined;
  if (element === undefined || !('scalar' in element)) return 'is for the name of a list of scalars';
  const { scalar } = element;
  const holds = isList(value) && value.every((item) => item !== null && scalarFault(scalar, item) === undefined);
  return holds ? undefined : 'must be a list of what to remove';
}
