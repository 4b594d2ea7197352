import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Principal } from '../../access/index.ts';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { clientAddress } from '../client-address.ts';
import { createTokenBuckets } from '../token-buckets.ts';
import type { ApiOptions } from './options.ts';
import { refused } from './respond.ts';

/** What a request carries through the app: from the listener its connection, from this process its principal. */
export type Env = {
  readonly Bindings: { readonly incoming?: IncomingMessage; readonly principal?: Principal };
  readonly Variables: {
    requestId: string;
    principal: Principal | undefined;
    /** Reads the principal again, for what lasts. */
    reread: () => Promise<Result<Principal>>;
  };
};

/** Readable without a key. */
const PUBLIC = ['/api/v1/openapi.json', '/api/docs'];

/**
 * In the order of facts 7.1: the number in flight, the rate of the address, then the key. Below `/api` and `/plans` a request without a valid
 * key is 401 whatever it asks for, so that strangers learn no paths.
 */
export function guard(options: ApiOptions): MiddlewareHandler<Env> {
  const buckets = createTokenBuckets(options.limits.rate, options.clock);
  let inFlight = 0;
  return async (c, next) => {
    const { incoming, principal } = c.env;
    c.set('reread', async () => (principal === undefined ? fail(problem('unauthorized')) : ok(principal)));
    if (incoming === undefined) {
      c.set('principal', principal);
      return next();
    }
    if (inFlight >= options.limits.inFlight) return refused(problem('busy'));
    inFlight += 1;
    try {
      if (!buckets.take(clientAddress(incoming, options.trustedProxies))) return refused(problem('rate_limit'));
      const { path } = c.req;
      const isPage = path.startsWith('/plans/');
      if (PUBLIC.includes(path) || !(isPage || path === '/api' || path.startsWith('/api/'))) return await next();
      const header = c.req.header('authorization');
      const bearer = isPage ? bearerOf(header) : header;
      const reread = (): Promise<Result<Principal>> => options.authenticate(bearer);
      const known = await reread();
      if (!known.ok) {
        const challenge = isPage ? { 'WWW-Authenticate': 'Basic realm="hakopod", charset="UTF-8"' } : {};
        return refused(known.problem, challenge);
      }
      c.set('principal', known.value);
      c.set('reread', reread);
      return await next();
    } finally {
      inFlight -= 1;
    }
  };
}

/** On pages a browser may send the key as the password it asked for. */
function bearerOf(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +(\S+) *$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return header;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  return `Bearer ${decoded.slice(decoded.indexOf(':') + 1)}`;
}
