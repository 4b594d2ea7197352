import type { Route } from './routes.ts';

/** A request as fault injection and counting see it. */
export type RequestInfo = {
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly dryRun: boolean;
};

/**
 * What happens to a chosen request: an HTTP error instead of an answer, a cut connection before (`reset`) or after (`lost`) the request
 * was carried out, or a pause before it.
 */
export type Fault =
  | { readonly status: number; readonly message?: string; readonly retryAfterSeconds?: number }
  | { readonly reset: true }
  | { readonly lost: true }
  | { readonly delayMs: number };

export type FaultHook = (request: RequestInfo) => Fault | undefined;

/** What was asked of the server since the last reset. */
export type RequestCounts = {
  readonly total: number;
  /** Requests that would change something, dry runs apart; access reviews do not count. */
  readonly writes: number;
  /** By `verb resource[/subresource]`, such as `patch deployments` or `update leases`; dry runs are `patch deployments?dryRun`. */
  readonly by: Readonly<Record<string, number>>;
};

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Counts requests by verb and resource. */
export class RequestCounter {
  #total = 0;
  #writes = 0;
  #by = new Map<string, number>();

  count(request: RequestInfo): void {
    this.#total += 1;
    if (WRITES.has(request.verb) && !request.dryRun && request.resource !== 'selfsubjectaccessreviews')
      this.#writes += 1;
    const sub = request.subresource === undefined ? '' : `/${request.subresource}`;
    const key = `${request.verb} ${request.resource}${sub}${request.dryRun ? '?dryRun' : ''}`;
    this.#by.set(key, (this.#by.get(key) ?? 0) + 1);
  }

  read(): RequestCounts {
    return { total: this.#total, writes: this.#writes, by: Object.fromEntries(this.#by) };
  }

  reset(): void {
    this.#total = 0;
    this.#writes = 0;
    this.#by = new Map();
  }
}

/** Describes a request of a resource. */
export function requestInfo(
  route: Route,
  request: { readonly method: string; readonly path: string; readonly query: URLSearchParams },
): RequestInfo {
  return {
    method: request.method,
    path: request.path,
    verb: route.verb ?? '',
    group: route.info.group,
    resource: route.info.plural,
    kind: route.info.kind,
    subresource: route.subresource,
    namespace: route.namespace,
    name: route.name,
    dryRun: request.query.has('dryRun'),
  };
}
