import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { ErrorAnswer, IdempotencyKey } from '../../ports/api/index.ts';
import type { Needs } from './gate.ts';
import type { ApiRoute } from './route.ts';
import { EVENTS_ROUTE } from './routes/events.ts';
import { ROUTES } from './routes/index.ts';

/** An OpenAPI document, as plain JSON. */
export type Document = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
};
export type DocumentOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DocumentParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: unknown; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
};
export type DocumentParameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: unknown;
};

const DESCRIPTION = `Everything Hakopod does. Send a key as \`Authorization: Bearer hp_…\`.
A request body is one JSON value of at most 512 KiB without unknown fields. Errors are \`{"error": {"code", "message", "details"?}}\`.
Lists are \`{"items", "next_cursor"?}\`; send the cursor back for the page after.
Whatever makes a release takes an \`Idempotency-Key\`: a repeated request with the same key answers the same release.`;

const WORDS: Readonly<Record<number, string>> = {
  400: 'the request is not valid; `details.at` names the field',
  401: 'no valid key',
  403: 'the key or its identity may not do this',
  404: 'there is no such object',
  405: 'the method does not exist here',
  409: 'something is not as the request expects it',
  413: 'the body is too large',
  415: 'the body is not JSON',
  422: 'the namespace is not among those that may be written to',
  429: 'too many requests or streams; see `Retry-After`',
  503: 'busy, or something this needs is away; see `Retry-After`',
};

/** Makes the OpenAPI 3.1 document of the routes. */
export function openApiDocument(version: string): Document {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'a key, `hp_…`',
  });
  for (const route of [...ROUTES, EVENTS_ROUTE]) app.openAPIRegistry.registerPath(createRoute(describeRoute(route)));
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Hakopod', version, description: DESCRIPTION },
    servers: [{ url: '/api/v1' }],
    security: [{ key: [] }],
  });
  return withParameterExamples(document as unknown as Document);
}

/** Examples of parameters belong to the parameter; the generator leaves them in the schema, as the text of a URL. */
function withParameterExamples(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        const { parameters } = operation;
        return [method, parameters === undefined ? operation : { ...operation, parameters: parameters.map(moved) }];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function moved(parameter: DocumentParameter): DocumentParameter {
  const { example, ...schema } = parameter.schema as { readonly example?: string; readonly type?: string };
  if (example === undefined) return parameter;
  return { ...parameter, schema, example: schema.type === 'integer' ? Number(example) : example };
}

/** What a route needs, in words. */
export function needsInWords(needs: Needs): string {
  if ('any' in needs) return `one of ${needs.any.map(code).join(', ')}`;
  return needs.all.length === 0 ? 'any valid key' : needs.all.map(code).join(' and ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function describeRoute(route: ApiRoute): Parameters<typeof createRoute>[0] {
  const { params, query, body, example } = route;
  const headers = {
    ...(route.keyed ? { 'Idempotency-Key': IdempotencyKey.meta({ example: 'example-key-0002' }) } : {}),
    ...route.headers,
  };
  return {
    method: route.method,
    path: route.path,
    operationId: route.id,
    summary: route.summary,
    description: `Needs ${needsInWords(route.needs)}.`,
    tags: [route.tag],
    request: {
      ...(params === undefined ? {} : { params: withExamples(params, example.params) }),
      ...(query === undefined ? {} : { query: withExamples(query, example.query) }),
      ...(Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) }),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { 'application/json': { schema: body, example: example.body } } } }),
    },
    responses: { ...successes(route), ...failures(route) },
  };
}

type Success = {
  readonly description: string;
  readonly content: Record<string, { readonly schema: z.ZodType }>;
};

function successes(route: ApiRoute): Readonly<Record<string, Success>> {
  const { types = ['application/json'], also = [] } = route;
  const content = Object.fromEntries(types.map((type) => [type, { schema: route.answer }]));
  return Object.fromEntries(
    [route.status, ...also.filter(isSuccess)].map((status) => [status, { description: route.summary, content }]),
  );
}

function isSuccess(status: number): boolean {
  return status < 300;
}

function failures(route: ApiRoute): Readonly<Record<string, Success>> {
  const common = [400, 401, 403, 404, 405, 409, 413, 415, 429, 503].filter(
    (status) => route.method !== 'get' || (status !== 409 && status !== 413 && status !== 415),
  );
  const statuses = [...common, ...(route.also ?? []).filter((status) => !isSuccess(status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: WORDS[status] ?? '', content: { 'application/json': { schema: ErrorAnswer } } },
    ]),
  );
}

function withExamples(schema: z.ZodObject, examples: Readonly<Record<string, string>> = {}): z.ZodObject {
  const shape = Object.entries(schema.shape).map(([name, field]) => {
    const type = field as z.ZodType;
    const example = examples[name];
    return [name, example === undefined ? type : type.meta({ ...type.meta(), example })];
  });
  return z.strictObject(Object.fromEntries(shape));
}
