import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import type { Principal } from '../../access/index.ts';
import { problem } from '../../kernel/index.ts';
import type { Handle } from '../http.ts';
import { answerRoute, withPrincipal } from './answer-route.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';
import { type Env, guard } from './guard.ts';
import { createLogStreams } from './log-stream.ts';
import type { ApiOptions } from './options.ts';
import { planPage } from './plan-page.ts';
import { json, page, refused, secured } from './respond.ts';
import type { ApiRoute } from './route.ts';
import { LOGS_ROUTE } from './routes/cluster.ts';
import { EVENTS_ROUTE } from './routes/events.ts';
import { ROUTES } from './routes/index.ts';
import { createStreams } from './stream.ts';
import { createTerminals, type Terminals } from './terminals.ts';

export type Api = {
  /** Answers a request of this very process as the principal: no address, no key, no limit on the number. */
  fetch(request: Request, principal: Principal): Promise<Response>;
  /** Answers requests of the HTTP listener. */
  readonly handle: Handle;
  /** Opens a terminal of this very process, or answers why not. */
  connect: Terminals['connect'];
  /** Takes over connections of the HTTP listener that ask for a WebSocket. */
  readonly upgrade: Terminals['upgrade'];
  /** Ends all streams, so that the listener can stop. */
  close(): void;
};

/** Makes the API. Everything a request may and must be stands in the routes' declarations. */
export function createApi(options: ApiOptions): Api {
  const { operations, log } = options;
  const streams = createStreams(options.follower, options.limits.stream);
  const logStreams = createLogStreams({ clock: options.clock, times: options.limits.stream });
  const app = new Hono<Env>();
  app.use('*', async (c, next) => {
    const id = options.random.hex(8);
    c.set('requestId', id);
    await next();
    secured(c.res, id);
  });
  app.use('*', guard(options));

  // Made when somebody first reads it: one command of the command line has no use for it.
  const document = once(() => openApiDocument(options.version));
  const docs = once(() => docsPage(document()));
  app.get('/api/v1/openapi.json', () => json(200, document()));
  app.get('/api/docs', () => page(docs().html, docs().styleDigest));
  app.get('/plans/:id', (c) =>
    withPrincipal(c, async (principal, request) => {
      const plan = await operations.plans.show(principal, { id: c.req.param('id') }, request);
      if (!plan.ok) return refused(plan.problem);
      const shown = planPage(plan.value);
      return page(shown.html, shown.styleDigest);
    }),
  );

  const { bodyBytes } = options.limits;
  for (const [path, routes] of byPath([...ROUTES, EVENTS_ROUTE, LOGS_ROUTE])) {
    const pattern = `/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`;
    for (const route of routes) {
      app.on(route.method.toUpperCase(), pattern, (c) =>
        answerRoute(c, route, {
          operations,
          bodyBytes,
          streams,
          logStreams,
          log,
          checkAnswers: options.checkAnswers === true,
        }),
      );
    }
    const allow = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    app.all(pattern, () => refused(problem('method_not_allowed'), { Allow: allow.join(', ') }));
  }
  for (const path of ['/api/v1/openapi.json', '/api/docs', '/plans/:id'])
    app.all(path, () => refused(problem('method_not_allowed'), { Allow: 'GET, HEAD' }));
  app.notFound(() => refused(problem('not_found', 'there is nothing here')));
  app.onError((error, c) => {
    log.error('a request threw, which is a bug', { error, request: c.get('requestId') });
    return json(500, { error: { code: 'internal', message: 'something went wrong' } });
  });

  const terminals = createTerminals(options, async (request, env) => app.fetch(request, env));
  return {
    fetch: async (request, principal) => app.fetch(request, { principal }),
    handle: nodeHandle(app, bodyBytes),
    connect: terminals.connect,
    upgrade: terminals.upgrade,
    close: () => {
      streams.close();
      logStreams.close();
      terminals.close();
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Routes by path; those without parameters first, so that `/keys/exchange` is no id. */
function byPath(routes: readonly ApiRoute[]): readonly (readonly [string, readonly ApiRoute[]])[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const fixed = paths.filter((path) => !path.includes('{'));
  return [...fixed, ...paths.filter((path) => path.includes('{'))].map((path) => [
    path,
    routes.filter((route) => route.path === path),
  ]);
}

function nodeHandle(app: Hono<Env>, bodyBytes: number): Handle {
  const listener = getRequestListener(
    (request, { incoming }) => app.fetch(request, { incoming: incoming as IncomingMessage }),
    {
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        error instanceof RequestError
          ? refused(problem('invalid_request', 'the request line is not valid'))
          : undefined,
    },
  );
  return (req: IncomingMessage, res: ServerResponse) => {
    // Whoever asks before it sends is told to go on only for what will be read.
    const announced = Number(req.headers['content-length'] ?? 0);
    if (req.headers.expect !== undefined && announced <= bodyBytes) res.writeContinue();
    return listener(req, res);
  };
}
