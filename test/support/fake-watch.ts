import type { ServerResponse } from 'node:http';
import { type FakeApi, fakeApi, json, status } from './fake-api.ts';

/** A list-and-watch server for ConfigMaps whose moods a test sets. */
export type FakeWatch = {
  api: FakeApi;
  readonly put: (name: string, v?: string) => void;
  readonly remove: (name: string) => void;
  /** Changes what there is without telling the watches, as during an outage. */
  readonly silently: (change: () => void) => void;
  readonly event: (type: string, object: unknown) => void;
  /** Sends half an event, as a process that dies while writing. */
  readonly half: () => void;
  readonly endWatches: () => void;
  readonly watches: () => number;
  readonly lists: () => number;
  /** Called before each answer; true means that it answered itself. */
  mood: (url: URL, response: ServerResponse) => boolean;
  readonly restart: () => Promise<void>;
};

/** Starts it with no objects. */
export async function fakeWatch(): Promise<FakeWatch> {
  const objects = new Map<string, object>();
  const watches = new Set<ServerResponse>();
  let version = 100;
  let quiet = false;
  let lists = 0;

  const send = (type: string, object: unknown): void => {
    if (!quiet) for (const watch of watches) watch.write(`${JSON.stringify({ type, object })}\n`);
  };
  const make = (name: string, v: string): object => ({
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version), managedFields: [{}] },
    data: { v },
  });
  const serve = (port?: number): Promise<FakeApi> =>
    fakeApi((request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      if (fake.mood(url, response)) return;
      if (url.searchParams.get('watch') === 'true') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
        watches.add(response);
        response.on('close', () => watches.delete(response));
        return;
      }
      lists += 1;
      json(response, 200, {
        kind: 'ConfigMapList',
        metadata: { resourceVersion: String(version) },
        items: [...objects.values()],
      });
    }, port);

  const fake: FakeWatch = {
    api: undefined as unknown as FakeApi,
    put: (name, v = '') => {
      version += 1;
      const known = objects.has(name);
      objects.set(name, make(name, v));
      send(known ? 'MODIFIED' : 'ADDED', { apiVersion: 'v1', kind: 'ConfigMap', ...make(name, v) });
    },
    remove: (name) => {
      version += 1;
      objects.delete(name);
      send('DELETED', { apiVersion: 'v1', kind: 'ConfigMap', ...make(name, '') });
    },
    silently: (change) => {
      quiet = true;
      change();
      quiet = false;
    },
    event: send,
    half: () => {
      for (const watch of watches) watch.write('{"type":"ADDED","object":{"metadata":{"name":"ha');
    },
    endWatches: () => {
      for (const watch of watches) watch.end();
      watches.clear();
    },
    watches: () => watches.size,
    lists: () => lists,
    mood: () => false,
    restart: async () => {
      const { port } = fake.api;
      await fake.api.kill();
      fake.api = await serve(port);
    },
  };
  fake.api = await serve();
  return fake;
}

/** Answers 410 as the API server does for an expired resourceVersion. */
export function expired(response: ServerResponse): true {
  json(response, 410, status(410, 'Expired', 'too old resource version: 1 (2)'));
  return true;
}
