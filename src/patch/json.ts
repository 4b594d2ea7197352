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

/** `spec` and `ports` as `spec.ports`; keys with other characters in brackets. */
export function below(at: string, key: string): string {
  if (!/^[A-Za-z_$][\w$/-]*$/.test(key)) return `${at}[${JSON.stringify(key.slice(0, 100))}]`;
  return at === '' ? key : `${at}.${key}`;
}
