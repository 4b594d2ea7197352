import { randomBytes } from 'node:crypto';
import type { KeyHolding, Permission, Principal, Scope } from '../../../src/access/index.ts';
import { BUILT_IN_ROLES } from '../../../src/access/index.ts';
import { fail, ok, problem, type Result } from '../../../src/kernel/index.ts';
import type { Deployment, Operations } from '../../../src/ports/api/index.ts';
import {
  API_LIMITS,
  type Api,
  type ApiLimits,
  type ApiOptions,
  type ApiRoute,
  createApi,
  EVENTS_ROUTE,
  LOGS_ROUTE,
  ROUTES,
} from '../../../src/server/api/index.ts';
import { createHttpServer } from '../../../src/server/index.ts';
import { silentLog } from '../../support/redis.ts';
import { type TestClock, testClock } from '../harness.ts';
import { sampleOf } from './sample.ts';

/** A principal with a key that has these permissions in this scope, held by an identity that may do everything. */
export function keyWith(permissions: readonly Permission[], scope: Scope = {}): Principal {
  return {
    identity: 'ana',
    kind: 'person',
    holds: { permissions: ['admin', 'kubernetes:patch', 'pods:exec'], scope: {}, roles: [] },
    key: keyOf(permissions, scope),
  };
}

/** A principal whose key may do everything in the scope and whose identity has one role in one project. */
export function memberWith(role: string, project: string): Principal {
  const permissions = BUILT_IN_ROLES[role]?.permissions ?? [];
  return {
    identity: 'ben',
    kind: 'person',
    holds: { permissions: [], scope: {}, roles: [{ project, role, permissions }] },
    key: keyOf(['admin', 'kubernetes:patch', 'pods:exec'], { project, environment: 'production' }),
  };
}

function keyOf(permissions: readonly Permission[], scope: Scope): KeyHolding {
  return { id: 'f'.repeat(32), kind: 'machine', permissions, scope };
}

export const ADMIN = keyWith(['admin', 'pods:exec']);

/** What an operation was called with. */
export type Call = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly origin: string;
};

export type Fake = {
  readonly operations: Operations;
  readonly calls: Call[];
  /** Answers instead of a sample, by `noun.method`. */
  readonly answers: Map<string, Result<unknown>>;
};

/** Operations that note each call and answer a sample of the route's schema. */
export function fakeOperations(): Fake {
  const calls: Call[] = [];
  const answers = new Map<string, Result<unknown>>();
  const routes = new Map<string, ApiRoute>();
  const tagged = nouns((name) => name as never);
  for (const route of [EVENTS_ROUTE, LOGS_ROUTE, ...ROUTES])
    routes.set(route.operation(tagged) as unknown as string, route);
  const operations = nouns(
    (name) => async (_principal: Principal, input: Call['input'], request: { origin: string }) => {
      calls.push({ name, input, origin: request.origin });
      const route = routes.get(name);
      return answers.get(name) ?? ok(sampleOfRoute(name, route));
    },
  );
  const { mayFollow } = { mayFollow: () => ok(undefined) };
  const cluster = new Proxy(operations.cluster, {
    get: (target, method) => (method === 'mayGoOn' ? mayFollow : Reflect.get(target, method)),
  });
  const deployments = new Proxy(operations.deployments, {
    get: (target, method) => (method === 'mayFollow' ? mayFollow : Reflect.get(target, method)),
  });
  return { operations: { ...nounsOf(operations), deployments, cluster } as Operations, calls, answers };
}

function sampleOfRoute(name: string, route: ApiRoute | undefined): unknown {
  if (name === 'audit.exportRows') return { type: 'text/csv', text: 'id\n', next_cursor: 'more' };
  if (name === 'cluster.logs')
    return { pod: 'web-1', container: 'app', follow: false, read: async () => ok(undefined) };
  return route === undefined ? {} : sampleOf(route.answer);
}

const NOUNS = [
  'me',
  'projects',
  'applications',
  'domains',
  'deployments',
  'secrets',
  'certificates',
  'registries',
  'repositories',
  'deliveries',
  'sources',
  'plans',
  'previews',
  'settings',
  'keys',
  'identities',
  'roles',
  'audit',
  'cluster',
] as const satisfies readonly (keyof Operations)[];

function nouns(make: (name: string) => unknown): Operations {
  return Object.fromEntries(
    NOUNS.map((noun) => [noun, new Proxy({}, { get: (_, method) => make(`${noun}.${String(method)}`) })]),
  ) as unknown as Operations;
}

function nounsOf(operations: Operations): Operations {
  return Object.fromEntries(NOUNS.map((noun) => [noun, operations[noun]])) as unknown as Operations;
}

export type World = Fake & {
  readonly api: Api;
  readonly origin: string;
  readonly port: number;
  readonly clock: TestClock;
  /** Keys that open something, and what. */
  readonly keys: Map<string, Principal>;
  /** A key of the principal. */
  login(principal: Principal): string;
  readonly followers: Set<(deployment: Deployment) => void>;
  readonly logged: string[];
  stop(): Promise<void>;
};

export const NO_LIMIT: ApiLimits = { ...API_LIMITS, rate: { capacity: 1e9, refillPerSecond: 1e9, maxBuckets: 10 } };

/** The API on its real listener over fake operations. */
export async function startApi(over: Partial<ApiOptions> & { readonly limits?: ApiLimits } = {}): Promise<World> {
  const fake = fakeOperations();
  const keys = new Map<string, Principal>();
  const followers = new Set<(deployment: Deployment) => void>();
  const clock = testClock();
  const logged: string[] = [];
  const log = {
    ...silentLog(),
    error: (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      logged.push(`${message} ${String(fields?.error)}`);
    },
  };
  const api = createApi({
    operations: fake.operations,
    authenticate: async (header) => {
      const principal = keys.get(/^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '');
      return principal === undefined ? fail(problem('unauthorized')) : ok(principal);
    },
    follower: {
      follow: (_id, onState) => {
        followers.add(onState);
        return { stop: () => void followers.delete(onState) };
      },
    },
    version: '0.0.0',
    clock,
    random: { hex: (bytes) => randomBytes(bytes).toString('hex') },
    log,
    limits: NO_LIMIT,
    trustedProxies: 0,
    checkAnswers: true,
    ...over,
  });
  const server = createHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    receiver: async () => {},
    readiness: [],
    fallback: api.handle,
    upgrade: api.upgrade,
    log: silentLog(),
    limits: { drainMs: 500 },
  });
  const started = await server.start();
  if (!started.ok) throw new Error(started.problem.message);
  const { port } = started.value;
  return {
    ...fake,
    api,
    port,
    origin: `http://127.0.0.1:${port}`,
    clock,
    keys,
    followers,
    logged,
    login(principal) {
      const key = `hp_${randomBytes(16).toString('hex')}_${randomBytes(32).toString('hex')}`;
      keys.set(key, principal);
      return key;
    },
    stop: async () => {
      api.close();
      await server.stop();
    },
  };
}

/** The request of a route's example. */
export function exampleRequest(route: ApiRoute, key?: string): { readonly path: string; readonly init: RequestInit } {
  const { params = {}, query = {}, body } = route.example;
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  return {
    path: `/api/v1${path}${search}`,
    init: {
      method: route.method.toUpperCase(),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(route.keyed ? { 'idempotency-key': 'example-key-0002' } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  };
}
