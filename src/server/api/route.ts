import type { z } from 'zod';
import type { Scope } from '../../access/index.ts';
import type { Operation, Operations } from '../../ports/api/index.ts';
import type { Needs } from './gate.ts';

/** A request that works: it stands in the OpenAPI document, and the tests send it. */
export type Example = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

/** What a call of a route's operation is given: path, query and body as one object, and the idempotency key where one is needed. */
export type Input = Readonly<Record<string, unknown>>;

/** One route, as data: the server's routing, its checks, the OpenAPI document and the tests are all made from it. */
export type ApiRoute = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api/v1`, parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly needs: Needs;
  /** What the path or the query says about the target; the gate judges it before anything is read. */
  readonly target?: (input: Input) => Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Headers it reads, for the document. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** It makes a release, and so takes an Idempotency-Key (facts 7.1). */
  readonly keyed: boolean;
  readonly status: number;
  /** Other statuses it may answer with, beside those every route has: below 300 with its answer, else with a refusal. */
  readonly also?: readonly number[];
  readonly answer: z.ZodType;
  /** Media types of answers that are no JSON. */
  readonly types?: readonly string[];
  readonly example: Example;
  readonly operation: (operations: Operations) => Operation<never, unknown>;
  /** Makes the answer where it is more than the value as JSON. */
  readonly respond?: (value: never) => Response;
};

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : object;
type Keyed<K> = K extends true ? { readonly idempotency_key: string } : object;

type Declared<P, Q, B, K, V> = Pick<
  ApiRoute,
  'method' | 'path' | 'id' | 'tag' | 'summary' | 'needs' | 'also' | 'answer' | 'types' | 'example'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly keyed?: K;
  readonly status?: number;
  readonly target?: (input: Output<P> & Output<Q>) => Scope;
  readonly operation: (operations: Operations) => Operation<Output<P> & Output<Q> & Output<B> & Keyed<K>, V>;
  readonly respond?: (value: V) => Response;
};

/** Declares a route. The types hold its schemas and its operation together; the status is 200 unless said. */
export function route<
  V,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
  K extends boolean = false,
>(declared: Declared<P, Q, B, K, V>): ApiRoute {
  return { status: 200, ...declared, keyed: declared.keyed === true } as unknown as ApiRoute;
}
