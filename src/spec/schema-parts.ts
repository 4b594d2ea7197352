import { z } from 'zod';
import { ENV_NAME, NAME } from '../kernel/index.ts';
import { isTable } from './tables.ts';

/*
 * The building blocks of the schema. All messages are ours and name no value. "Unset" variants accept the empty text or zero, which say
 * the same as absence. `meta` repeats for editors what a check by code can not say itself (see `json-schema.ts`); it may say less, never more.
 */

const NAME_TEXT =
  'must be 1 to 40 lowercase letters, digits and hyphens, starting with a letter and not ending with a hyphen';
const ENV_TEXT = 'must be a variable name: letters, digits and underscores, at most 128, not starting with a digit';

/** NAME of facts 1. */
export const Name = z.string().regex(NAME, NAME_TEXT);
export const NameOrUnset = textOrUnset((text) => NAME.test(text), NAME_TEXT, { pattern: orEmpty(NAME) });
/** ENV of facts 1. */
export const EnvName = z.string().regex(ENV_NAME, ENV_TEXT);

const RUNTIME_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RUNTIME_NAME of facts 1, or unset. */
export const RuntimeNameOrUnset = textOrUnset(
  (text) => RUNTIME_NAME.test(text),
  'must be 1 to 63 lowercase letters, digits and hyphens, starting and ending with a letter or digit',
  { pattern: orEmpty(RUNTIME_NAME) },
);

const IDENTITY = /^[0-9a-f]{32}$/;
/** Who may start an invocation or open a session (facts 1.9, 1.17). */
export const Identity = z.string().regex(IDENTITY, 'must be 32 lowercase hex digits');

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Facts 2.6 for editors. */
export const HOST_PATTERN = `^(?![0-9.]+$)${LABEL}(?:\\.${LABEL})+$`;

const PATH_PART = '(?!\\.{1,2}(?:/|$))[^/\\\\:]+';
/** Clean paths for editors. */
export const RELATIVE_PATTERN = `^${PATH_PART}(?:/${PATH_PART})*$`;
export const ABSOLUTE_PATTERN = `^/(?:${PATH_PART}(?:/${PATH_PART})*)?$`;

/** A DNS name of facts 2.6. */
export const Host = z
  .string()
  .refine(validHostname, 'must be a lowercase DNS name with a dot, without scheme, port, path or wildcard')
  .meta({ pattern: HOST_PATTERN, maxLength: 244 });

const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
/** A storage class: the cluster's default one when unset (facts 1.10). */
export const StorageClass = textOrUnset(
  (text) => text.length <= 253 && SUBDOMAIN.test(text),
  'must be the name of a storage class: at most 253 lowercase letters, digits, hyphens and dots',
  { pattern: orEmpty(SUBDOMAIN), maxLength: 253 },
);

/** A whole number in a range. */
export function int(low: number, high: number): z.ZodInt {
  return z.int().min(low).max(high);
}

/** A whole number in a range, or 0 for the default. */
export function intOrUnset(low: number, high: number, unit = ''): z.ZodInt {
  const inRange = { minimum: low, maximum: high };
  return z
    .int()
    .refine((n) => n === 0 || (n >= low && n <= high), `must be ${low} to ${high}${unit}`)
    .meta(low === 1 ? { ...inRange, minimum: 0 } : { anyOf: [{ const: 0 }, inRange] });
}

/** A text that passes `valid`, or an empty one. `meta`: keywords of JSON Schema that an empty text fits too. */
export function textOrUnset(
  valid: (text: string) => boolean,
  message: string,
  meta: { readonly pattern?: string; readonly maxLength?: number } = {},
): z.ZodString {
  return z
    .string()
    .refine((text) => text === '' || valid(text), message)
    .meta({ ...meta });
}

/** A pattern, or no text. */
export function orEmpty(pattern: RegExp | string): string {
  return `^$|${typeof pattern === 'string' ? pattern : pattern.source}`;
}

/** One of some words, or an empty text. */
export function wordOrUnset<const W extends string>(...words: readonly W[]): z.ZodType<W | ''> {
  const last = words.at(-1) ?? '';
  const message = words.length < 2 ? `must be ${last}` : `must be ${words.slice(0, -1).join(', ')} or ${last}`;
  return z.enum(['', ...words], message) as z.ZodType<W | ''>;
}

/** A text of at most so many bytes without NUL. */
export function plainText(bytes: number): z.ZodString {
  return z
    .string()
    .refine((text) => Buffer.byteLength(text) <= bytes, `must be at most ${bytes} bytes`)
    .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
    .meta({ maxLength: bytes });
}

/** A map of at most `max` entries; larger ones are refused before their entries are looked at. */
export function mapOf<K extends z.ZodString, V extends z.ZodType>(key: K, value: V, max: number) {
  return z
    .custom<Readonly<Record<string, unknown>>>(isTable, requiredOr('must be a table'))
    .refine((map) => Object.keys(map).length <= max, `must have at most ${max} entries`)
    .pipe(z.record(key, value).meta({ maxProperties: max }));
}

/** A list of at most `max` elements, as `mapOf`. */
export function listOf<V extends z.ZodType>(value: V, max: number) {
  return z
    .custom<readonly unknown[]>(Array.isArray, requiredOr('must be a list'))
    .refine((list) => list.length <= max, `must have at most ${max} entries`)
    .pipe(z.array(value).meta({ maxItems: max }));
}

/** A list as `listOf` whose elements differ. */
export function uniqueListOf<V extends z.ZodType<string>>(value: V, max: number) {
  return listOf(value, max)
    .superRefine((list, context) => {
      for (const [i, element] of list.entries()) {
        if (list.indexOf(element) !== i) context.addIssue({ code: 'custom', message: 'is listed twice', path: [i] });
      }
    })
    .meta({ uniqueItems: true });
}

function requiredOr(message: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? 'is required' : message) };
}

/** Facts 2.6: a lowercase DNS name with a dot, at most 244 characters, labels of at most 63, not an IP address. */
export function validHostname(host: string): boolean {
  if (host.length > 244) return false;
  const labels = host.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !/^[0-9.]+$/.test(host)
  );
}
