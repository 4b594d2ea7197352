import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/server/api/index.ts';
import { RELEASE } from '../../../src/server/api/routes/examples.ts';
import { apiWorld, withPreview, withSource, withWait } from '../../support/api-world.ts';
import { exampleRequest } from './harness.ts';

/** What an application with a source can not have done to it. */
const WITHOUT_SOURCE = ['deleteApplication'];

describe('the example of every route', () => {
  it.each(ROUTES.map((route) => [route.id, route] as const))('runs: %s', async (id, route) => {
    const world = await apiWorld();
    if (!WITHOUT_SOURCE.includes(id)) await withSource(world);
    // A preview environment is of a source.
    if (id.endsWith('Preview')) await withPreview(world);
    const admin = await world.person({
      name: 'root',
      holds: ['admin', 'kubernetes:patch'],
      key: ['admin', 'pods:exec'],
    });
    if (id === 'getIdempotency') {
      const { path, init } = exampleRequest(ROUTES.find((other) => other.id === 'createDeployment') ?? route);
      const headers = { ...init.headers, 'idempotency-key': 'example-key-0001' };
      await world.api.fetch(new Request(`http://local${path}`, { ...init, headers }), admin);
    }
    // Only what waits can be approved.
    if (id === 'approveSource') await withWait(world, 'a'.repeat(40));
    // Only what is there can be tested.
    if (id === 'testWebhook') {
      const install = ROUTES.find((other) => other.id === 'installWebhook') ?? route;
      const { path, init } = exampleRequest(install);
      await world.api.fetch(new Request(`http://local${path}`, init), admin);
    }
    // Only what failed can go on.
    if (id === 'resumeDeployment')
      await world.memory.releases.updateStatus(RELEASE, ({ status }) => ({ ...status, state: 'failed', attempts: 1 }));
    const { path, init } = exampleRequest(route);
    const before = world.memory.deps.audit;
    const answer = await world.api.fetch(new Request(`http://local${path}`, init), admin);
    expect([answer.status, await answer.text()]).toEqual([route.status, expect.any(String)]);
    expect(before).toBe(world.memory.deps.audit);
  });
});
