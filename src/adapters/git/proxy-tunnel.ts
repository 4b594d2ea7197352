import { type IncomingMessage, request } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

/** How long a proxy may take to open a tunnel. */
const TUNNEL_MS = 10_000;

type Callback = (error: Error | null, stream: Duplex) => void;

/**
 * An https agent whose connections go through an HTTP proxy's CONNECT (RFC 9110, 9.3.6). The proxy resolves names and sees only host
 * and port; certificates are checked end to end. User information in the proxy's URL is sent to the proxy as basic authentication.
 */
export class ProxyTunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  readonly #tls: ConnectionOptions;

  constructor(options: AgentOptions & { readonly proxy: URL }) {
    super(options);
    this.#proxy = options.proxy;
    this.#tls = options.ca === undefined ? {} : { ca: options.ca };
  }

  override createConnection(options: RequestOptions, callback?: Callback): null {
    const done: Callback = callback ?? (() => undefined);
    // Node's agent looks at no stream when there is an error; its type asks for one.
    const failed = done as (error: Error) => void;
    const target = `${options.host}:${options.port ?? 443}`;
    const send = this.#proxy.protocol === 'https:' ? httpsRequest : request;
    const asked = send(this.#proxy, {
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...this.#authorization() },
      timeout: TUNNEL_MS,
      ...this.#tls,
    });
    asked.once('timeout', () => asked.destroy(new Error('the proxy did not answer in time')));
    asked.once('error', failed);
    asked.once('connect', (response: IncomingMessage, socket: Duplex) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        failed(Object.assign(new Error('the proxy refused the tunnel'), { code: `PROXY_${response.statusCode}` }));
        return;
      }
      const secured = connect({ ...this.#tls, socket, servername: options.servername ?? options.host ?? '' });
      secured.once('error', failed);
      secured.once('secureConnect', () => {
        secured.off('error', failed);
        done(null, secured);
      });
    });
    asked.end();
    return null;
  }

  #authorization(): Record<string, string> {
    if (this.#proxy.username === '') return {};
    const pair = `${decodeURIComponent(this.#proxy.username)}:${decodeURIComponent(this.#proxy.password)}`;
    return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
  }
}
