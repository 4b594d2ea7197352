import { request } from 'node:http';
import type { EmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import type { Body } from './fixtures.ts';

export type Event = { readonly type: string; readonly object: Body };

/** A running watch: its events one by one, `undefined` when the stream ends. */
export type Watching = { next(): Promise<Event | undefined>; readonly code: number; close(): void };

/** Begins a watch. */
export function watch(cluster: EmbeddedCluster, path: string): Promise<Watching> {
  const events: (Event | undefined)[] = [];
  const waiting: ((event: Event | undefined) => void)[] = [];
  const push = (event: Event | undefined): void => {
    const wake = waiting.shift();
    if (wake === undefined) events.push(event);
    else wake(event);
  };
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${cluster.token}` };
    const outgoing = request(`${cluster.url}${path}`, { headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) push(JSON.parse(line));
      });
      response.on('close', () => push(undefined));
      response.on('error', () => undefined);
      resolve({
        code: response.statusCode ?? 0,
        next: () => (events.length > 0 ? Promise.resolve(events.shift()) : new Promise((wake) => waiting.push(wake))),
        close: () => outgoing.destroy(),
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
