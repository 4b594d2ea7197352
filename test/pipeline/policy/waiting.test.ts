import { beforeEach, describe, expect, it } from 'vitest';
import { type DeployPolicy, LIMITS, problem } from '../../../src/kernel/index.ts';
import { plan, report, sync } from '../../../src/pipeline/index.ts';
import { approve } from '../../../src/pipeline/policy/approve.ts';
import { jobsOfSource } from '../../../src/pipeline/resync.ts';
import { markUnreadable } from '../../../src/pipeline/source-condition.ts';
import { type GitSource, REQUESTED_AT } from '../../../src/ports/index.ts';
import { file, MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../../support/memory.ts';

let world: Memory;
beforeEach(async () => {
  world = await memory();
});

const SYNC = { repository: 'github-1', ref: MAIN } as const;

async function policy(part: Partial<DeployPolicy>): Promise<void> {
  await world.sources.update(SOURCE, ({ spec }) => ({
    spec: { ...spec, policy: { mode: 'automatic', checks: [], freeze: [], ...part } },
  }));
}

async function push(n: number, image = `registry.example.test/shop:${n}`): Promise<void> {
  world.head = SHA(n);
  world.files.set(SHA(n), file(image));
  await look();
}

/** What a worker does when the ref moved, somebody asked, or it is time. */
async function look(): Promise<void> {
  expect((await sync(world.deps, SYNC, RUN)).ok).toBe(true);
  expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
}

function source(): GitSource {
  const found = world.sources.items.get(SOURCE);
  if (found === undefined) throw new Error('no source');
  return found;
}
const releases = (): number => world.releases.items.size;
const later = (minutes: number): void => {
  world.now = new Date(world.now.getTime() + minutes * 60_000);
};
const planJobs = () => jobsOfSource(source(), world.now).filter(({ queue }) => queue === 'plan');
const byAda = { source: SOURCE, by: 'ada', via: 'cli' } as const;

describe('a source whose plans are approved', () => {
  beforeEach(() => policy({ mode: 'approval' }));

  it('waits, and releases what was approved', async () => {
    await push(1);
    expect(releases()).toBe(0);
    expect(said(world, SHA(1))).toBe('pending: waiting until somebody approves the plan');
    expect(source().status.planned?.outcome).toBe('waiting');
    const digest = source().status.waiting?.digest;
    expect((await approve(world.deps, { ...byAda, commit: SHA(1), digest })).ok).toBe(true);
    await look();
    expect(world.releases.items.get(`${SOURCE}.1`)?.spec.origin.commit).toBe(SHA(1));
    expect(said(world, SHA(1))).toBe('pending: deploying revision 1');
    expect(source().status.waiting).toBeUndefined();
  });

  it('ends an older commit as superseded, and takes no approval for it any more', async () => {
    await push(1);
    await push(2);
    expect(said(world, SHA(1))).toMatch(/^superseded: superseded by 0{7}/);
    expect(said(world, SHA(2))).toMatch(/^pending: waiting until/);
    const late = await approve(world.deps, { ...byAda, commit: SHA(1) });
    expect(!late.ok && late.problem).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('another plan'),
    });
    await look();
    expect(releases()).toBe(0);
  });

  it('takes no approval for a commit that is passed over already, though the newer one is not planned yet', async () => {
    await push(1);
    world.head = SHA(2);
    await sync(world.deps, SYNC, RUN);
    const late = await approve(world.deps, { ...byAda, commit: SHA(1) });
    expect(!late.ok && late.problem.code).toBe('conflict');
    expect(source().status.approval).toBeUndefined();
  });

  it('does not carry an approval over to a commit that came in the same moment', async () => {
    await push(1);
    expect((await approve(world.deps, { ...byAda, commit: SHA(1) })).ok).toBe(true);
    await push(2);
    expect(releases()).toBe(0);
    expect(said(world, SHA(2))).toMatch(/^pending: waiting until/);
  });

  it('does not carry it over to another grant either', async () => {
    await push(1);
    expect((await approve(world.deps, { ...byAda, commit: SHA(1) })).ok).toBe(true);
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, revision: spec.grant.revision + 1 } },
    }));
    await look();
    expect(releases()).toBe(0);
  });

  it('refuses another digest than the one that waits, and an approval of nothing', async () => {
    const early = await approve(world.deps, { ...byAda, commit: SHA(1) });
    expect(!early.ok && early.problem.code).toBe('conflict');
    await push(1);
    const other = await approve(world.deps, { ...byAda, commit: SHA(1), digest: 'x' });
    expect(!other.ok && other.problem.code).toBe('conflict');
    expect(source().status.approval).toBeUndefined();
    expect(source().annotations[REQUESTED_AT]).toBeUndefined();
  });

  it('ends when nobody approves', async () => {
    await push(1);
    expect(planJobs()).toEqual([]);
    later(LIMITS.approvalDays * 24 * 60);
    expect(planJobs()).toHaveLength(1);
    await look();
    expect(said(world, SHA(1))).toBe('failure: refused: nobody approved the plan in time');
    expect(source().status.planned?.code).toBe('approval_expired');
    expect(planJobs()).toEqual([]);
  });

  it('releases what waits when it becomes automatic', async () => {
    await push(1);
    await policy({});
    await look();
    expect(releases()).toBe(1);
  });

  it('does not carry it over a commit that came in between, though the first comes back', async () => {
    await push(1);
    expect((await approve(world.deps, { ...byAda, commit: SHA(1) })).ok).toBe(true);
    await push(2);
    await push(1);
    expect(releases()).toBe(0);
    expect(said(world, SHA(1))).toMatch(/^pending: waiting until/);
  });

  it.each<[string, Partial<DeployPolicy>]>([
    ['fewer checks', { checks: [] }],
    ['other checks', { checks: ['lint'] }],
    ['a freeze', { freeze: [{ start: '0 0 1 1 *', minutes: 1 }] }],
  ])('does not carry it over to another policy: %s', async (_what, other) => {
    await policy({ mode: 'approval', checks: ['ci'] });
    await push(1);
    expect((await approve(world.deps, { ...byAda, commit: SHA(1) })).ok).toBe(true);
    await look();
    expect(said(world, SHA(1))).toBe('pending: waiting for the check ci');
    await policy({ mode: 'approval', ...other });
    await look();
    expect(releases()).toBe(0);
    expect(said(world, SHA(1))).toMatch(/^pending: waiting until somebody approves/);
  });

  it('asks nobody for a commit that changes nothing', async () => {
    await push(1);
    await approve(world.deps, { ...byAda, commit: SHA(1) });
    await look();
    await world.releases.updateStatus(`${SOURCE}.1`, (current) => ({ ...current.status, state: 'succeeded' }));
    await push(2, 'registry.example.test/shop:1');
    expect(said(world, SHA(2))).toBe('success: no change, revision 1 stays');
  });
});

