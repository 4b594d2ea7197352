import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem, type RepoPath, type Result } from '../../src/kernel/index.ts';
import { build, type Deps, plan, sync } from '../../src/pipeline/index.ts';
import type { BuildRequest, BuildRun, HeldLease } from '../../src/ports/index.ts';
import { MAIN, type Memory, memory, memoryCollection, RUN, SHA, SOURCE } from '../support/memory.ts';

const DIGEST = `sha256:${'d'.repeat(64)}`;
const FILE = `name = "shop"
[services.web]
port = 8080
[services.web.build]
context = "web"
dockerfile = "web/Dockerfile"
build_args = { A = "1" }
[services.db]
image = "postgres:16"
`;

const pathSet = (...paths: readonly string[]): Memory['changed'] => new Set(paths as readonly RepoPath[]);

let world: Memory;
let deps: Deps;
let runs: ReturnType<typeof memoryCollection<BuildRun>>;
let engine: (request: BuildRequest) => Promise<Result<{ readonly digest: string }>>;
let requests: BuildRequest[];
let disposals: string[];
let lost: AbortController;
let held: Set<string>;

beforeEach(async () => {
  world = await memory({
    buildRegistry: 'registry.example.test',
    buildRegistryCredentialsSecret: undefined,
    buildTimeoutMs: 60_000,
    buildContextBytes: 1000,
    buildContextFiles: 10,
  });
  runs = memoryCollection<BuildRun>();
  requests = [];
  disposals = [];
  lost = new AbortController();
  held = new Set();
  engine = async ({ onLog }) => {
    onLog('STEP 1/1: FROM scratch\ntelling\n');
    return ok({ digest: DIGEST });
  };
  let fence = 0;
  deps = {
    ...world.deps,
    store: {
      ...world.deps.store,
      builds: { ...runs, ofApplication: async () => ok([...runs.items.values()]) },
    },
    leases: {
      acquire: async (name) => {
        if (held.has(name)) return fail(problem('lease_held', undefined, { afterMs: 1 }));
        held.add(name);
        fence += 1;
        const lease: HeldLease = { fence, signal: lost.signal, release: async () => void held.delete(name) };
        return ok(lease);
      },
    },
    git: { ...world.deps.git, exportTree: async () => ok({ files: 1, bytes: 1 }) },
    builder: {
      prepare: async () => ok({ contextDir: '/context', dispose: async () => void disposals.push('/context') }),
      build: async (request) => {
        requests.push(request);
        return engine(request);
      },
    },
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    clock: {
      now: () => world.now,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) resolve();
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
    },
  };
});

async function seeAndPlan(n: number, text = FILE): Promise<void> {
  world.head = SHA(n);
  world.files.set(SHA(n), text);
  await sync(deps, { repository: 'github-1', ref: MAIN }, RUN);
  world.jobs.length = 0;
  const planned = await plan(deps, { source: SOURCE }, RUN);
  if (!planned.ok) throw new Error(planned.problem.message);
}

function onlyRun(): BuildRun {
  const [run] = runs.items.values();
  if (run === undefined) throw new Error('no build');
  return run;
}

