import { describe, expect, it } from 'vitest';
import { settingOperations } from '../../../../src/pipeline/operations/installation/index.ts';
import { PutKubernetesPatches } from '../../../../src/ports/api/index.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

describe('settings', () => {
  it('begin with their defaults and change under their revision', async () => {
    const world = await operationsWorld();
    const settings = settingOperations(world.deps);
    const off = { section: 'kubernetes-patches', value: { enabled: false }, revision: 0 };
    expect(must(await settings.kubernetesPatches(ADMIN, {}, INFO))).toEqual(off);
    expect(must(await settings.list(ADMIN, {}, INFO))).toEqual({ items: [off] });
    const set = (enabled: boolean, expected: number) =>
      settings.setKubernetesPatches(ADMIN, { enabled, expected_revision: expected }, INFO);
    expect(must(await set(true, 0))).toEqual({
      section: 'kubernetes-patches',
      value: { enabled: true },
      revision: 1,
      updated_at: world.world.now.toISOString(),
      updated_by: 'local',
    });
    expect(codeOf(await set(false, 0))).toBe('conflict expected_revision');
    expect(world.deps.settings.cached('kubernetesPatches').value.enabled).toBe(true);
    expect(must(await set(false, 1)).revision).toBe(2);
    const [first, second] = world.deps.audit.events;
    expect([first?.action, second?.action]).toEqual(['settings.update', 'settings.update']);
    expect(first?.after).toBe(second?.before);
    expect(first?.after).not.toBe(first?.before);
  });

  it('are read by everybody with a key and changed by who holds settings:write', async () => {
    const world = await operationsWorld();
    const settings = settingOperations(world.deps);
    // As administrators send it (spec kubernetes-patches).
    const change = PutKubernetesPatches.parse(JSON.parse('{"enabled": true, "expected_revision": 0}'));
    const dev = await world.as(
      (await addPerson(world.deps, { name: 'dev', holds: ['settings:write'], key: ['deployments:write'] })).raw,
    );
    expect((await settings.list(dev, {}, INFO)).ok).toBe(true);
    expect(codeOf(await settings.setKubernetesPatches(dev, change, INFO))).toBe('permission_denied');
    const keeper = await world.as(
      (await addPerson(world.deps, { name: 'keeper', holds: ['settings:write'], key: ['settings:write'] })).raw,
    );
    expect(codeOf(await settings.setKubernetesPatches(keeper, change, INFO))).toBe('ok');
  });
});
