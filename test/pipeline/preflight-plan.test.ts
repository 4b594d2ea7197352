import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../src/access/index.ts';
import { type ClusterObservation, fail, ok, problem } from '../../src/kernel/index.ts';
import { plan, sync } from '../../src/pipeline/index.ts';
import { planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import type { ClusterCapacity } from '../../src/ports/index.ts';
import { statusOf } from '../../src/server/api/errors.ts';
import { node, observation } from '../support/capacity.ts';
import { file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE, said } from '../support/memory.ts';
import { codeOf, INFO, must, type ReleaseApi, releaseApi } from '../support/release-api.ts';

/* The preflight at plan and at acceptance: what blocks refuses, what is not known warns, and it is not asked without need. */

const GIB = 1024 ** 3;
const SMALL = node('a', { allocatable: { cpuMillis: 100, memoryBytes: GIB, gpus: 0 } });
const SHORT = 'requested 120m CPU, 154Mi memory; available 100m CPU, 1024Mi memory; shortage 20m CPU, 0Mi memory';
const { freeDiskBytes: _, ...UNKNOWN } = node('a');

/** A capacity that says this, counts who asks, and can fail. */
function scripted(deps: { capacity: ClusterCapacity }): {
  cluster: ClusterObservation;
  asked: number;
  down: boolean;
} {
  const script = { cluster: observation(), asked: 0, down: false };
  deps.capacity = {
    observe: async () => {
      script.asked += 1;
      return script.down ? fail(problem('cluster_unavailable')) : ok(script.cluster);
    },
    claims: async () => ok([]),
  };
  return script;
}

describe('over the API', () => {
  const TOML = 'name = "shop"\n[services.web]\nimage = "nginx:1"\n';
  const request = { project: 'acme', environment: 'production', toml: TOML };
  let api: ReleaseApi;
  let capacity: ReturnType<typeof scripted>;
  beforeEach(async () => {
    api = await releaseApi();
    capacity = scripted(api.deps as { capacity: ClusterCapacity });
  });

  it('a plan answers the report', async () => {
    const planned = must(await api.operations.plan(LOCAL, request, INFO));
    expect(planned.preflight).toEqual({
      checks: [
        { code: 'nodes', status: 'passed', message: '1 of 1 nodes take pods' },
        { code: 'service_capacity', status: 'passed', message: 'each service fits on a node' },
        {
          code: 'resources',
          status: 'passed',
          message:
            'requested 120m CPU, 154Mi memory; available 16000m CPU, 65536Mi memory; shortage 0m CPU, 0Mi memory',
        },
        { code: 'disk', status: 'passed', message: 'a node has disk space for images' },
      ],
      cpu_request_millis: 120,
      memory_request_bytes: 154 * 1024 ** 2,
      storage_gib: 0,
      observed_at: '2026-06-01T00:00:00.000Z',
    });
  });

  it('what is not known is a warning of the plan and no obstacle', async () => {
    capacity.cluster = observation([UNKNOWN]);
    const planned = must(await api.operations.plan(LOCAL, request, INFO));
    expect(planned.warnings).toContain('disk: the free disk space of the nodes is not known');
    expect(codeOf(await api.deploy(TOML))).toBe('ok');
  });

  it('what blocks refuses the plan and the release with 409, the numbers and the report, and nothing is written', async () => {
    capacity.cluster = observation([SMALL]);
    for (const refused of [await api.operations.plan(LOCAL, request, INFO), await api.deploy(TOML, { expected: 0 })]) {
      if (refused.ok) throw new Error('it was not refused');
      const { code, at, message, details } = refused.problem;
      expect([statusOf(refused.problem), code, at]).toEqual([409, 'delivery_unavailable', 'services.web']);
      expect(message).toBe(
        'service_capacity: one pod fits on no node; requested 120m CPU, 154Mi memory; available 100m CPU, 1024Mi memory; shortage 20m CPU, 0Mi memory at most',
      );
      expect(details).toMatchObject({
        preflight: {
          cpu_request_millis: 120,
          checks: expect.arrayContaining([{ code: 'resources', status: 'blocked', message: SHORT }]),
        },
      });
    }
    expect([api.world.applications.items.size, api.world.releases.items.size, api.audited.length]).toEqual([0, 0, 0]);
  });

  it('every release is asked about again, also one that changes a service or goes back', async () => {
    const first = must(await api.deploy(TOML));
    await api.end(first.id, 'succeeded', { web: `nginx@sha256:${'1'.repeat(64)}` });
    capacity.cluster = observation([SMALL]);
    const id = api.world.applications.items.get(SOURCE)?.spec.id ?? '';
    const input = { id, service: 'web', expected_revision: 1 };
    const { scale, restart, rollback } = api.operations;
    const answers = [
      await scale(LOCAL, { ...input, replicas: 2, idempotency_key: 'scale-it-now' }, INFO),
      await restart(LOCAL, { ...input, idempotency_key: 'restart-it-now' }, INFO),
      await rollback(LOCAL, { id, revision: 1, expected_revision: 1, idempotency_key: 'go-back-now' }, INFO),
    ];
    expect(answers.map(codeOf)).toEqual(answers.map(() => 'delivery_unavailable'));
  });

  it('a list that can not be read fails, and is no refusal', async () => {
    capacity.down = true;
    expect(codeOf(await api.operations.plan(LOCAL, request, INFO))).toBe('cluster_unavailable');
    expect(codeOf(await api.deploy(TOML, { expected: 0 }))).toBe('cluster_unavailable');
  });

  it('asks nothing for an application without services, or one that is refused anyway', async () => {
    must(await api.deploy(TOML));
    capacity.asked = 0;
    must(await api.deploy('name = "shop"\n[services]\n'));
    expect(codeOf(await api.operations.plan(LOCAL, { ...request, toml: `${TOML}job = {}\n` }, INFO))).toBe('ok');
    expect(capacity.asked).toBe(1);
    await api.operations.plan(LOCAL, { ...request, toml: `${TOML}aws_identity = "x"\n` }, INFO);
    expect(capacity.asked).toBe(1);
  });
});

describe('of a commit', () => {
  let world: Memory;
  let capacity: ReturnType<typeof scripted>;
  beforeEach(async () => {
    world = await memory();
    capacity = scripted(world.deps as { capacity: ClusterCapacity });
  });

  it('a push that does not fit is refused, and its commit hears why', async () => {
    capacity.cluster = observation([node('a', { unschedulable: true })]);
    world.head = SHA(1);
    world.files.set(SHA(1), file());
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect(world.releases.items.size).toBe(0);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({
      outcome: 'refused',
      code: 'delivery_unavailable',
    });
    expect(said(world, SHA(1))).toContain('failure: ');
    expect(said(world, SHA(1))).toContain('nodes: none of 1 nodes takes pods');
  });

  it('one whose cluster can not be read is planned again', async () => {
    capacity.down = true;
    world.head = SHA(1);
    world.files.set(SHA(1), file());
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect(await plan(world.deps, { source: SOURCE }, RUN)).toMatchObject({
      ok: false,
      problem: { code: 'cluster_unavailable' },
    });
    expect(world.sources.items.get(SOURCE)?.status.planned).toBeUndefined();
  });

  async function planPull(fork: boolean): Promise<void> {
    world.changed = new Set(['hakopod.toml']) as never;
    world.pullHead = SHA(2);
    world.files.set(SHA(2), file('registry.example.test/shop:2'));
    world.pull = {
      ...{ number: 7, state: 'open', head: SHA(2), ref: PULL, base: MAIN, branch: 'refs/heads/change' as never },
      ...{ fork, draft: false, updatedAt: world.now.toISOString(), mergeBase: SHA(1) },
    };
    expect(await preview(world.deps, { repository: 'github-1', number: 7 }, RUN)).toEqual(ok(undefined));
  }

  it('a pull request is told what is not known, and refused for what blocks', async () => {
    capacity.cluster = observation([UNKNOWN]);
    await planPull(false);
    expect(world.comments.at(-1)?.body).toContain('disk: the free disk space of the nodes is not known');
    capacity.cluster = observation([node('a', { ready: false })]);
    world = Object.assign(await memory(), {});
    scripted(world.deps as { capacity: ClusterCapacity }).cluster = capacity.cluster;
    await planPull(false);
    expect(world.plans.items.get(planName(SOURCE, 7))?.status).toMatchObject({
      ...{ outcome: 'refused', code: 'delivery_unavailable' },
    });
  });

  it('a stranger is told nothing of the cluster', async () => {
    capacity.cluster = observation([node('a', { ready: false })]);
    await planPull(true);
    expect(capacity.asked).toBe(0);
    expect(world.plans.items.get(planName(SOURCE, 7))?.status.outcome).toBe('planned');
  });
});