describe('the plan of a file that builds', () => {
  it('accepts a release that names its build, and queues the build instead of the reconcile', async () => {
    await seeAndPlan(1);
    const run = onlyRun();
    expect(world.releases.items.get(`${SOURCE}.1`)?.spec.builds).toEqual({ web: run.name });
    expect(run).toMatchObject({
      spec: { application: SOURCE, source: SOURCE, service: 'web', commit: SHA(1), build: { context: 'web' } },
      status: { state: 'queued', release: `${SOURCE}.1` },
    });
    expect(world.jobs).toEqual([
      { queue: 'build', build: run.name },
      { queue: 'report', source: SOURCE, commit: SHA(1) },
    ]);
    expect(world.sources.items.get(SOURCE)?.status.watched).toEqual(['web', 'web/Dockerfile']);
  });

  it('is refused where there is no registry to push to', async () => {
    deps = { ...deps, options: { ...deps.options, buildRegistry: undefined } };
    await seeAndPlan(1);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({
      outcome: 'refused',
      code: 'build_registry_required',
    });
    expect(runs.items.size).toBe(0);
  });

  it('uses an image that was built before, whoever asked for it', async () => {
    await seeAndPlan(1);
    await runs.updateStatus(onlyRun().name, ({ status }) => ({ ...status, state: 'succeeded', image: 'x' }));
    await world.releases.updateStatus(`${SOURCE}.1`, (current) => ({ ...current.status, state: 'failed' }));
    await world.sources.update(SOURCE, ({ annotations }) => ({
      annotations: { ...annotations, 'hakopod.io/requested-at': 'now' },
    }));
    await seeAndPlan(1);
    expect(world.jobs).toContainEqual({ queue: 'reconcile', application: SOURCE });
    expect([...runs.items.values()]).toMatchObject([{ status: { state: 'succeeded', release: `${SOURCE}.2` } }]);
  });

  it('asks again for a build that failed, with a new release only', async () => {
    await seeAndPlan(1);
    await runs.updateStatus(onlyRun().name, ({ status }) => ({
      ...status,
      state: 'failed',
      attempts: 3,
      code: 'build_failed',
    }));
    await world.releases.updateStatus(`${SOURCE}.1`, (current) => ({ ...current.status, state: 'failed' }));
    await world.sources.update(SOURCE, ({ annotations }) => ({
      annotations: { ...annotations, 'hakopod.io/requested-at': 'now' },
    }));
    await seeAndPlan(1);
    expect(onlyRun().status).toEqual({ state: 'queued', release: `${SOURCE}.2` });
  });

  it.each([
    ['the context changed', ['web'], 'accepted'],
    ['nothing it builds from changed', [], 'unchanged'],
    ['it can not be told', undefined, 'accepted'],
  ] as const)('that means the same at a new commit is decided by whether %s', async (_what, changed, outcome) => {
    await seeAndPlan(1);
    await world.releases.updateStatus(`${SOURCE}.1`, (current) => ({ ...current.status, state: 'succeeded' }));
    world.changed = changed === undefined ? undefined : pathSet(...changed);
    world.head = SHA(2);
    world.files.set(SHA(2), FILE);
    await world.sources.updateStatus(SOURCE, ({ status }) => ({
      ...status,
      seen: { commit: SHA(2), generation: 1, at: '2026-06-01T00:00:00Z' },
    }));
    await plan(deps, { source: SOURCE }, RUN);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({ commit: SHA(2), outcome });
  });
});