describe('a source that waits for checks', () => {
  beforeEach(() => policy({ checks: ['ci'] }));

  it('releases once they succeeded, and looks again by itself', async () => {
    world.checks.set('ci', 'pending');
    await push(1);
    expect(said(world, SHA(1))).toBe('pending: waiting for the check ci');
    world.checks.set('ci', 'success');
    expect(planJobs()).toEqual([]);
    later(1);
    expect(planJobs()).toHaveLength(1);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect(releases()).toBe(1);
  });

  it('takes no approval, which nobody asked for', async () => {
    await push(1);
    const early = await approve(world.deps, { ...byAda, commit: SHA(1) });
    expect(!early.ok && early.problem).toMatchObject({ code: 'conflict', message: expect.stringContaining('no plan') });
    expect(source().status.approval).toBeUndefined();
  });

  it('is not ready meanwhile, also after the ref could not be read for a while', async () => {
    await push(1);
    const ready = () => source().status.conditions?.find(({ type }) => type === 'Ready')?.status;
    expect(ready()).toBe('Unknown');
    await markUnreadable(world.deps, [source()], problem('git_unauthorized'));
    expect(ready()).toBe('False');
    await look();
    expect(ready()).toBe('Unknown');
  });

  it('ends with one that failed', async () => {
    world.checks.set('ci', 'failure');
    await push(1);
    expect(said(world, SHA(1))).toBe('failure: refused: a check that the deploy policy requires failed');
    expect(releases()).toBe(0);
  });

  it('counts the time from the first look', async () => {
    await push(1);
    for (let hour = 0; hour < LIMITS.checksHours; hour += 1) {
      expect(said(world, SHA(1))).toBe('pending: waiting for the check ci');
      later(60);
      await look();
    }
    expect(said(world, SHA(1))).toMatch(/^failure: refused: a check .* in time$/);
  });
});

describe('a source with freeze windows', () => {
  it('waits until the window ends', async () => {
    await policy({ freeze: [{ start: '0 0 * * *', minutes: 90 }] });
    await push(1);
    expect(said(world, SHA(1))).toBe('pending: frozen until 2026-06-01T01:30Z');
    later(89);
    await look();
    expect(releases()).toBe(0);
    later(1);
    expect(planJobs()).toHaveLength(1);
    await look();
    expect(releases()).toBe(1);
  });
});

