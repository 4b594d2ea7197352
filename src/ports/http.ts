/** One HTTP exchange with an outside system. Redirects are never followed and no environment variable is read. */
export type HttpRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer's body at which reading stops with `too_large`. */
  readonly maxBytes: number;
  /** Milliseconds for the whole exchange, body included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** By lowercase name; the first value when a name was sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/**
 * Why there is no answer. Only `unreachable` and `address_refused` prove that the other side saw nothing of the request; after the
 * others it is unknown whether it was carried out.
 */
export type HttpFailure = {
  readonly reason: 'unreachable' | 'address_refused' | 'broken' | 'timeout' | 'aborted' | 'too_large';
  readonly cause: unknown;
};

export type HttpOutcome =
  | { readonly ok: true; readonly response: HttpResponse }
  | { readonly ok: false; readonly failure: HttpFailure };

/** A pool of connections with one set of rules. `send` never throws and is not idempotent by itself. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export type HttpClientOptions = {
  /** PEM bundle that is trusted besides Node's own roots. */
  readonly ca?: string;
  /** Proxy URL. It resolves names itself: `allowAddress` then judges what we resolve, and the proxy's own rules have the last word. */
  readonly proxy?: string;
  /** Asked with the host and each of its addresses; without a proxy, exactly these are connected to. `false` refuses. Absent: all allowed. */
  readonly allowAddress?: (host: string, address: string) => boolean;
};

/** Opens a client; given to adapters so that each brings its own rules and none knows the HTTP library. */
export type OpenHttp = (options?: HttpClientOptions) => HttpClient;
