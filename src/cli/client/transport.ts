import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { MessageSocket } from '../../ports/index.ts';
import { patientFetch } from './patient-fetch.ts';
import { openWebSocket } from './web-socket.ts';

/** A way to the API: over the network with a key, or in this process with the rights of the kubeconfig. */
export type Transport = {
  /** For people: where requests go. */
  readonly where: string;
  /** An address to build request URLs on. */
  readonly origin: string;
  /** Sends one request. Rejects when there is no answer. */
  fetch(request: Request): Promise<Response>;
  /** Opens a socket where the request asks for it; a refusal is its answer. Rejects when there is none. */
  connect(request: Request): Promise<MessageSocket | Response>;
  close(): Promise<void>;
};

const STREAMS: ReadonlySet<string> = new Set(['text/event-stream', 'text/plain']);

/** Facts 8.1: an answer's head must come within the first time, and all of it within the second. */
export type Patience = { readonly headMs: number; readonly requestMs: number };
const PATIENCE: Patience = { headMs: 80_000, requestMs: 90_000 };

/**
 * The API at an address, with a key. Facts 8.1: a bare origin, https except on loopback; redirects are not followed, so the key goes nowhere
 * else.
 */
export function httpTransport(url: string, key: string, patience: Patience = PATIENCE): Result<Transport> {
  const origin = apiOrigin(url);
  if (!origin.ok) return origin;
  const send = async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers);
    headers.set('Authorization', `Bearer ${key}`);
    // A stream ends by itself, or when its reader is told to.
    const isStream = STREAMS.has(headers.get('Accept') ?? '');
    const head = new AbortController();
    const timer = setTimeout(() => head.abort(new Error('no answer in time')), patience.headMs);
    const end = isStream ? [] : [AbortSignal.timeout(patience.requestMs)];
    const signal = AbortSignal.any([request.signal, head.signal, ...end]);
    try {
      const whole = new Request(request, { headers, redirect: 'manual', signal });
      return await (isStream ? patientFetch(whole) : fetch(whole));
    } finally {
      clearTimeout(timer);
    }
  };
  return ok({
    where: origin.value,
    origin: origin.value,
    fetch: send,
    connect: async (request) => {
      // A failed handshake has no reason; the same address, asked plainly, has.
      const checked = await send(request);
      if (!checked.ok) return checked;
      await checked.body?.cancel();
      return openWebSocket(request.url, { Authorization: `Bearer ${key}`, 'User-Agent': 'hakopod-cli' });
    },
    close: async () => undefined,
  });
}

/** The origin of an API address. Codes: `invalid_url`. */
export function apiOrigin(text: string): Result<string> {
  const refuse = (message: string): Result<never> => fail(problem('invalid_url', message, { at: '--api-url' }));
  if (!URL.canParse(text)) return refuse('must be a URL such as https://hakopod.example.com');
  const url = new URL(text);
  const isBare = url.username === '' && url.password === '' && /^\/?$/.test(url.pathname) && !url.search && !url.hash;
  if (!isBare || !/^https?:$/.test(url.protocol))
    return refuse('must be only a scheme, a host and a port, without user, path or query');
  return url.protocol === 'https:' || isLoopback(url.hostname)
    ? ok(url.origin)
    : refuse('must begin with https://, except on this machine');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
