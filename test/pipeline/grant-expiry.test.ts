import { describe, expect, it } from 'vitest';
import { plan, sync, warnOfGrants } from '../../src/pipeline/index.ts';
import { file, MAIN, type Memory, memory, RUN, SHA, SOURCE } from '../support/memory.ts';

const DAY = 86_400_000;

async function withGrant(days: number): Promise<{ world: Memory; counts: object[] }> {
  const world = await memory();
  const expiresAt = new Date(world.now.getTime() + days * DAY).toISOString();
  await renew(world, expiresAt);
  const counts: object[] = [];
  Object.assign(world.deps.metrics, { grants: (given: object) => counts.push(given) });
  return { world, counts };
}

async function renew(world: Memory, expiresAt: string): Promise<void> {
  await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, grant: { ...spec.grant, expiresAt } } }));
}

const warning = (world: Memory) =>
  world.sources.items.get(SOURCE)?.status.conditions?.find(({ type }) => type === 'GrantExpiring');

describe('a deploy grant', () => {
  it('is warned of from 14 days before its end, and said to have ended after', async () => {
    const { world, counts } = await withGrant(15);
    expect((await warnOfGrants(world.deps)).ok).toBe(true);
    expect(warning(world)).toBeUndefined();
    expect(counts.at(-1)).toEqual({ valid: 1, expiring: 0, expired: 0 });
    world.now = new Date(world.now.getTime() + DAY);
    await warnOfGrants(world.deps);
    expect(warning(world)).toMatchObject({ status: 'True', reason: 'GrantExpiring' });
    expect(warning(world)?.message).toContain('renew it');
    expect(counts.at(-1)).toEqual({ valid: 0, expiring: 1, expired: 0 });
    world.now = new Date(world.now.getTime() + 14 * DAY);
    await warnOfGrants(world.deps);
    expect(warning(world)).toMatchObject({ status: 'True', reason: 'GrantExpired' });
    expect(counts.at(-1)).toEqual({ valid: 0, expiring: 0, expired: 1 });
  });

  it('is warned of once: what stands there already is not written again', async () => {
    const { world } = await withGrant(3);
    await warnOfGrants(world.deps);
    const writes = world.sources.writes.length;
    await warnOfGrants(world.deps);
    expect(world.sources.writes).toHaveLength(writes);
  });

  it('loses the warning when it is renewed', async () => {
    const { world } = await withGrant(3);
    await warnOfGrants(world.deps);
    await renew(world, new Date(world.now.getTime() + 90 * DAY).toISOString());
    await warnOfGrants(world.deps);
    expect(warning(world)).toBeUndefined();
  });

  it('keeps the warning when a commit is planned', async () => {
    const { world } = await withGrant(3);
    world.files.set(SHA(1), file());
    await warnOfGrants(world.deps);
    expect((await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN)).ok).toBe(true);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    const source = world.sources.items.get(SOURCE);
    expect(source?.status.planned?.outcome).toBe('accepted');
    expect(source?.status.conditions?.map(({ type }) => type).sort()).toEqual(['GrantExpiring', 'Ready']);
  });

  it('puts what its commit accepted on record', async () => {
    const { world } = await withGrant(90);
    world.files.set(SHA(1), file());
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    await plan(world.deps, { source: SOURCE }, RUN);
    const { items } = { items: (world.deps.audit as unknown as { events: object[] }).events };
    expect(items).toMatchObject([
      {
        ...{ identity: 'git', origin: 'git', source: SOURCE, commit: SHA(1), action: 'deployment.accept' },
        resource: { kind: 'Deployment', project: 'acme', application: 'shop', name: `${SOURCE}.1` },
      },
    ]);
  });

  it('is refused at the plan when who made it may not deploy', async () => {
    const { world } = await withGrant(90);
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, identity: 'gone' } },
    }));
    world.files.set(SHA(1), file());
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.sources.items.get(SOURCE)?.status.planned).toMatchObject({
      outcome: 'refused',
      code: 'grant_refused',
    });
  });
});
