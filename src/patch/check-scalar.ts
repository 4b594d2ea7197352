import type { Json } from '../kernel/index.ts';
import type { Scalar } from './types.ts';

const QUANTITY = /^[+-]?(?:\d+|\d+\.\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3})?$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const INT32 = 2 ** 31;

function isInteger(value: Json, from: number, to: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

const RULES: Readonly<Record<Scalar, readonly [rule: string, holds: (value: Json) => boolean]>> = {
  string: ['must be a string (put it in quotes)', (value) => typeof value === 'string'],
  bool: ['must be true or false', (value) => typeof value === 'boolean'],
  int32: ['must be a whole number of 32 bits', (value) => isInteger(value, -INT32, INT32 - 1)],
  // Beyond 2^53 the parser has refused already.
  int64: ['must be a whole number', (value) => isInteger(value, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)],
  bytes: ['must be base64', (value) => typeof value === 'string' && BASE64.test(value)],
  'int-or-string': [
    'must be a whole number of 32 bits or a string',
    (value) => typeof value === 'string' || isInteger(value, -INT32, INT32 - 1),
  ],
  quantity: [
    'must be a quantity such as 500m or 1Gi',
    (value) => typeof value === 'number' || (typeof value === 'string' && QUANTITY.test(value.trim())),
  ],
  time: ['must be a time such as 2026-01-31T12:00:00Z', (value) => typeof value === 'string' && TIME.test(value)],
  raw: ['must be an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
};

/** What is wrong with a value of a scalar field, in words without the value; undefined when the API server would read it. */
export function scalarFault(type: Scalar, value: Json): string | undefined {
  const [rule, holds] = RULES[type];
  return holds(value) ? undefined : rule;
}
