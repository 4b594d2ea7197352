import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchApplications } from '../../src/pipeline/index.ts';
import { type Memory, memory, SOURCE } from '../support/memory.ts';

let world: Memory;
let wake: () => void;
let stop: () => void;
beforeEach(async () => {
  world = await memory();
  const waiting: (() => void)[] = [];
  wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  const sleep = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
  stop = watchApplications({ ...world.deps, clock: { ...world.deps.clock, sleep } });
});
afterEach(() => stop());

const write = (status: object) =>
  world.deps.store.applications.updateStatus(SOURCE, (current) => ({ ...current.status, ...status }));
const settled = async (): Promise<number> => {
  wake();
  await new Promise(setImmediate);
  return world.jobs.filter(({ queue }) => queue === 'reconcile').length;
};

it('queues what was accepted and nobody took up', async () => {
  await write({ acceptedRevision: 1, phase: 'queued' });
  expect(world.jobs).toEqual([]);
  expect(await settled()).toBe(1);
  await write({ services: [] });
  expect(await settled()).toBe(1);
});

it('leaves alone what a worker took up meanwhile, or has done', async () => {
  await write({ acceptedRevision: 1, phase: 'queued' });
  await write({ fence: 7 });
  expect(await settled()).toBe(0);
  await write({ services: [] });
  expect(await settled()).toBe(0);
  await write({ acceptedRevision: 2 });
  await write({ phase: 'healthy' });
  expect(await settled()).toBe(0);
});

it('queues a cancellation and a removal', async () => {
  await write({ acceptedRevision: 1, phase: 'queued', cancelled: [1] });
  expect(await settled()).toBe(1);
  await write({ phase: 'cancelled', cancelled: [] });
  await world.deps.store.applications.update(SOURCE, () => ({ finalizers: ['hakopod.io/cleanup'] }));
  await world.deps.store.applications.delete(SOURCE, `uid-${SOURCE}`);
  expect(await settled()).toBe(2);
});

it('stops when it is told to', async () => {
  await write({ acceptedRevision: 1, phase: 'queued' });
  stop();
  expect(await settled()).toBe(0);
});
