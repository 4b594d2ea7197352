import { z } from 'zod';

type Schema = z.core.$ZodType;

/** The schema that says what a field is, below what makes it optional or checks it first. */
function inner(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional) return inner(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return inner(schema.def.out);
  return schema;
}

/** Every field a schema has, as `services.*.ports[].name`: `*` is any key of a map and `[]` any element of a list. */
export function schemaFields(schema: Schema, path = ''): readonly string[] {
  const own = inner(schema);
  if (own instanceof z.ZodObject)
    return Object.entries(own.shape as Readonly<Record<string, Schema>>).flatMap(([key, below]) => {
      const here = path === '' ? key : `${path}.${key}`;
      return [here, ...schemaFields(below, here)];
    });
  if (own instanceof z.ZodRecord) return schemaFields(own.def.valueType, `${path}.*`);
  if (own instanceof z.ZodArray) return schemaFields(own.def.element, `${path}[]`);
  return [];
}

/** The fields a document sets. */
export function fieldsOf(schema: Schema, value: unknown, path = ''): readonly string[] {
  const own = inner(schema);
  if (typeof value !== 'object' || value === null) return [];
  if (own instanceof z.ZodObject)
    return Object.entries(value).flatMap(([key, below]) => {
      const child = (own.shape as Readonly<Record<string, Schema>>)[key];
      const here = path === '' ? key : `${path}.${key}`;
      return child === undefined ? [] : [here, ...fieldsOf(child, below, here)];
    });
  const below =
    own instanceof z.ZodRecord ? own.def.valueType : own instanceof z.ZodArray ? own.def.element : undefined;
  if (below === undefined) return [];
  return Object.values(value).flatMap((one) => fieldsOf(below, one, `${path}${Array.isArray(value) ? '[]' : '.*'}`));
}

/** The field that a place in a document belongs to; the nearest one around it for places the schema does not have. */
export function fieldAt(schema: Schema, place: readonly (string | number)[]): string {
  let own = inner(schema);
  let path = '';
  for (const part of place) {
    if (own instanceof z.ZodObject) {
      const child = (own.shape as Readonly<Record<string, Schema>>)[String(part)];
      if (child === undefined) return path;
      path = path === '' ? String(part) : `${path}.${part}`;
      own = inner(child);
    } else if (own instanceof z.ZodRecord) {
      path = `${path}.*`;
      own = inner(own.def.valueType);
    } else if (own instanceof z.ZodArray) {
      path = `${path}[]`;
      own = inner(own.def.element);
    } else return path;
  }
  return path;
}