describe('a sync', () => {
  it.each([
    ['web', true],
    ['web/Dockerfile', true],
    ['other', false],
  ])('of a commit that changes %s plans the source: %s', async (path, isPlanned) => {
    await seeAndPlan(1);
    world.head = SHA(2);
    world.changed = pathSet(path);
    await sync(deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect(world.jobs.some((job) => job.queue === 'plan')).toBe(isPlanned);
  });

  it('plans a commit that follows one whose plan is still to come', async () => {
    world.head = SHA(1);
    world.files.set(SHA(1), FILE);
    await sync(deps, { repository: 'github-1', ref: MAIN }, RUN);
    world.head = SHA(2);
    world.changed = pathSet();
    await sync(deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(2));
  });
});

describe('a build', () => {
  beforeEach(() => seeAndPlan(1));
  const go = (): Promise<Result<void>> => build(deps, { build: onlyRun().name }, RUN);

  it('records the digest and the log, and has the release looked at', async () => {
    world.jobs.length = 0;
    expect(await go()).toMatchObject({ ok: true });
    const { spec, status } = onlyRun();
    expect(status).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      digest: DIGEST,
      image: `${spec.repository}@${DIGEST}`,
    });
    expect(status.log).toBe('context: 1 files, 1 bytes\nSTEP 1/1: FROM scratch\ntelling');
    expect(requests).toMatchObject([
      {
        contextDir: '/context',
        dockerfile: 'Dockerfile',
        buildArgs: { A: '1' },
        image: `${spec.repository}:${spec.tag}`,
        registries: ['**'],
      },
    ]);
    expect(world.jobs).toEqual([{ queue: 'reconcile', application: SOURCE }]);
    expect(disposals).toHaveLength(1);
    expect(held.size).toBe(0);
    await go();
    expect(requests).toHaveLength(1);
  });

  it('of the same service runs one at a time', async () => {
    const both = await Promise.all([go(), go()]);
    expect(both.map((result) => result.ok).sort()).toEqual([false, true]);
    expect(requests).toHaveLength(1);
  });

  it('that is rejected ends as failed, with its last words and no secret', async () => {
    engine = async ({ onLog }) => {
      onLog('the password is hunter2\nError: building at STEP "RUN x": exit status 1');
      return fail(problem('build_failed'));
    };
    expect(await go()).toMatchObject({ ok: true });
    expect(onlyRun().status).toMatchObject({
      state: 'failed',
      code: 'build_failed',
      message: 'the password is [redacted]; STEP "RUN x": exit status 1',
    });
    expect(onlyRun().status.log).not.toContain('hunter2');
  });

  it('is tried three times when a registry is away, then ends', async () => {
    engine = async () => fail(problem('registry_unavailable'));
    for (const attempts of [1, 2]) {
      expect(await go()).toMatchObject({ ok: false, problem: { code: 'registry_unavailable', kind: 'transient' } });
      expect(onlyRun().status).toMatchObject({ state: 'queued', attempts });
    }
    expect(await go()).toMatchObject({ ok: true });
    expect(onlyRun().status).toMatchObject({ state: 'failed', attempts: 3, code: 'registry_unavailable' });
  });

  it('whose workers died three times ends without a fourth', async () => {
    await runs.updateStatus(onlyRun().name, ({ status }) => ({ ...status, state: 'running', attempts: 3 }));
    expect(await go()).toMatchObject({ ok: true });
    expect(onlyRun().status).toMatchObject({ state: 'failed', code: 'build_failed' });
    expect(requests).toEqual([]);
  });

  it('that nobody wants any more is cancelled before it begins', async () => {
    await world.releases.updateStatus(`${SOURCE}.1`, (current) => ({ ...current.status, state: 'superseded' }));
    await go();
    expect(onlyRun().status).toMatchObject({ state: 'cancelled', code: 'superseded' });
    expect(requests).toEqual([]);
  });

  it.each([
    [
      'the source sees a newer commit',
      'superseded',
      () =>
        world.sources.updateStatus(SOURCE, ({ status }) => ({
          ...status,
          seen: { commit: SHA(2), generation: 1, at: '2026-06-01T00:00:00Z' },
        })),
    ],
    [
      'the grant is taken back',
      'grant_refused',
      () =>
        world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, grant: { ...spec.grant, permissions: [] } } })),
    ],
    ['the source is removed', 'grant_refused', () => world.sources.delete(SOURCE, '')],
  ] as const)('is cancelled while it runs when %s', async (_what, code, change) => {
    engine = async ({ signal }) => {
      await change();
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return fail(problem('worker_stopping'));
    };
    expect(await go()).toMatchObject({ ok: true });
    expect(onlyRun().status).toMatchObject({ state: 'cancelled', code });
    expect(disposals).toHaveLength(1);
  });

  it('writes nothing after it lost its lease', async () => {
    engine = async () => {
      lost.abort();
      return fail(problem('worker_stopping'));
    };
    expect(await go()).toMatchObject({ ok: false, problem: { code: 'lease_lost' } });
    expect(onlyRun().status).toMatchObject({ state: 'running', attempts: 1 });
  });

  it('does not overwrite what a newer turn wrote', async () => {
    engine = async () => {
      await runs.updateStatus(onlyRun().name, ({ status }) => ({ ...status, fence: 99 }));
      return ok({ digest: DIGEST });
    };
    expect(await go()).toMatchObject({ ok: false, problem: { code: 'lease_lost' } });
    expect(onlyRun().status.state).toBe('running');
  });

  it('that a stopping worker gives back did not count', async () => {
    const stopping = new AbortController();
    engine = async () => {
      stopping.abort();
      return fail(problem('worker_stopping'));
    };
    const result = await build(deps, { build: onlyRun().name }, { signal: stopping.signal });
    expect(result).toMatchObject({ ok: false, problem: { code: 'worker_stopping' } });
    expect(onlyRun().status).toMatchObject({ state: 'queued', attempts: 0 });
  });

  it('says which file of the context is in the way, in the log alone', async () => {
    const refused = problem('symlink_refused', 'the build context has a symbolic link that leads out of it', {
      cause: 'a/b',
    });
    deps = { ...deps, git: { ...deps.git, exportTree: async () => fail(refused) } };
    await go();
    expect(onlyRun().status).toMatchObject({ state: 'failed', code: 'symlink_refused', message: refused.message });
    expect(onlyRun().status.log).toBe(`context: ${refused.message}: a/b`);
  });
});
