import { readFileSync } from 'node:fs';
import type { ApiRequest } from '../../src/demo/forge-ledger.ts';
import { accepts } from './json-schema.ts';

type Schema = Readonly<Record<string, unknown>>;
type Operation = {
  readonly operationId: string;
  readonly path: Readonly<Record<string, Schema>>;
  readonly query: Readonly<Record<string, Schema>>;
  readonly bodyRequired?: boolean;
  readonly body?: Schema;
};

/** GitHub's published description of its REST API, cut down to the operations that are used. */
const { operations } = JSON.parse(readFileSync(new URL('../fixtures/github-rest.json', import.meta.url), 'utf8')) as {
  readonly operations: Readonly<Record<string, Operation>>;
};

/**
 * What GitHub's published description has against a request; empty when nothing. Names that it does not know are complaints too, although
 * GitHub passes over them: they would be a mistake of ours.
 */
export function complaintsAgainst({ method, segments, query, body }: Omit<ApiRequest, 'headers'>): readonly string[] {
  const path = `/${segments.join('/')}`;
  if (path === '/graphql') return [];
  const found = Object.keys(operations).find((name) => matches(name, method, segments));
  const operation = found === undefined ? undefined : operations[found];
  if (found === undefined || operation === undefined) return [`${method} ${path}: no such operation`];
  const names = found.split(' ')[1]?.split('/').slice(1) ?? [];
  const parameters = names.flatMap((name, index): [string, string, Schema][] => {
    const key = /^\{(.+)\}$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, segments[index] ?? '', operation.path[key] ?? { type: 'null' }]];
  });
  const queries = [...query].map(([key, value]): [string, string, Schema] => [
    key,
    value,
    operation.query[key] ?? { type: 'null' },
  ]);
  const wrong = [...parameters, ...queries]
    .filter(([, value, schema]) => !accepts(schema, schema.type === 'integer' ? Number(value) : value))
    .map(([key]) => `${found}: ${key}`);
  return [...wrong, ...bodyComplaints(found, operation, body)];
}

function matches(name: string, method: string, segments: readonly string[]): boolean {
  const [verb, path = ''] = name.split(' ');
  const parts = path.split('/').slice(1);
  const fits = (part: string, index: number): boolean => part.startsWith('{') || part === segments[index];
  return verb === method && parts.length === segments.length && parts.every(fits);
}

function bodyComplaints(name: string, { body: schema, bodyRequired }: Operation, body: ApiRequest['body']): string[] {
  if (schema === undefined) return body === undefined ? [] : [`${name}: has no body`];
  if (body === undefined) return bodyRequired === true ? [`${name}: needs a body`] : [];
  return [...(accepts(schema, body) ? [] : [`${name}: the body`]), ...unknownNames(name, schema, body)];
}

function unknownNames(at: string, schema: Schema, value: unknown): string[] {
  const branches = schema.anyOf as readonly Schema[] | undefined;
  // What may be one of several is fine when one of them knows all names.
  const read = branches
    ?.filter((branch) => branch.type !== 'null')
    .map((branch) => unknownNames(at, branch, value))
    .sort((a, b) => a.length - b.length);
  if (read !== undefined) return read[0] ?? [];
  const known = schema.properties as Readonly<Record<string, Schema>> | undefined;
  if (known === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    const inner = Object.hasOwn(known, key) ? known[key] : undefined;
    return inner === undefined ? [`${at}.${key}: unknown`] : unknownNames(`${at}.${key}`, inner, entry);
  });
}
