import { z } from 'zod';
import { Name, NameOrUnset, orEmpty, RELATIVE_PATTERN, textOrUnset } from './schema-parts.ts';

const SEGMENT = /^[A-Za-z0-9_.-]+$/;

function secretPath(path: string): boolean {
  return path.length <= 512 && path.split('/').every((part) => SEGMENT.test(part) && part !== '.' && part !== '..');
}

/** A secret reference (facts 1.16): `ref` alone, or a provider's. Which of them is set is a check; all empty means not set. */
export const SecretRefFile = z.strictObject({
  ref: NameOrUnset.optional(),
  provider: NameOrUnset.optional(),
  path: textOrUnset(
    secretPath,
    'must be at most 512 characters: parts of letters, digits, hyphens, underscores and dots between slashes',
    { pattern: `(?=${orEmpty(RELATIVE_PATTERN)})^[A-Za-z0-9_./-]*$`, maxLength: 512 },
  ).optional(),
  key: textOrUnset(
    (key) => key.length <= 128 && SEGMENT.test(key),
    'must be at most 128 letters, digits, hyphens, underscores and dots',
    { pattern: orEmpty(SEGMENT), maxLength: 128 },
  ).optional(),
});
export type SecretRefFile = z.infer<typeof SecretRefFile>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const DATABASE = /^[^/\\?#\u0000\r\n]*$/;

/** Facts 1.12. */
export const BindingFile = z.strictObject({
  service: Name,
  protocol: z.enum(['http', 'postgres', 'mysql', 'redis', 'amqp'], 'must be http, postgres, mysql, redis or amqp'),
  database: textOrUnset(
    (text) => text.length <= 64 && DATABASE.test(text),
    'must be at most 64 characters without slash, backslash, ?, #, NUL and line breaks',
    { pattern: DATABASE.source, maxLength: 64 },
  ).optional(),
  username: textOrUnset(
    (text) => text.length <= 64 && !/[\0\r\n]/.test(text),
    'must be at most 64 characters without NUL and line breaks',
    { maxLength: 64 },
  ).optional(),
  password: SecretRefFile.optional(),
});
