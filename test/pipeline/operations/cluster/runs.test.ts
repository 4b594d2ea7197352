import { beforeEach, describe, expect, it } from 'vitest';
import { fail, problem } from '../../../../src/kernel/index.ts';
import { createRunKeeper, type RunKeeper } from '../../../../src/pipeline/operations/index.ts';
import type { DeploymentResult, RunOptions } from '../../../../src/ports/cluster-operations/index.ts';
import type { ClusterRun, Log } from '../../../../src/ports/index.ts';
import { type MemoryLeases, memoryLeases } from '../../../support/memory-leases.ts';
import { type MemoryRuns, memoryRuns } from '../../../support/memory-runs.ts';
import { until } from '../../../support/redis.ts';

const DONE: DeploymentResult = {
  outcome: 'succeeded',
  steps: [{ service: 'web', step: 'create', outcome: 'succeeded' }],
  services: [],
};
const HOUR = 3_600_000;

let now: number;
let runs: MemoryRuns;
let leases: MemoryLeases;
let keeper: RunKeeper;
let executed: string[];
beforeEach(() => {
  now = Date.parse('2026-11-29T12:00:00Z');
  runs = memoryRuns();
  leases = memoryLeases();
  executed = [];
  keeper = server();
});

/** One of several servers of an installation: they share what is on record and the leases. */
function server(over: Partial<MemoryRuns> = {}): RunKeeper {
  const log = { error: () => undefined, warn: () => undefined } as unknown as Log;
  const clock = {
    now: () => new Date(now),
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => (signal?.aborted ? resolve() : setImmediate(resolve))),
  };
  return createRunKeeper({ runs: { ...runs, ...over }, leases, clock, log, key: 'k' });
}

type Asked = { readonly asked?: unknown; readonly kind?: ClusterRun['spec']['kind'] };
type Execute = (options: RunOptions) => Promise<DeploymentResult>;

function request(id: string, execute: Execute = started, { asked = { a: 1 }, kind = 'deploy' }: Asked = {}) {
  const recorded: (string | undefined)[] = [];
  const spec = { id, kind, namespace: 'shop', name: 'shop', deadline: new Date(now + 60_000).toISOString() };
  return {
    recorded,
    spec: { ...spec, identity: 'ada' },
    asked,
    execute: (options: RunOptions) => {
      executed.push(id);
      return execute(options);
    },
    onRecord: async (run: ClusterRun) => void recorded.push(run.status.state),
  };
}

const started: Execute = async (options) => {
  await options.started?.();
  return DONE;
};

/** A run that has written something and goes on until it is let go, or its signal says so. */
function held() {
  const gate = Promise.withResolvers<DeploymentResult>();
  const begun = Promise.withResolvers<void>();
  const execute: Execute = async (options) => {
    await options.started?.();
    options.signal?.addEventListener('abort', () => gate.resolve({ ...DONE, outcome: 'unknown', code: 'step_failed' }));
    begun.resolve();
    return gate.promise;
  };
  return { execute, begun: begun.promise, end: () => gate.resolve(DONE) };
}

async function begin(by: RunKeeper, wanted: ReturnType<typeof request>): Promise<string> {
  const begun = await by.begin(wanted);
  return begun.ok ? (begun.value.status.state ?? 'taken') : begun.problem.code;
}

async function ended(id: string): Promise<ClusterRun['status']> {
  await until(async () => {
    const run = await keeper.read(id);
    return run.ok && run.value.status.state === 'ended' && leases.held.size === 0;
  }, `${id} has ended`);
  const run = await keeper.read(id);
  return run.ok ? run.value.status : {};
}

