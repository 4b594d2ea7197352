import type { Field, FieldTable, FieldType, ObjectType, PatchKind, PatchStrategy, Scalar } from '../types.ts';
import { FIELDS } from './fields.ts';

const SCALARS: Readonly<Record<string, Scalar>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  bytes: 'bytes',
  'int-or-string': 'int-or-string',
  quantity: 'quantity',
  time: 'time',
  raw: 'raw',
};

/** The fields of Deployment, Service and Ingress and of all types they reach. */
export const FIELD_TABLE: FieldTable = readTable(FIELDS);

function readTable(text: string): FieldTable {
  const lines = text.trim().split('\n');
  const words = lines.map((line) => line.split(' '));
  const kinds = words.filter(([first]) => first === 'kind').map(([, kind, type]) => [kind, type]);
  const types = lines.filter((line) => line.includes(': ')).map((line) => line.split(': '));
  return {
    version: words.find(([first]) => first === 'version')?.[1] ?? '',
    kinds: Object.fromEntries(kinds) as Record<PatchKind, string>,
    types: Object.fromEntries(types.map(([name, fields]) => [name, readFields(fields ?? '')])),
  };
}

function readFields(text: string): ObjectType {
  return Object.fromEntries(text.split(', ').map(readField));
}

/** `env []EnvVar merge by name`: name, type, strategies and merge key; the last two only where there are any. */
function readField(text: string): readonly [string, Field] {
  const [name = '', type = '', ...rest] = text.split(' ');
  const by = rest.indexOf('by');
  const strategy = by === 0 ? undefined : (rest[0]?.split(',') as readonly PatchStrategy[] | undefined);
  const mergeKey = by < 0 ? undefined : rest[by + 1];
  return [
    name,
    {
      type: readType(type),
      ...(mergeKey === undefined ? {} : { mergeKey }),
      ...(strategy === undefined ? {} : { strategy }),
    },
  ];
}

function readType(text: string): FieldType {
  if (text.startsWith('[]')) return { list: readType(text.slice(2)) };
  if (text.startsWith('{}')) return { map: readType(text.slice(2)) };
  const scalar = SCALARS[text];
  return scalar === undefined ? { ref: text } : { scalar };
}
