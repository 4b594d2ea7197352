import { z } from 'zod';

/** A Kubernetes structural schema: the part of JSON Schema a custom resource definition may use. */
export type StructuralSchema = { readonly [keyword: string]: unknown };

/** Keywords that mean the same to Kubernetes and are kept as they are. */
const KEPT = ['type', 'description', 'enum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'nullable'] as const;

/**
 * Turns a zod schema into a structural schema. Kubernetes prunes unknown fields by itself and refuses `additionalProperties` beside
 * `properties`, knows no `$schema`, and wants integers to name their size. A keyword without a counterpart is an error here, so
 * that a new kind of schema can not lose a check silently.
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'throw',
  });
  return convert(json as StructuralSchema);
}

function convert(json: StructuralSchema): StructuralSchema {
  const kept = Object.fromEntries(KEPT.flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]]])));
  return { ...kept, ...text(json), ...number(json), ...array(json), ...object(json), ...refuseUnknown(json) };
}

function text(json: StructuralSchema): StructuralSchema {
  if (json.format === 'date-time') return { format: 'date-time' }; // the pattern beside it says the same
  return json.pattern === undefined ? {} : { pattern: json.pattern };
}

function number(json: StructuralSchema): StructuralSchema {
  if (json.type !== 'integer') return {};
  // zod writes the range of safe integers when no other is given
  const minimum = json.minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum: json.minimum };
  const maximum = json.maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum: json.maximum };
  return { format: 'int64', ...minimum, ...maximum };
}

function array(json: StructuralSchema): StructuralSchema {
  return json.items === undefined ? {} : { items: convert(json.items as StructuralSchema) };
}

function object(json: StructuralSchema): StructuralSchema {
  if (json.type !== 'object') return {};
  if (json.properties === undefined)
    return { additionalProperties: convert(json.additionalProperties as StructuralSchema) };
  const entries = Object.entries(json.properties as Readonly<Record<string, StructuralSchema>>);
  const properties = Object.fromEntries(entries.map(([name, property]) => [name, convert(property)]));
  return json.required === undefined ? { properties } : { properties, required: json.required };
}

const UNDERSTOOD = new Set<string>([
  ...KEPT,
  ...[
    'format',
    'pattern',
    'minimum',
    'maximum',
    'items',
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
  ],
]);

function refuseUnknown(json: StructuralSchema): StructuralSchema {
  const unknown = Object.keys(json).filter((key) => !UNDERSTOOD.has(key));
  if (unknown.length > 0) throw new Error(`no structural counterpart of ${unknown.join(', ')}`);
  return {};
}