describe('a run', () => {
  it('is taken at once, marked as started before its first write, and written down as it ended', async () => {
    const run = held();
    const wanted = request('one', run.execute);
    expect(await begin(keeper, wanted)).toBe('taken');
    await run.begun;
    const during = await keeper.read('one');
    expect(during.ok && during.value.status).toEqual({ state: 'started', startedAt: '2026-11-29T12:00:00.000Z' });
    now += 5000;
    run.end();
    expect(await ended('one')).toEqual({
      state: 'ended',
      startedAt: '2026-11-29T12:00:00.000Z',
      endedAt: '2026-11-29T12:00:05.000Z',
      outcome: 'succeeded',
      steps: DONE.steps,
      services: [],
    });
    expect(wanted.recorded).toEqual([undefined, 'ended']);
  });

  it('keeps nothing of what was asked but a digest nobody can guess from', async () => {
    await begin(keeper, request('one', started, { asked: { env: { PASSWORD: 'canary' } } }));
    await ended('one');
    const text = JSON.stringify([...runs.items.values()]);
    expect(text).not.toContain('canary');
    const other = createRunKeeper({ ...parts(), key: 'another' });
    expect(await begin(other, request('one', started, { asked: { env: { PASSWORD: 'canary' } } }))).toBe('conflict');
  });

  it('is alone in the installation, whichever server is asked', async () => {
    const other = server();
    const run = held();
    await begin(keeper, request('one', run.execute));
    expect(await begin(keeper, request('two'))).toBe('cluster_busy');
    expect(await begin(other, request('two'))).toBe('cluster_busy');
    run.end();
    await ended('one');
    expect(await begin(other, request('two'))).toBe('taken');
    await ended('two');
    expect(executed).toEqual(['one', 'two']);
  });

  it('is answered from its record when its id comes again, and not while it goes on', async () => {
    const other = server();
    const run = held();
    await begin(keeper, request('one', run.execute));
    expect(await begin(keeper, request('one'))).toBe('run_in_progress');
    expect(await begin(other, request('one'))).toBe('run_in_progress');
    run.end();
    await ended('one');
    expect(await begin(other, request('one'))).toBe('ended');
    expect(await begin(other, request('one', started, { asked: { a: 2 } }))).toBe('conflict');
    expect(await begin(other, request('one', started, { kind: 'remove' }))).toBe('conflict');
    expect(executed).toEqual(['one']);
  });

  it('is done once when two servers are asked at the same time', async () => {
    const answers = await Promise.all([begin(keeper, request('one')), begin(server(), request('one'))]);
    expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
    await ended('one');
    expect(executed).toEqual(['one']);
  });

  it('is told apart by upper case and by what no name of an object may hold', async () => {
    for (const id of ['a_B', 'A_b', 'a_b']) {
      expect(await begin(keeper, request(id))).toBe('taken');
      await ended(id);
    }
    expect([...runs.items.keys()].every((name) => /^run-[0-9a-f]{32}$/.test(name))).toBe(true);
  });
});

