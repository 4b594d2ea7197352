import { beforeEach, expect, test } from 'vitest';
import { packPlanText } from '../../../src/pipeline/preview/plan-page.ts';
import { type ApiWorld, apiWorld, must, withSource } from '../../support/api-world.ts';
import { INFO } from '../../support/release-api.ts';

const ID = 'acme.production.shop.7';
const PLACE = { project: 'acme', environment: 'production' };

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
  await withSource(world);
  const text = packPlanText('Plan: 1 service to change\n\nweb (changed)\n');
  await world.memory.plans.updateStatus(ID, () => ({ outcome: 'planned', draft: true, text }));
});

test('a plan is shown whole to whoever may read the application, and lists are short', async () => {
  const { plans } = world.operations;
  const role = [{ project: 'acme', role: 'viewer' }];
  const reader = await world.person({ name: 'rolf', roles: role, key: ['deployments:read'], scope: PLACE });
  expect(must(await plans.show(reader, { id: ID }, INFO))).toMatchObject({
    ...{ id: ID, outcome: 'planned', draft: true, text: 'Plan: 1 service to change\n\nweb (changed)\n' },
  });
  const [listed] = must(await plans.list(reader, { limit: 20 }, INFO)).items;
  expect(listed).toMatchObject({ id: ID, draft: true });
  expect(listed).not.toHaveProperty('text');
});

test('a key of another environment sees none of it', async () => {
  const scope = { ...PLACE, environment: 'staging' };
  const role = [{ project: 'acme', role: 'viewer' }];
  const other = await world.person({ name: 'otto', roles: role, key: ['deployments:read'], scope });
  expect(await world.operations.plans.show(other, { id: ID }, INFO)).toMatchObject({ ok: false });
  expect(must(await world.operations.plans.list(other, { limit: 20 }, INFO)).items).toEqual([]);
});
