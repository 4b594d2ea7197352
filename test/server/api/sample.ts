import fc from 'fast-check';
import { z } from 'zod';

type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};

const samples = new Map<z.ZodType, unknown>();

/** A value the schema takes, the same every time: what an operation might answer. */
export function sampleOf(schema: z.ZodType): unknown {
  const value = samples.get(schema) ?? sample(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);
  samples.set(schema, value);
  return value;
}

function sample(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sample(schema.anyOf[0] ?? {});
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, sample(field)]));
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sample(schema.items ?? {}));
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'string':
      return text(schema);
    default:
      return 'anything';
  }
}

function text({ format, pattern, minLength = 1 }: JsonSchema): string {
  if (format === 'date-time') return '2026-11-29T12:00:00Z';
  if (pattern === undefined) return 'x'.repeat(minLength);
  const [value = ''] = fc.sample(fc.stringMatching(new RegExp(pattern), { size: 'small' }), { seed: 7, numRuns: 1 });
  return value;
}
