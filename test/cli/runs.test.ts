import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../src/access/index.ts';
import type { DeploymentResult } from '../../src/ports/cluster-operations/index.ts';
import { type CliWorld, cliWorld, type RunOptions } from '../support/cli-world.ts';
import { CONFIGURATION } from '../support/fake-cluster-operations.ts';
import { until } from '../support/redis.ts';

const folder = join(import.meta.dirname, '../golden/cli-api/cluster/input');
const FILE = 'deployment.yaml';
const DEPLOY = ['cluster', 'deploy', FILE, '--request-id', 'shop-1'];

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const run = (args: readonly string[], options: RunOptions = {}) => world.run(args, { folder, ...options });
const asked = (name: string): readonly unknown[] =>
  world.clusterOperations.calls.filter((call) => call.name === name).map(({ input }) => input);

/** A run that goes on until it is let go. */
function held(): { readonly end: (result?: Partial<DeploymentResult>) => void; readonly begun: Promise<void> } {
  const gate = Promise.withResolvers<DeploymentResult>();
  const begun = Promise.withResolvers<void>();
  world.clusterOperations.carryOut = async (_name, options) => {
    await options.started?.();
    begun.resolve();
    return gate.promise;
  };
  const done: DeploymentResult = { outcome: 'succeeded', steps: [], services: [] };
  return { end: (result = {}) => gate.resolve({ ...done, ...result }), begun: begun.promise };
}

describe('a run on the command line', () => {
  it('is waited for, however long it takes', async () => {
    const going = held();
    const waiting = run(DEPLOY);
    await going.begun;
    expect(await run(['cluster', 'run', 'shop-1'])).toMatchObject({ code: 0, out: 'running' });
    const other = await run(['cluster', 'deploy', FILE]);
    expect([other.code, other.err]).toEqual([4, expect.stringContaining('[cluster_busy]')]);
    // Whoever asks again with its id waits for the same run.
    const methods: string[] = [];
    const again = run(DEPLOY, { intercept: ({ method }) => void methods.push(method) as undefined });
    await until(() => methods.includes('GET'), 'it looks');
    const watching = run(['cluster', 'run', 'shop-1', '--wait']);
    going.end();
    for (const one of [waiting, again, watching]) expect(await one).toEqual(await waiting);
    expect((await waiting).out).toBe('succeeded');
    expect(asked('deploy')).toHaveLength(1);
  });

  it.each([
    ['denied', 'forbidden', 3],
    ['denied', 'pod_security', 3],
    ['failed', 'conflict', 4],
    ['denied', 'name_taken', 4],
    ['denied', 'claim_immutable', 2],
    ['timed_out', 'rollout_timeout', 5],
    ['unknown', 'cancelled', 5],
  ] as const)('ends as it ended: %s %s is %i', async (outcome, code, exit) => {
    const steps = [
      { service: 'web', step: 'precondition', outcome: 'succeeded' },
      { service: 'web', step: 'create', outcome, code, detail: 'Service/web' },
      { service: 'web', step: 'start', outcome: 'skipped' },
    ] as const;
    world.clusterOperations.carryOut = async () => ({ outcome, code: 'step_failed', steps, services: [] });
    expect(await run(DEPLOY)).toMatchObject({
      code: exit,
      out: `web precondition: succeeded\nweb create: ${outcome} ${code} Service/web\nweb start: skipped\n${outcome} step_failed`,
    });
    expect((await run(['cluster', 'run', 'shop-1'])).code).toBe(exit);
  });

  it('is asked for again with the same id when its answer got lost, and done once', async () => {
    let lost = 0;
    const ran = await run(['cluster', 'deploy', FILE], {
      intercept: async (request) => {
        if (request.method !== 'POST' || lost > 0) return undefined;
        lost += 1;
        await world.api.fetch(request, LOCAL);
        throw new Error('the connection was reset');
      },
    });
    expect(ran).toMatchObject({ code: 0, out: 'web create: succeeded\nsucceeded' });
    expect(ran.err).toMatch(/^no answer; asking again with the same request id [0-9a-f-]{36}$/);
    expect(asked('deploy')).toHaveLength(1);
  });

  it('is not what an interrupt ends', async () => {
    const going = held();
    const interrupts: (() => void)[] = [];
    const waiting = run(DEPLOY, {
      terminal: {
        onInterrupt: (stop) => {
          interrupts.push(stop);
          return () => undefined;
        },
      },
    });
    await going.begun;
    await until(() => interrupts.length === 1, 'it waits');
    interrupts[0]?.();
    expect(await waiting).toMatchObject({
      code: 130,
      err: 'stopped waiting; `hakopod cluster run shop-1` shows how it ends',
    });
    going.end();
    await until(() => world.leases.held.size === 0, 'it has ended');
    expect((await run(['cluster', 'run', 'shop-1'])).out).toBe('succeeded');
  });

  it('waits on while the API is away, and stops when it says that there is no such run', async () => {
    const going = held();
    let looks = 0;
    const waiting = run(DEPLOY, {
      intercept: (request) => {
        if (request.method !== 'GET') return undefined;
        looks += 1;
        return looks <= 2 ? new Response('{}', { status: 503 }) : undefined;
      },
    });
    await until(() => looks > 2, 'it has looked again');
    going.end();
    expect((await waiting).code).toBe(0);
    const gone = await run(['cluster', 'deploy', FILE, '--request-id', 'shop-2'], {
      intercept: (request) => {
        if (request.method === 'GET') world.clusterRuns.items.clear();
        return undefined;
      },
    });
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('[not_found]')]);
  });

  it('is how a workload is edited, for longer than one request may take', async () => {
    const going = held();
    const edit = ['workload', 'edit', 'shop/deployment/web', '--stdin', '--timeout', '900'];
    const { observedAt: _, resourceVersion, initContainers, envFrom, ...rest } = CONFIGURATION;
    const wire = { ...rest, resource_version: resourceVersion, init_containers: initContainers, env_from: envFrom };
    const waiting = run(edit, { input: JSON.stringify(wire) });
    await going.begun;
    const [request] = asked('applyWorkload') as [{ readonly issuedAt: string; readonly deadline: string }];
    expect(Date.parse(request.deadline) - Date.parse(request.issuedAt)).toBe(900_000);
    going.end({ steps: [{ service: 'workload', step: 'rollout', outcome: 'succeeded' }] });
    expect(await waiting).toMatchObject({ code: 0, out: 'rollout: succeeded\nsucceeded' });
    for (const seconds of ['901', '0', 'long'])
      expect((await run([...edit.slice(0, 5), seconds], { input: '{}' })).err).toContain('must be 1 to 900 seconds');
  });
});
