import type { Json } from '../kernel/index.ts';

/** A JSON object. */
export type Fields = { readonly [key: string]: Json };

/** Whether a JSON value is an object. */
export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A key of an object, never one of its prototype. */
export function own<T>(fields: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** `spec` and `ports` as `spec.ports`; keys with other characters in brackets, and what could reorder or hide text as escapes. */
export function below(at: string, key: string): string {
  if (!/^[A-Za-z_$][\w$/-]*$/.test(key)) return `${at}[${quoted(key.slice(0, 100))}]`;
  return at === '' ? key : `${at}.${key}`;
}

function quoted(key: string): string {
  return JSON.stringify(key).replace(
    /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
