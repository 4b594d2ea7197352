import { z } from 'zod';
import { DESCRIPTIONS } from './descriptions.ts';
import { parsePath } from './path.ts';
import { SpecFile } from './schema.ts';

/** A JSON Schema, or a part of one. */
export type JsonSchema = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
};

/**
 * The JSON Schema of the file, for editors: draft 7, which TOML language servers read best, without references. It says what one field
 * can say alone, so it accepts every valid file; what fields say about each other is left to the parser.
 */
export function specJsonSchema(): JsonSchema {
  // "output" follows a map's or list's own schema behind the check of its size; nothing here has a default or changes its value
  const generated = z.toJSONSchema(SpecFile, { target: 'draft-7', io: 'output', unrepresentable: 'any' });
  const { $schema, ...schema } = describe(generated as JsonSchema, '');
  return {
    $schema,
    title: 'Hakopod application',
    description: 'One application of Hakopod: hakopod.toml, schema version 1.',
    ...schema,
  };
}

/** What the library says of every whole number: what JavaScript can hold is no limit of the format. */
const NO_LIMIT: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

function describe(whole: JsonSchema, at: string): JsonSchema {
  const schema = Object.fromEntries(
    Object.entries(whole).filter(([, value]) => !NO_LIMIT.includes(value)),
  ) as JsonSchema;
  const { properties, additionalProperties, items } = schema;
  const below = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const texts = DESCRIPTIONS[at] ?? {};
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, value]) => {
              const text = texts[key];
              return [key, { ...(text === undefined ? {} : { description: text }), ...describe(value, below(key)) }];
            }),
          ),
        }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: describe(additionalProperties, below('*')) }
      : {}),
    ...(items === undefined ? {} : { items: describe(items, `${at}[]`) }),
  };
}

/** What the format says about a path: what the field is for, or which fields there are instead. */
export type FieldHelp =
  | { readonly known: true; readonly description: string }
  | { readonly known: false; readonly key: string; readonly siblings: readonly string[] };

/** Looks a dotted path up in `specJsonSchema()`, such as `services.web.port`; `undefined` where the format says nothing about it. */
export function describeField(root: JsonSchema, at: string): FieldHelp | undefined {
  let schema = root;
  let description: string | undefined;
  for (const part of parsePath(at) ?? []) {
    const { properties, additionalProperties, items }: JsonSchema = schema;
    const named: JsonSchema | undefined =
      properties !== undefined && Object.hasOwn(properties, part) ? properties[part] : undefined;
    if (properties !== undefined && named === undefined) {
      return { known: false, key: String(part), siblings: Object.keys(properties) };
    }
    const next = named ?? (typeof additionalProperties === 'object' ? additionalProperties : items);
    if (next === undefined) return undefined;
    schema = next;
    // a variable or a host name is what its map is for; a table in a map is a thing of its own
    description = schema.description ?? (schema.properties === undefined ? description : undefined);
  }
  return description === undefined ? undefined : { known: true, description };
}