describe('a commit that says [skip hakopod]', () => {
  it('is not deployed, and says why', async () => {
    world.messages.set(SHA(1), 'Change the image [skip hakopod]');
    await push(1);
    expect(said(world, SHA(1))).toBe('success: skipped: the commit message says [skip hakopod]');
    expect(source().status.planned?.outcome).toBe('skipped');
    expect(releases()).toBe(0);
    await push(2);
    expect(releases()).toBe(1);
  });

  it('is deployed with the next commit, though that touches nothing of it', async () => {
    world.messages.set(SHA(1), '[skip hakopod]');
    await push(1);
    world.changed = new Set();
    await push(2, 'registry.example.test/shop:1');
    expect(releases()).toBe(1);
  });

  it('is deployed when a person asks for it, also when a worker dies over it', async () => {
    world.messages.set(SHA(1), '[skip hakopod]');
    await push(1);
    await world.sources.update(SOURCE, ({ annotations }) => ({
      annotations: { ...annotations, [REQUESTED_AT]: 'now' },
    }));
    const { addImported } = world.deps.secrets;
    Object.assign(world.deps.secrets, {
      addImported: async () => ({ ok: false, problem: problem('cluster_unavailable') }),
    });
    await sync(world.deps, SYNC, RUN);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(false);
    Object.assign(world.deps.secrets, { addImported });
    expect(planJobs()).toHaveLength(1);
    await look();
    expect(releases()).toBe(1);
  });

  it('is deployed when a person asks for it', async () => {
    world.messages.set(SHA(1), '[skip hakopod]');
    await push(1);
    await world.sources.update(SOURCE, ({ annotations }) => ({
      annotations: { ...annotations, [REQUESTED_AT]: 'now' },
    }));
    await look();
    expect(releases()).toBe(1);
  });
});

describe('a plan that waits, whatever for, and does not any more', () => {
  const waits: readonly [string, Partial<DeployPolicy>][] = [
    ['an approval', { mode: 'approval' }],
    ['a check', { checks: ['ci'] }],
    ['a freeze', { freeze: [{ start: '0 0 * * *', minutes: 90 }] }],
  ];

  /** Everything that was waited for comes. */
  async function comes(): Promise<void> {
    world.checks.set('ci', 'success');
    await approve(world.deps, { ...byAda, commit: SHA(1) });
    later(24 * 60 - 1);
    for (const _try of [1, 2]) await look();
  }

  it.each(waits)('is not released once its ref is gone: %s', async (_what, part) => {
    await policy(part);
    await push(1);
    world.head = undefined;
    await sync(world.deps, SYNC, RUN);
    expect(said(world, SHA(1))).toBe('cancelled: cancelled: the ref no longer exists');
    expect(planJobs()).toEqual([]);
    await comes();
    expect(releases()).toBe(0);
    expect(said(world, SHA(1))).toBe('cancelled: cancelled: the ref no longer exists');
  });

  it.each(waits)('waits anew when its ref comes back: %s', async (_what, part) => {
    await policy(part);
    await push(1);
    world.head = undefined;
    await sync(world.deps, SYNC, RUN);
    await push(1);
    expect(said(world, SHA(1))).toMatch(/^pending: (waiting|frozen)/);
    await comes();
    expect(releases()).toBe(1);
  });

  it.each(waits)('ends while its source is suspended, and waits anew after: %s', async (_what, part) => {
    await policy(part);
    await push(1);
    const suspend = (suspended: boolean) =>
      world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, suspended } }));
    await suspend(true);
    expect(planJobs()).toHaveLength(1);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect(said(world, SHA(1))).toBe('cancelled: cancelled: the source is suspended');
    expect(planJobs()).toEqual([]);
    await comes();
    expect(source().status.approval).toBeUndefined();
    expect(releases()).toBe(0);
    later(1);
    world.checks.clear();
    await suspend(false);
    await look();
    expect(said(world, SHA(1))).toMatch(/^pending: (waiting|frozen)/);
  });

  it.each(waits)(
    'ends when a worker died on the way to its release and another commit came: %s',
    async (_what, part) => {
      await policy(part);
      await push(1);
      Object.assign(world.deps.secrets, {
        addImported: async () => ({ ok: false, problem: problem('cluster_unavailable') }),
      });
      world.checks.set('ci', 'success');
      await approve(world.deps, { ...byAda, commit: SHA(1) });
      later(90);
      await sync(world.deps, SYNC, RUN);
      expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(false);
      expect(said(world, SHA(1))).toMatch(/^pending: /);
      world.head = SHA(2);
      await sync(world.deps, SYNC, RUN);
      expect(said(world, SHA(1))).toMatch(/^superseded: superseded by 0{7}/);
    },
  );

  it('is not planned at all when its ref was gone before', async () => {
    world.head = SHA(1);
    world.files.set(SHA(1), file('registry.example.test/shop:1'));
    await sync(world.deps, SYNC, RUN);
    world.head = undefined;
    await look();
    expect(releases()).toBe(0);
    expect(said(world, SHA(1))).toBe('cancelled: cancelled: the ref no longer exists');
    await push(1);
    expect(releases()).toBe(1);
  });

  it('hears from the forge that it ended', async () => {
    await policy({ mode: 'approval' });
    await push(1);
    await report(world.deps, { source: SOURCE, commit: SHA(1) });
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, suspended: true } }));
    world.jobs.length = 0;
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.jobs).toContainEqual({ queue: 'report', source: SOURCE, commit: SHA(1) });
  });
});
