import { Resolver } from 'node:dns/promises';
import { fail, ok, problem } from '../../kernel/index.ts';
import type { TxtResolver } from '../../ports/index.ts';

export type TxtResolverOptions = {
  /** IP addresses of name servers, with a port after a colon where it is not 53; the machine's own when empty. */
  readonly servers: readonly string[];
  /** Milliseconds one question may take, all tries together. */
  readonly timeoutMs: number;
};

/** Answers that say that there is no such record; everything else says nothing about it. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);
/** Each name server is asked this often. */
const TRIES = 2;

/** TXT records from public name servers. A question that is not answered within the deadline is `dns_unavailable`. */
export function createTxtResolver({ servers, timeoutMs }: TxtResolverOptions): TxtResolver {
  return {
    txt: async (name) => {
      const perTry = Math.max(100, Math.floor(timeoutMs / (TRIES * Math.max(1, servers.length))));
      const resolver = new Resolver({ timeout: perTry, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const deadline = setTimeout(() => resolver.cancel(), timeoutMs);
      try {
        // The absolute name: no search list of this machine makes another one of it.
        const records = await resolver.resolveTxt(`${name}.`);
        return ok(records.map((parts) => parts.join('')));
      } catch (cause) {
        const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
        return ABSENT.has(code) ? ok([]) : fail(problem('dns_unavailable', undefined, { cause }));
      } finally {
        clearTimeout(deadline);
      }
    },
  };
}
