import { expect, test } from 'vitest';
import { deployContext, planContext, readyCondition } from '../../src/status/index.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const T1 = new Date('2026-01-02T00:00:00Z');
const next = { status: 'True', reason: 'Released', message: 'ok' } as const;

test('the first condition begins now', () => {
  expect(readyCondition(undefined, { ...next, now: T0, generation: 3 })).toEqual({
    type: 'Ready',
    status: 'True',
    reason: 'Released',
    message: 'ok',
    lastTransitionTime: '2026-01-01T00:00:00.000Z',
    observedGeneration: 3,
  });
});

test('the time of transition stays while the status does', () => {
  const first = readyCondition([], { ...next, now: T0 });
  const second = readyCondition([{ type: 'Other', status: 'True', lastTransitionTime: 'x' }, first], {
    ...next,
    reason: 'rollout_failed',
    now: T1,
  });
  expect(second).toMatchObject({ lastTransitionTime: first.lastTransitionTime, reason: 'RolloutFailed' });
  const third = readyCondition([second], { ...next, status: 'False', now: T1 });
  expect(third.lastTransitionTime).toBe(T1.toISOString());
});

test('contexts', () => {
  const key = { project: 'acme', environment: 'production', name: 'shop' };
  expect(deployContext(key)).toBe('hakopod/deploy/acme/production/shop');
  expect(planContext(key)).toBe('hakopod/plan/acme/production/shop');
});
