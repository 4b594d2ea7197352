type Schema = Readonly<Record<string, unknown>>;
type Check = (value: unknown, keyword: never, schema: Schema) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const length = (text: string): number => [...text].length;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  null: (value) => value === null,
};

/** The keywords of draft 7 that our schemas use; another one throws, so that none is passed over. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  $schema: () => true,
  title: () => true,
  description: () => true,
  type: (value, type: string) => TYPES[type]!(value),
  enum: (value, list: readonly unknown[]) => list.includes(value),
  const: (value, constant: unknown) => value === constant,
  pattern: (value, pattern: string) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  maxLength: (value, most: number) => typeof value !== 'string' || length(value) <= most,
  minimum: (value, least: number) => typeof value !== 'number' || value >= least,
  maximum: (value, most: number) => typeof value !== 'number' || value <= most,
  not: (value, schema: Schema) => !accepts(schema, value),
  anyOf: (value, schemas: readonly Schema[]) => schemas.some((schema) => accepts(schema, value)),
  items: (value, schema: Schema) => !Array.isArray(value) || value.every((element) => accepts(schema, element)),
  minItems: (value, least: number) => !Array.isArray(value) || value.length >= least,
  maxItems: (value, most: number) => !Array.isArray(value) || value.length <= most,
  uniqueItems: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  required: (value, keys: readonly string[]) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  maxProperties: (value, most: number) => !isObject(value) || Object.keys(value).length <= most,
  propertyNames: (value, schema: Schema) => !isObject(value) || Object.keys(value).every((key) => accepts(schema, key)),
  properties: (value, schemas: Readonly<Record<string, Schema>>) =>
    !isObject(value) ||
    Object.entries(value).every(([key, entry]) => !Object.hasOwn(schemas, key) || accepts(schemas[key]!, entry)),
  additionalProperties: (value, rest: Schema | boolean, { properties = {} }) =>
    !isObject(value) ||
    Object.entries(value).every(([key, entry]) => {
      if (Object.hasOwn(properties as object, key)) return true;
      return typeof rest === 'boolean' ? rest : accepts(rest, entry);
    }),
};

/** Whether a JSON Schema accepts a value. */
export function accepts(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(value, argument as never, schema);
  });
}
