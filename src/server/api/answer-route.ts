import type { Context } from 'hono';
import { z } from 'zod';
import type { Principal } from '../../access/index.ts';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type Deployment,
  IdempotencyKey,
  type LogStream,
  type Operations,
  type RequestInfo,
} from '../../ports/api/index.ts';
import type { Log } from '../../ports/index.ts';
import { readJson } from './body.ts';
import { statusOf } from './errors.ts';
import { refusedAtTheGate } from './gate.ts';
import type { Env } from './guard.ts';
import type { LogStreams } from './log-stream.ts';
import { json, refused } from './respond.ts';
import type { ApiRoute, Input } from './route.ts';
import { LOGS_ROUTE } from './routes/cluster.ts';
import { EVENTS_ROUTE } from './routes/events.ts';
import { type Streams, streamHead } from './stream.ts';
import { validate } from './validate.ts';

const NOTHING = z.strictObject({});

export type RouteParts = {
  readonly operations: Operations;
  readonly bodyBytes: number;
  readonly streams: Streams;
  readonly logStreams: LogStreams;
  readonly log: Log;
  readonly checkAnswers: boolean;
};

/** Runs `run` as who asks. Nobody can get here without a principal but by a mistake in the guard. */
export async function withPrincipal(
  c: Context<Env>,
  run: (principal: Principal, request: RequestInfo) => Promise<Response>,
): Promise<Response> {
  const principal = c.get('principal');
  if (principal === undefined) return refused(problem('unauthorized'));
  return run(principal, { id: c.get('requestId'), origin: originOf(principal) });
}

/** How what a principal does came in. */
export function originOf(principal: Principal): RequestInfo['origin'] {
  return principal.kind === 'local' ? 'local' : principal.key?.kind === 'cli' ? 'cli' : 'api';
}

/** Answers one request of a declared route: path and query, what it needs, its headers and body, then the operation. */
export function answerRoute(c: Context<Env>, route: ApiRoute, parts: RouteParts): Promise<Response> {
  return withPrincipal(c, async (principal, request) => {
    const input = await readInput(c, { route, principal, bodyBytes: parts.bodyBytes });
    if (!input.ok) return refused(input.problem);
    const done = await route.operation(parts.operations)(principal, input.value as never, request);
    if (!done.ok) {
      const { code, cause } = done.problem;
      if (statusOf(done.problem) >= 500) parts.log.warn('a request failed', { request: request.id, code, cause });
      return refused(done.problem);
    }
    if (route === EVENTS_ROUTE) return follow(c, parts, done.value as Deployment);
    if (route === LOGS_ROUTE) return showLog(c, parts, done.value as LogStream);
    if (route.respond !== undefined) return route.respond(done.value as never);
    if (parts.checkAnswers) route.answer.parse(JSON.parse(JSON.stringify(done.value)));
    return json(route.status, done.value);
  });
}

type Asked = { readonly route: ApiRoute; readonly principal: Principal; readonly bodyBytes: number };

async function readInput(c: Context<Env>, { route, principal, bodyBytes }: Asked): Promise<Result<Input>> {
  const params = validate(route.params ?? NOTHING, c.req.param(), 'path');
  if (!params.ok) return params;
  const query = readQuery(c, route);
  if (!query.ok) return query;
  const asked = { ...params.value, ...query.value };
  const kept = refusedAtTheGate(principal, route.needs, route.target?.(asked));
  if (kept !== undefined) return fail(kept);
  const key = route.keyed ? readKey(c.req.header('idempotency-key')) : ok({});
  if (!key.ok) return key;
  if (route.method === 'get') return ok(asked);
  const read = await readJson(c.req.raw, bodyBytes);
  if (!read.ok) return read;
  const value = read.value === undefined && route.body === undefined ? {} : read.value;
  const body = validate(route.body ?? NOTHING, value, 'body');
  return body.ok ? ok({ ...body.value, ...asked, ...key.value }) : body;
}

function readQuery(c: Context<Env>, route: ApiRoute): Result<Input> {
  const all = c.req.queries();
  const twice = Object.entries(all).find(([, values]) => values.length > 1);
  if (twice !== undefined)
    return fail(problem('invalid_request', 'is given twice', { at: `query.${twice[0].slice(0, 64)}` }));
  const single = Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values[0]]));
  return validate(route.query ?? NOTHING, single, 'query');
}

/** Facts 7.1: whatever makes a release needs one. */
function readKey(value: string | undefined): Result<Input> {
  const at = 'Idempotency-Key';
  if (value === undefined) return fail(problem('invalid_request', 'this header is required', { at }));
  const parsed = IdempotencyKey.safeParse(value);
  return parsed.success
    ? ok({ idempotency_key: parsed.data })
    : fail(problem('invalid_request', 'must be 8 to 128 visible characters', { at }));
}

function follow(c: Context<Env>, { operations, streams }: RouteParts, deployment: Deployment): Response {
  if (c.req.method === 'HEAD') return streamHead();
  const reread = c.get('reread');
  const opened = streams.open({
    deployment,
    lastEventId: c.req.header('last-event-id')?.slice(0, 64),
    authority: async () => {
      const principal = await reread();
      return principal.ok ? operations.deployments.mayFollow(principal.value, deployment.id) : principal;
    },
  });
  return opened instanceof Response ? opened : refused(opened);
}

async function showLog(c: Context<Env>, { operations, logStreams }: RouteParts, stream: LogStream): Promise<Response> {
  const reread = c.get('reread');
  const id = c.req.param('id') ?? '';
  const opened = await logStreams.open(stream, async () => {
    const principal = await reread();
    return principal.ok ? operations.cluster.mayGoOn(principal.value, { id, permission: 'logs:read' }) : principal;
  });
  return opened instanceof Response ? opened : refused(opened);
}
