import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { call, configMap } from './fixtures.ts';
import { type Event, type Watching, watch } from './watching.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('watch', () => {
  let cluster: EmbeddedCluster;
  const open: Watching[] = [];

  beforeEach(async () => {
    cluster = await startEmbeddedCluster({ history: 4, bookmarkMs: 20 });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.close();
    await cluster.stop();
  });

  async function begin(query: string, path = MAPS): Promise<Watching> {
    const one = await watch(cluster, `${path}?watch=true${query}`);
    open.push(one);
    return one;
  }
  async function version(): Promise<string> {
    return (await call(cluster, 'GET', MAPS)).body.metadata.resourceVersion;
  }
  const brief = (event: Event | undefined): unknown => event && [event.type, event.object.metadata.name];
  const label = (name: string, value: string | null): Promise<unknown> =>
    call(cluster, 'PATCH', `${MAPS}/${name}`, {
      body: { metadata: { labels: { on: value } } },
      type: 'application/merge-patch+json',
    });

  it('tells changes after a version, in order, and nothing before', async () => {
    await call(cluster, 'POST', MAPS, { body: configMap('a') });
    const from = await version();
    await call(cluster, 'POST', MAPS, { body: configMap('b') });
    const events = await begin(`&resourceVersion=${from}`);
    await label('a', 'x');
    await call(cluster, 'DELETE', `${MAPS}/b`);
    expect(brief(await events.next())).toEqual(['ADDED', 'b']);
    expect(brief(await events.next())).toEqual(['MODIFIED', 'a']);
    const last = await events.next();
    expect(brief(last)).toEqual(['DELETED', 'b']);
    expect(last?.object.metadata.resourceVersion).toBe(await version());
  });

  it('begins with what exists when no version is asked for', async () => {
    await call(cluster, 'POST', MAPS, { body: configMap('a') });
    const events = await begin('');
    expect(brief(await events.next())).toEqual(['ADDED', 'a']);
    const marked = await begin('&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan');
    expect(brief(await marked.next())).toEqual(['ADDED', 'a']);
    const bookmark = await marked.next();
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object.metadata).toHaveProperty('annotations', { 'k8s.io/initial-events-end': 'true' });
  });

  it('tells an object that enters or leaves the selection as added or deleted', async () => {
    await call(cluster, 'POST', MAPS, { body: configMap('a') });
    const events = await begin(`&labelSelector=on%3Dx&resourceVersion=${await version()}`);
    await label('a', 'x');
    await label('a', null);
    expect(brief(await events.next())).toEqual(['ADDED', 'a']);
    expect(brief(await events.next())).toEqual(['DELETED', 'a']);
  });

  it('follows one object by name and other namespaces not at all', async () => {
    const events = await begin(`&fieldSelector=metadata.name%3Db&resourceVersion=${await version()}`);
    await call(cluster, 'POST', MAPS, { body: configMap('a') });
    await call(cluster, 'POST', '/api/v1/namespaces/kube-public/configmaps', {
      body: { ...configMap('b'), metadata: { name: 'b' } },
    });
    await call(cluster, 'POST', MAPS, { body: configMap('b') });
    const event = await events.next();
    expect(brief(event)).toEqual(['ADDED', 'b']);
    expect(event?.object.metadata).toHaveProperty('namespace', 'default');
  });

  it('sends bookmarks with the present version only to those who allow them', async () => {
    const events = await begin(`&allowWatchBookmarks=true&resourceVersion=${await version()}`);
    const bookmark = await events.next();
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object.metadata.resourceVersion).toBe(await version());
  });

  it('ends after timeoutSeconds', async () => {
    const events = await begin(`&timeoutSeconds=1&resourceVersion=${await version()}`);
    expect(await events.next()).toBeUndefined();
  });

  it('refuses a version older than the history: as an ERROR event, or as HTTP 410', async () => {
    const from = await version();
    cluster.compact();
    const same = await begin(`&resourceVersion=${from}&timeoutSeconds=1`);
    await call(cluster, 'POST', MAPS, { body: configMap('a') });
    expect(brief(await same.next())).toEqual(['ADDED', 'a']);
    cluster.compact();
    const events = await begin(`&resourceVersion=${from}`);
    expect(events.code).toBe(200);
    const error = await events.next();
    expect(error?.type).toBe('ERROR');
    expect(error?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    expect(await events.next()).toBeUndefined();
    cluster.compact('status');
    expect((await begin(`&resourceVersion=${from}`)).code).toBe(410);
  });

  it('forgets history by itself', async () => {
    const from = await version();
    for (let n = 0; n < 10; n += 1) await call(cluster, 'POST', MAPS, { body: configMap(`a${n}`) });
    expect((await (await begin(`&resourceVersion=${from}`)).next())?.type).toBe('ERROR');
  });

  it('refuses a version of the future', async () => {
    expect((await begin('&resourceVersion=999999')).code).toBe(504);
  });

  it('is ended or cut from outside', async () => {
    const first = await begin(`&resourceVersion=${await version()}`);
    expect(cluster.watches()).toBe(1);
    cluster.closeWatches();
    expect(await first.next()).toBeUndefined();
    const second = await begin(`&resourceVersion=${await version()}`);
    cluster.closeWatches('cut');
    expect(await second.next()).toBeUndefined();
    expect(cluster.watches()).toBe(0);
  });

  it('stops at once with watches open', async () => {
    await begin('');
    const start = performance.now();
    await cluster.stop();
    expect(performance.now() - start).toBeLessThan(500);
  });
});
