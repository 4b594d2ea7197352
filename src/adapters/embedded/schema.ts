import type { Cause } from './errors.ts';
import { type Fields, isRecord, items, record, sameJson, text } from './objects.ts';

const ROOT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Fills in defaults and drops what the schema does not know, as a structural schema does; `x-kubernetes-preserve-unknown-fields` keeps. */
export function shapeBySchema(schema: Fields, value: unknown): unknown {
  if (Array.isArray(value)) {
    const item = record(schema.items);
    return value.map((child) => shapeBySchema(item, child));
  }
  if (!isRecord(value)) return value;
  const properties = record(schema.properties);
  const result: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(value)) {
    const known = childSchema(schema, name);
    if (known !== undefined && !(child === null && known.nullable !== true)) result[name] = shapeBySchema(known, child);
  }
  for (const [name, property] of Object.entries(properties)) {
    const fallback = record(property).default;
    if (result[name] === undefined && fallback !== undefined) result[name] = shapeBySchema(record(property), fallback);
  }
  return result;
}

/** The schema of a named child; an empty schema accepts anything; undefined when the name is unknown. */
function childSchema(schema: Fields, name: string): Fields | undefined {
  const own = record(schema.properties)[name];
  if (isRecord(own)) return own;
  const more = schema.additionalProperties;
  if (isRecord(more)) return more;
  const open = more === true || schema['x-kubernetes-preserve-unknown-fields'] === true || isAny(schema);
  return open ? { 'x-kubernetes-preserve-unknown-fields': true } : undefined;
}

function isAny(schema: Fields): boolean {
  return schema.type === undefined && schema.properties === undefined;
}

/** Names of fields the schema does not know, dotted; at the root apiVersion, kind and metadata are known. */
export function unknownBySchema(schema: Fields, value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((child, index) => unknownBySchema(record(schema.items), child, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    if (path === '' && ROOT_FIELDS.has(name)) return [];
    const known = childSchema(schema, name);
    return known === undefined ? [`${path}.${name}`] : unknownBySchema(known, child, `${path}.${name}`);
  });
}

function typeMatches(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return typeof value === type;
  }
}

function bad(field: string, message: string, reason = 'FieldValueInvalid'): Cause {
  return { reason, message, field: field === '' ? '<nil>' : field };
}

function scalarCauses(schema: Fields, value: unknown, field: string): readonly Cause[] {
  const causes: Cause[] = [];
  const allowed = items(schema.enum);
  if (allowed.length > 0 && !allowed.some((candidate) => sameJson(candidate, value))) {
    causes.push(bad(field, 'Unsupported value', 'FieldValueNotSupported'));
  }
  if (typeof value === 'string') {
    const pattern = text(schema.pattern);
    if (pattern !== undefined && !new RegExp(pattern).test(value))
      causes.push(bad(field, `Invalid value: should match '${pattern}'`));
    causes.push(...bounds(schema, { size: [...value].length, least: 'minLength', most: 'maxLength', field }));
    if (schema.format === 'date-time' && Number.isNaN(Date.parse(value)))
      causes.push(bad(field, 'Invalid value: must be a date-time'));
  }
  if (typeof value === 'number')
    causes.push(...bounds(schema, { size: value, least: 'minimum', most: 'maximum', field }));
  if (Array.isArray(value))
    causes.push(...bounds(schema, { size: value.length, least: 'minItems', most: 'maxItems', field }));
  return causes;
}

type Bounds = { readonly size: number; readonly least: string; readonly most: string; readonly field: string };

function bounds(schema: Fields, { size, least, most, field }: Bounds): readonly Cause[] {
  const low = schema[least];
  const high = schema[most];
  const causes: Cause[] = [];
  if (typeof low === 'number' && size < low) causes.push(bad(field, `Invalid value: below ${least} ${low}`));
  if (typeof high === 'number' && size > high) causes.push(bad(field, `Invalid value: above ${most} ${high}`));
  return causes;
}

/**
 * What an openAPIV3 schema refuses: types, required fields, enum, pattern, lengths and bounds, date-time. CEL rules are not evaluated.
 */
export function schemaCauses(schema: Fields, value: unknown, field = ''): readonly Cause[] {
  if (value === null && schema.nullable === true) return [];
  if (schema['x-kubernetes-int-or-string'] === true) {
    return typeof value === 'string' || Number.isInteger(value)
      ? []
      : [bad(field, 'Invalid value: must be an integer or a string')];
  }
  const type = text(schema.type);
  if (type !== undefined && !typeMatches(type, value)) {
    return [bad(field, `Invalid value: must be of type ${type}`, 'FieldValueTypeInvalid')];
  }
  const causes: Cause[] = [...scalarCauses(schema, value, field)];
  if (Array.isArray(value)) {
    const item = record(schema.items);
    causes.push(...value.flatMap((child, index) => schemaCauses(item, child, `${field}[${index}]`)));
  }
  if (isRecord(value)) causes.push(...objectCauses(schema, value, field));
  return causes;
}

function objectCauses(schema: Fields, value: Fields, field: string): readonly Cause[] {
  const path = (name: string): string => (field === '' ? name : `${field}.${name}`);
  const missing = items(schema.required)
    .map(String)
    .filter((name) => value[name] === undefined && !(field === '' && ROOT_FIELDS.has(name)));
  return [
    ...missing.map((name) => bad(path(name), 'Required value', 'FieldValueRequired')),
    ...Object.entries(value).flatMap(([name, child]) => {
      const known = childSchema(schema, name);
      return known === undefined ? [] : schemaCauses(known, child, path(name));
    }),
  ];
}
