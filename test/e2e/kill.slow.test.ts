import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import { startChild } from '../support/child.ts';
import { CONTEXT, deliver, finalOf, finals, startWorld, until, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

const QUICK = { HAKOPOD_LEASE_SECONDS: '2', HAKOPOD_ROLES: 'worker' };

/** Every job and every generation of a deployment that ever existed. */
function watchWrites(): {
  readonly jobs: Map<string, Set<string>>;
  readonly generations: Map<string, number>;
  stop(): Promise<void>;
} {
  const jobs = new Map<string, Set<string>>();
  const generations = new Map<string, number>();
  const jobCache = world.api.cache({ apiVersion: 'batch/v1', kind: 'Job' });
  const deployments = world.api.cache({ apiVersion: 'apps/v1', kind: 'Deployment' });
  jobCache.onChange(({ object }) => {
    const revision = object.metadata.annotations?.['hakopod.io/job-revision'] ?? '';
    jobs.set(revision, (jobs.get(revision) ?? new Set()).add(object.metadata.uid ?? ''));
  });
  deployments.onChange(({ object }: { object: Manifest }) => {
    generations.set(object.metadata.name, object.metadata.generation ?? 0);
  });
  return {
    jobs,
    generations,
    stop: async () => {
      await jobCache.stop();
      await deployments.stop();
    },
  };
}

describe('kill -9 of the worker in the middle of a release', () => {
  it('is followed by completion on restart, with no step done twice', async () => {
    const serving = await world.serve({ roles: ['server'] });
    await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
    const bound = await world.bind();
    const hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
    const writes = watchWrites();
    world.defer(() => writes.stop());

    // The n-th write of a release is its worker's last. Writes go from the namespace through policies, the job and the services to the end.
    const deadly = [1, 4, 7, 9, 11, 13];
    const commits: string[] = [];
    for (const [index, last] of deadly.entries()) {
      const worker = await startChild(world, 'worker', QUICK);
      const commit = await world.tree.push(
        'hakopod.toml',
        shopFile({ registry: world.registry.host, build: index, patch: false }),
        `kill at ${last}`,
      );
      commits.push(commit);
      let seen = 0;
      let killed: Promise<void> | undefined;
      world.cluster.fault((request) => {
        const isRelease =
          request.verb !== 'get' &&
          request.verb !== 'list' &&
          request.verb !== 'watch' &&
          /^(hp-|hakopod-system$)/.test(request.namespace ?? '') &&
          request.resource !== 'leases';
        if (isRelease) seen += 1;
        if (isRelease && seen === last + 2 && killed === undefined) killed = worker.kill('SIGKILL');
        return undefined;
      });
      expect((await deliver(hook, { commit })).status).toBe(202);
      await until(`the worker is killed at write ${last}`, () => killed !== undefined);
      await killed;
      world.cluster.fault(undefined);
      expect(finals(world, commit)).toEqual([]);
      const next = await startChild(world, 'worker', QUICK);
      expect(await finalOf(world, commit, 30_000)).toMatchObject({ state: 'success' });
      await next.kill('SIGTERM');
    }
    for (const commit of commits) expect(finals(world, commit)).toHaveLength(1);
    const said = world.forge.statuses().map((status) => `${status.commit} ${status.state} ${status.description}`);
    expect(said).toEqual([...new Set(said)]);
    expect(world.forge.statuses().every((status) => status.context === CONTEXT)).toBe(true);
    expect([...writes.jobs].map(([revision, uids]) => [revision, uids.size])).toEqual(
      deadly.map((_, index) => [String(index + 1), 1]),
    );
    // The api's template changed with each commit; nothing else ever rolled it.
    expect(writes.generations.get('api')).toBe(deadly.length);
  }, 180_000);
});
