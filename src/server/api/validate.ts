import type { z } from 'zod';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';

/** Longest field path that is repeated to the sender. */
const PATH_CHARACTERS = 200;

/** Checks a value. The refusal names the first field at fault by its path and says the rule; it never repeats a value. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: 'body' | 'path' | 'query' | 'header',
): Result<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  if (issue === undefined) return fail(problem('invalid_request'));
  const { path, message } = read(issue, value);
  const field = path.map(String).join('.').slice(0, PATH_CHARACTERS);
  const at = where === 'body' ? field || 'body' : field === '' ? where : `${where}.${field}`;
  return fail(problem('invalid_request', message, { at }));
}

type Told = { readonly path: readonly PropertyKey[]; readonly message: string };

function read(issue: z.core.$ZodIssue, root: unknown): Told {
  const { path } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...path, issue.keys[0] ?? ''], message: 'there is no such field' };
    case 'invalid_type':
      return {
        path,
        message: valueAt(root, path) === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`,
      };
    case 'invalid_value':
      return {
        path,
        message: `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`,
      };
    case 'too_small':
      return { path, message: `must be at least ${bound(issue.origin, issue.minimum)}` };
    case 'too_big':
      return { path, message: `must be at most ${bound(issue.origin, issue.maximum)}` };
    default:
      return { path, message: 'has not the right form' };
  }
}

function bound(origin: string, limit: number | bigint): string {
  const unit = origin === 'string' ? ' characters' : origin === 'array' || origin === 'set' ? ' items' : '';
  return `${limit}${unit}`;
}

function withArticle(expected: string): string {
  const name = expected === 'record' ? 'object' : expected === 'int' ? 'integer' : expected;
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