describe('a run whose holder is gone', () => {
  const restarted = { state: 'ended', outcome: 'unknown', code: 'restarted', steps: [], services: [] };

  it('has ended as restarted once its Lease has expired, and is never done again', async () => {
    const run = held();
    // Its process was killed: nothing of it writes any more.
    const dead = server({ updateStatus: async () => new Promise(() => undefined) });
    await begin(
      dead,
      request('one', async () => new Promise(() => undefined)),
    );
    expect(await begin(keeper, request('one'))).toBe('run_in_progress');
    leases.held.delete('cluster-runs');
    const read = await keeper.read('one');
    expect(read.ok && read.value.status).toMatchObject(restarted);
    expect(await begin(keeper, request('one', run.execute))).toBe('ended');
    expect(executed).toEqual(['one']);
    expect(leases.held.size).toBe(0);
  });

  it('is settled by the next run too', async () => {
    await begin(
      server(),
      request('one', async () => new Promise(() => undefined)),
    );
    leases.held.delete('cluster-runs');
    await begin(keeper, request('two'));
    await ended('two');
    expect([...runs.items.values()].map(({ spec, status }) => [spec.id, status.code])).toEqual([
      ['one', 'restarted'],
      ['two', undefined],
    ]);
  });

  it('stops when the Lease is lost, and does not write over how others settled it', async () => {
    const run = held();
    await begin(keeper, request('one', run.execute));
    await run.begun;
    // Somebody else takes the Lease over and settles the run before its own process notices.
    const mine = leases.held.get('cluster-runs');
    leases.held.delete('cluster-runs');
    const read = await server().read('one');
    expect(read.ok && read.value.status).toMatchObject(restarted);
    mine?.lose();
    expect(await ended('one')).toMatchObject({ code: 'restarted' });
  });

  it('writes nothing when its start can not be written down', async () => {
    let writes = 0;
    const refusing = server({ updateStatus: async () => fail(problem('invalid_object')) });
    const wanted = request('one', async (options) => {
      await options.started?.();
      writes += 1;
      return DONE;
    });
    expect(await begin(refusing, wanted)).toBe('taken');
    await until(() => leases.held.size === 0, 'the lease is free');
    expect(writes).toBe(0);
    expect(wanted.recorded).toEqual([undefined]);
  });

  it('tries to write its end down until that works', async () => {
    let tries = 0;
    const flaky = server({
      updateStatus: async (name, change) => {
        tries += 1;
        return tries === 2 || tries === 3 ? fail(problem('cluster_unavailable')) : runs.updateStatus(name, change);
      },
    });
    await begin(flaky, request('one'));
    expect(await ended('one')).toMatchObject({ outcome: 'succeeded' });
    expect(tries).toBe(4);
  });

  it('is unknown on record when this process stops', async () => {
    const run = held();
    await begin(keeper, request('one', run.execute));
    await run.begun;
    await keeper.close();
    expect([...runs.items.values()][0]?.status).toMatchObject({ state: 'ended', outcome: 'unknown' });
    expect(leases.held.size).toBe(0);
  });
});

describe('a run that can not be put on record', () => {
  it('does nothing, and stands in nobody’s way', async () => {
    const unheard = { ...request('one'), onRecord: () => Promise.reject(new Error('no audit')) };
    expect((await keeper.begin(unheard)).ok).toBe(true);
    await until(() => leases.held.size === 0, 'the lease is free');
    expect(executed).toEqual([]);
    expect(await begin(keeper, request('two'))).toBe('taken');
    expect(await ended('one')).toMatchObject({ code: 'restarted' });
  });
});

describe('what is kept', () => {
  it('is the last 20 runs', async () => {
    for (let i = 0; i < 22; i += 1) {
      now += 1000;
      await begin(keeper, request(`run-${i}`));
      await ended(`run-${i}`);
    }
    expect(runs.items.size).toBe(20);
    expect((await keeper.read('run-1')).ok).toBe(false);
    expect((await keeper.read('run-2')).ok).toBe(true);
  });

  it('is forgotten after 24 hours', async () => {
    await begin(keeper, request('one'));
    await ended('one');
    now += 24 * HOUR;
    expect((await keeper.read('one')).ok).toBe(true);
    now += 1;
    const read = await keeper.read('one');
    expect(read.ok ? 'known' : read.problem.code).toBe('not_found');
    expect(await begin(keeper, request('one'))).toBe('taken');
    await ended('one');
    expect(runs.items.size).toBe(1);
    expect(executed).toEqual(['one', 'one']);
  });

  it('can not be read, and then nothing begins', async () => {
    const blind = server({ all: async () => fail(problem('cluster_unavailable')) });
    expect(await begin(blind, request('one'))).toBe('cluster_unavailable');
    const away = server({ get: async () => fail(problem('cluster_unavailable')) });
    expect(await begin(away, request('one'))).toBe('cluster_unavailable');
    expect(executed).toEqual([]);
    expect(leases.held.size).toBe(0);
    expect(runs.items.size).toBe(0);
  });
});

function parts() {
  const log = { error: () => undefined, warn: () => undefined } as unknown as Log;
  const clock = { now: () => new Date(now), sleep: async () => undefined };
  return { runs, leases, clock, log };
}
