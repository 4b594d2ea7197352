import { expect, it } from 'vitest';
import { pollSeconds } from '../../../src/pipeline/hooks/index.ts';
import type { GitRepository } from '../../../src/ports/index.ts';

it.each([
  ['healthy', 60, 300],
  ['healthy', 300, 600],
  ['healthy', 3600, 3600],
  ['dead', 60, 20],
  ['dead', 12, 5],
  ['dead', 5, 5],
  ['unknown', 60, 60],
  [undefined, 60, 60],
] as const)('a %s hook makes a poll each %i s one each %i s', (health, intervalSeconds, seconds) => {
  const status = health === undefined ? {} : { webhook: { health } };
  expect(pollSeconds({ spec: { intervalSeconds }, status } as GitRepository)).toBe(seconds);
});

it('is never longer than configured while the repository can not be read', () => {
  const ready = (status: 'True' | 'False') => ({
    conditions: [{ type: 'Ready', status }],
    webhook: { health: 'healthy' },
  });
  const seconds = (status: 'True' | 'False') =>
    pollSeconds({ spec: { intervalSeconds: 60 }, status: ready(status) } as GitRepository);
  expect([seconds('False'), seconds('True')]).toEqual([60, 300]);
});
