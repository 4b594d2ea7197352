import { expect, it } from 'vitest';
import { watchForDrift } from '../../src/pipeline/resync.ts';
import { memory } from '../support/memory.ts';

it.each([
  ['healthy', true],
  ['recovered', true],
  ['empty', true],
  ['queued', false],
  ['failed', false],
  ['cancelled', false],
] as const)('an application that is %s is compared with the cluster: %s', async (phase, isCompared) => {
  const world = await memory();
  await world.applications.updateStatus('acme.production.shop', ({ status }) => ({ ...status, phase }));
  await watchForDrift(world.deps);
  expect(world.jobs).toEqual(isCompared ? [{ queue: 'reconcile', application: 'acme.production.shop' }] : []);
});

it.each(['failed', 'cancelled'] as const)('an application that is %s is looked at for its domains', async (phase) => {
  const world = await memory();
  const inventory = [{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: 'hp', name: 'web', uid: '1' }];
  await world.applications.updateStatus('acme.production.shop', ({ status }) => ({ ...status, phase, inventory }));
  await watchForDrift(world.deps);
  expect(world.jobs).toEqual([{ queue: 'reconcile', application: 'acme.production.shop' }]);
});
