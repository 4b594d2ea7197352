import { beforeEach, describe, expect, it } from 'vitest';
import { fail, LIMITS, problem } from '../../src/kernel/index.ts';
import { plan, sync } from '../../src/pipeline/index.ts';
import { REQUESTED_AT } from '../../src/ports/index.ts';
import { file, MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../support/memory.ts';

let world: Memory;
beforeEach(async () => {
  world = await memory();
});

async function seeAndPlan(n: number, text?: string): Promise<void> {
  world.head = SHA(n);
  if (text !== undefined) world.files.set(SHA(n), text);
  await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
  world.jobs.length = 0;
  expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
}

/** The newest release ended so. */
async function end(state: 'succeeded' | 'failed'): Promise<void> {
  const revision = Math.max(...[...world.releases.items.values()].map((release) => release.spec.revision));
  await world.releases.updateStatus(`${SOURCE}.${revision}`, (current) => ({ ...current.status, state }));
}

describe('plan', () => {
  it('accepts a release named by its revision, and queues its reconcile', async () => {
    await seeAndPlan(1, file());
    expect([...world.releases.items.keys()]).toEqual([`${SOURCE}.1`]);
    expect(world.releases.items.get(`${SOURCE}.1`)?.spec).toMatchObject({
      revision: 1,
      origin: { kind: 'git', commit: SHA(1), source: SOURCE, grantRevision: 1 },
    });
    expect(world.applications.items.get(SOURCE)?.status).toMatchObject({ acceptedRevision: 1, phase: 'queued' });
    expect(said(world, SHA(1))).toBe('pending: deploying revision 1');
    expect(world.jobs).toEqual([
      { queue: 'reconcile', application: SOURCE },
      { queue: 'report', source: SOURCE, commit: SHA(1) },
    ]);
  });

  it('run again after a crash finds the release it accepted', async () => {
    await seeAndPlan(1, file());
    await world.sources.updateStatus(SOURCE, ({ status: { planned: _lost, ...status } }) => status);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect([...world.releases.items.keys()]).toEqual([`${SOURCE}.1`]);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({ commit: SHA(1), outcome: 'accepted' });
  });

  it('leaves a commit its last word when a newer one passed it over during the acceptance', async () => {
    const { create } = world.deps.store.releases;
    const passing: typeof create = async (release) => {
      Object.assign(world.deps.store.releases, { create });
      const created = await create(release);
      world.mentions = [{ commit: SHA(1), at: '2026-05-31T23:00:00Z' }];
      world.head = SHA(2);
      world.files.set(SHA(2), file('registry.example.test/shop:2'));
      await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
      return created;
    };
    Object.assign(world.deps.store.releases, { create: passing });
    await seeAndPlan(1, file());
    expect([...world.releases.items.keys()]).toEqual([`${SOURCE}.1`]);
    expect(said(world, SHA(1))).toMatch(/^superseded: /);
  });

  it('cut off right after its acceptance plans what the ref shows by then', async () => {
    await seeAndPlan(1, file());
    await end('succeeded');
    world.head = SHA(2);
    world.files.set(SHA(2), file('registry.example.test/shop:2'));
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    const { updateStatus } = world.applications;
    // The release is created; the worker dies before it can say so anywhere else.
    Object.assign(world.applications, { updateStatus: async () => fail(problem('cluster_unavailable')) });
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(false);
    Object.assign(world.applications, { updateStatus });
    expect(world.releases.items.size).toBe(2);
    // Meanwhile the ref goes back to the first commit.
    await seeAndPlan(1);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({ commit: SHA(1), outcome: 'accepted' });
    expect(world.releases.items.get(`${SOURCE}.3`)?.spec.origin.commit).toBe(SHA(1));
  });

  it('run twice does nothing twice', async () => {
    await seeAndPlan(1, file());
    const writes = world.sources.writes.length;
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.sources.writes).toHaveLength(writes);
  });

  it.each([
    ['a file that is not there', undefined, 'the file does not exist at this commit'],
    ['a broken file', 'name = "shop"\n[services.web\n', 'line 2'],
    [
      'another name',
      file().replace('"shop"', '"other"'),
      'the name in the file is not the name of the bound application',
    ],
    [
      'a patch',
      file('registry.example.test/shop:1', "[services.web.kubernetes]\ndeployment = 'spec: {}'\n"),
      'services.web.kubernetes',
    ],
    [
      'a custom domain',
      `${file('registry.example.test/shop:1', 'public = true\n')}[domains]\n"shop.example.com" = "web"\n`,
      'the grant does not list this custom domain',
    ],
    [
      'a missing secret',
      file('registry.example.test/shop:1', 'secrets = { A = { ref = "missing" } }\n'),
      'the secret missing does not exist',
    ],
  ])('refuses %s and writes nothing but the verdict', async (_what, text, reason) => {
    await seeAndPlan(1, text);
    expect(said(world, SHA(1))).toMatch(/^failure: /);
    expect(said(world, SHA(1))).toContain(reason);
    expect(world.releases.items.size).toBe(0);
    expect(world.applications.items.get(SOURCE)?.status).toEqual({});
    expect(world.sources.items.get(SOURCE)?.status.planned?.outcome).toBe('refused');
    expect(world.sources.items.get(SOURCE)?.status.conditions?.[0]?.status).toBe('False');
  });

  it('refuses a public service where no application domain is configured', async () => {
    world = await memory({ appDomain: undefined });
    await seeAndPlan(1, file('registry.example.test/shop:1', 'public = true\n'));
    expect(said(world, SHA(1))).toContain('services.web.public');
    expect(world.sources.items.get(SOURCE)?.status.planned?.code).toBe('app_domain_required');
  });

  it('answers a commit whose application somebody deleted', async () => {
    world.applications.items.delete(SOURCE);
    await seeAndPlan(1, file());
    expect(said(world, SHA(1))).toBe(
      'failure: refused: the application of this source does not exist; remove and add the source',
    );
  });

  it('says no change for the same meaning, once the current release succeeded', async () => {
    await seeAndPlan(1, file());
    await end('succeeded');
    await seeAndPlan(2, `# a comment\n${file()}`);
    expect(said(world, SHA(2))).toBe('success: no change, revision 1 stays');
    expect(world.releases.items.size).toBe(1);
  });

  it('releases the same file again after a failure', async () => {
    await seeAndPlan(1, file());
    await end('failed');
    await seeAndPlan(2, `# again\n${file()}`);
    expect([...world.releases.items.keys()]).toEqual([`${SOURCE}.1`, `${SOURCE}.2`]);
  });

  it('keeps the good word of a commit that a person asks to plan again', async () => {
    await seeAndPlan(1, file());
    await end('succeeded');
    await world.sources.updateStatus(SOURCE, (current) => ({
      ...current.status,
      reports: [
        {
          commit: SHA(1),
          desired: { outcome: 'success', description: 'released revision 1' },
          at: world.now.toISOString(),
        },
      ],
    }));
    await world.sources.update(SOURCE, (current) => ({
      annotations: { ...current.annotations, [REQUESTED_AT]: 'now' },
    }));
    await seeAndPlan(1);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({ outcome: 'unchanged', request: 'now' });
    expect(said(world, SHA(1))).toBe('success: released revision 1');
  });

  it('releases a commit that failed once more when a person asks for it, and tells how it goes anew', async () => {
    await seeAndPlan(1, file());
    await end('failed');
    const failed = { outcome: 'failure' as const, description: 'failed: services.web: it was not ready' };
    await world.sources.updateStatus(SOURCE, (current) => ({
      ...current.status,
      reports: [{ commit: SHA(1), desired: failed, posted: failed, at: world.now.toISOString() }],
    }));
    await world.sources.update(SOURCE, (current) => ({
      annotations: { ...current.annotations, [REQUESTED_AT]: 'now' },
    }));
    await seeAndPlan(1);
    expect([...world.releases.items.keys()]).toEqual([`${SOURCE}.1`, `${SOURCE}.2`]);
    expect(world.releases.items.get(`${SOURCE}.2`)?.spec.origin.commit).toBe(SHA(1));
    expect(said(world, SHA(1))).toBe('pending: deploying revision 2');
  });

  it('leaves reading the ref to sync when the binding changed', async () => {
    await seeAndPlan(1, file());
    await world.sources.update(SOURCE, (current) => ({ spec: { ...current.spec, path: 'other.toml' } }));
    world.jobs.length = 0;
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.jobs).toEqual([{ queue: 'sync', repository: 'github-1', ref: MAIN }]);
    expect(world.releases.items.size).toBe(1);
  });

  it('accepts nothing under a grant that changed while it planned', async () => {
    world.head = SHA(1);
    world.files.set(SHA(1), file());
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    const { missing } = world.deps.secrets;
    Object.assign(world.deps.secrets, {
      missing: async (...args: Parameters<typeof missing>) => {
        // Between planning and acceptance somebody takes the permission away.
        await world.sources.update(SOURCE, (current) => ({
          spec: { ...current.spec, grant: { ...current.spec.grant, revision: 2, permissions: ['deployments:read'] } },
        }));
        Object.assign(world.deps.secrets, { missing });
        return missing(...args);
      },
    });
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect(world.releases.items.size).toBe(0);
  });

  it('waits when too many releases wait', async () => {
    await seeAndPlan(1, file());
    const first = world.releases.items.get(`${SOURCE}.1`);
    for (let n = 2; n <= LIMITS.pendingReleases; n += 1)
      if (first !== undefined)
        world.releases.items.set(`${SOURCE}.${n}`, {
          ...first,
          name: `${SOURCE}.${n}`,
          spec: { ...first.spec, revision: n, origin: { ...first.spec.origin, trigger: 'x' } },
        });
    world.head = SHA(2);
    world.files.set(SHA(2), file('registry.example.test/shop:2'));
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect(await plan(world.deps, { source: SOURCE }, RUN)).toMatchObject({
      ok: false,
      problem: { kind: 'waiting', code: 'queue_full' },
    });
  });
});
