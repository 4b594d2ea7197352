import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/cli/client/api.ts';
import { httpTransport } from '../../src/cli/client/transport.ts';
import { must } from '../contracts/cluster.contract.ts';

/** How long `fetch` waits here for the next bytes, in place of five minutes; milliseconds. */
const IMPATIENT_MS = 100;
const before = getGlobalDispatcher();
let server: Server | undefined;

afterEach(async () => {
  setGlobalDispatcher(before);
  server?.closeAllConnections();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
});

async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(listener as never);
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const logOf = async (origin: string, signal = new AbortController().signal) => {
  const transport = must(httpTransport(origin, 'key-0123456789'));
  return createClient(transport).stream({ path: '/log', query: { follow: true }, signal });
};

describe('a log over the network', () => {
  it('may be silent for longer than fetch waits', async () => {
    setGlobalDispatcher(new Agent({ bodyTimeout: IMPATIENT_MS }));
    let asked = '';
    const origin = await serve((req, res) => {
      asked = `${req.method} ${req.url} ${req.headers.authorization} ${req.headers.accept}`;
      res.write('one\n');
      setTimeout(() => res.end('two\n'), 20 * IMPATIENT_MS);
    });
    // What the log would be without patience.
    const impatient = await fetch(`${origin}/`);
    await expect(impatient.text()).rejects.toThrow();
    const { chunks, headers } = must(await logOf(origin));
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    expect(text).toBe('one\ntwo\n');
    expect(asked).toBe('GET /api/v1/log?follow=true Bearer key-0123456789 text/plain');
    expect(headers.get('transfer-encoding')).toBe('chunked');
  });

  it('ends when nobody listens any more, and is broken off when it is cut', async () => {
    let left = (): void => {};
    const gone = new Promise<void>((done) => {
      left = done;
    });
    const origin = await serve((req, res) => {
      res.write('one\n');
      if (req.url?.includes('cut')) setTimeout(() => res.destroy(), 10);
      res.on('close', left);
    });
    const leave = new AbortController();
    const { chunks } = must(await logOf(origin, leave.signal));
    const read = async (): Promise<void> => {
      for await (const _ of chunks) leave.abort();
    };
    await expect(read()).rejects.toThrow();
    await gone;
    const transport = must(httpTransport(origin, 'key-0123456789'));
    const signal = new AbortController().signal;
    const cut = must(await createClient(transport).stream({ path: '/cut', query: {}, signal }));
    const whole = async (): Promise<void> => {
      for await (const _ of cut.chunks);
    };
    await expect(whole()).rejects.toThrow();
  });

  it('follows no redirect, reads refusals, and says when nobody answers', async () => {
    const origin = await serve((_, res) => res.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end());
    expect(await logOf(origin)).toMatchObject({ ok: false, problem: { code: 'invalid_url' } });
    server
      ?.removeAllListeners('request')
      .on('request', (_, res) =>
        res
          .writeHead(429)
          .end(JSON.stringify({ error: { code: 'stream_limit', message: 'too many streams are open' } })),
      );
    expect(await logOf(origin)).toMatchObject({ ok: false, status: 429, problem: { code: 'stream_limit' } });
    expect(await logOf('http://127.0.0.1:1')).toMatchObject({ ok: false, problem: { code: 'api_unavailable' } });
  });
});
