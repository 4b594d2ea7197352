import { beforeEach, describe, expect, it } from 'vitest';
import type { Permission, Principal } from '../../../src/access/index.ts';
import type { Result } from '../../../src/kernel/index.ts';
import { REQUESTED_AT } from '../../../src/ports/index.ts';
import { type ApiWorld, apiWorld, must, withSource, withWait } from '../../support/api-world.ts';
import { INFO } from '../../support/release-api.ts';

const ID = 'acme.production.shop';
const COMMIT = 'a'.repeat(40);
const DIGEST = 'd'.repeat(64);

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
  await withSource(world);
});

function person(name: string, key: readonly Permission[], role = 'developer'): Promise<Principal> {
  const scope = { project: 'acme', environment: 'production' };
  return world.person({ name, roles: [{ project: 'acme', role }], key, scope });
}
const manager = (): Promise<Principal> =>
  person('mira', ['git:manage', 'deployments:read', 'deployments:write'], 'project-admin');
const deployer = (): Promise<Principal> => person('dora', ['deployments:read', 'deployments:write']);
const reader = (): Promise<Principal> => person('rolf', ['deployments:read']);
const codeOf = (result: Result<unknown>): unknown =>
  result.ok ? 'ok' : result.problem.at === undefined ? result.problem.code : [result.problem.code, result.problem.at];
const audited = () =>
  (world.memory.deps.audit as unknown as { readonly events: readonly { readonly action: string }[] }).events.at(-1);

describe('a deploy policy', () => {
  it('is automatic until somebody who binds sources sets it, field by field', async () => {
    const { sources } = world.operations;
    const mira = await manager();
    const none = { mode: 'automatic', checks: [], freeze: [] };
    expect(must(await sources.policy(await reader(), { id: ID }, INFO))).toEqual(none);
    const freeze = [{ start: '0 18 * * 5', minutes: 60, timezone: 'Europe/Berlin' }];
    await sources.setPolicy(mira, { id: ID, mode: 'approval', checks: ['ci', 'ci'] }, INFO);
    const set = must(await sources.setPolicy(mira, { id: ID, freeze }, INFO));
    expect(set).toEqual({ mode: 'approval', checks: ['ci'], freeze });
    expect(must(await sources.show(mira, { id: ID }, INFO)).policy).toEqual(set);
    expect(audited()).toMatchObject({ action: 'source.policy' });
  });

  it('is nothing that who only deploys may lift', async () => {
    const { sources } = world.operations;
    for (const who of [await deployer(), await reader()])
      expect(codeOf(await sources.setPolicy(who, { id: ID, mode: 'automatic' }, INFO))).toBe('permission_denied');
    expect(world.memory.sources.items.get(ID)?.spec.policy).toBeUndefined();
  });

  it('is refused at the field that is wrong, and stays as it was', async () => {
    const { sources } = world.operations;
    const mira = await manager();
    const freeze = [{ start: '0 18 * * 9', minutes: 60 }];
    expect(codeOf(await sources.setPolicy(mira, { id: ID, freeze }, INFO))).toEqual([
      'invalid_request',
      'freeze.0.start',
    ]);
    expect(world.memory.sources.items.get(ID)?.spec.policy).toBeUndefined();
  });
});

describe('an approval', () => {
  it('is for the plan that waits, by who may deploy, and asks for the ref again', async () => {
    const { sources } = world.operations;
    await withWait(world, COMMIT);
    const dora = await deployer();
    expect(must(await sources.show(dora, { id: ID }, INFO))).toMatchObject({
      state: 'waiting',
      waiting: { for: 'approval', commit_sha: COMMIT, digest: DIGEST },
    });
    expect(codeOf(await sources.approve(await reader(), { id: ID, commit_sha: COMMIT }, INFO))).toBe(
      'permission_denied',
    );
    expect(world.memory.sources.items.get(ID)?.status.approval).toBeUndefined();
    must(await sources.approve(dora, { id: ID, commit_sha: COMMIT, digest: DIGEST }, INFO));
    const source = world.memory.sources.items.get(ID);
    expect(source?.status.approval).toMatchObject({ commit: COMMIT, digest: DIGEST, grantRevision: 1, by: 'dora' });
    expect(source?.annotations[REQUESTED_AT]).toBe(world.memory.now.toISOString());
    expect(audited()).toMatchObject({ action: 'source.approve' });
  });

  it.each([
    ['another commit', { commit_sha: 'b'.repeat(40) }],
    ['another plan of the commit', { commit_sha: COMMIT, digest: 'e'.repeat(64) }],
  ])('is refused for %s', async (_what, input) => {
    await withWait(world, COMMIT);
    expect(codeOf(await world.operations.sources.approve(await deployer(), { id: ID, ...input }, INFO))).toBe(
      'conflict',
    );
    expect(world.memory.sources.items.get(ID)?.status.approval).toBeUndefined();
  });

  it('is refused where nothing waits, and where the source is suspended', async () => {
    const { sources } = world.operations;
    const dora = await deployer();
    expect(codeOf(await sources.approve(dora, { id: ID, commit_sha: COMMIT }, INFO))).toBe('conflict');
    await withWait(world, COMMIT);
    await sources.suspend(dora, { id: ID }, INFO);
    expect(codeOf(await sources.approve(dora, { id: ID, commit_sha: COMMIT }, INFO))).toBe('conflict');
  });
});
