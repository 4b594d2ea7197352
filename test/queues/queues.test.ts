import { describe, expect, it } from 'vitest';
import { pauseAfter, QUEUE_NAMES, QUEUES } from '../../queues/index.ts';

const COMMIT = 'a'.repeat(40);

describe('queues', () => {
  it('have a definition under their own name each', () => {
    expect(QUEUE_NAMES.map((name) => [QUEUES[name].name, QUEUES[name].handler])).toEqual(
      QUEUE_NAMES.map((name) => [name, name]),
    );
    expect([...QUEUE_NAMES].sort()).toEqual(Object.keys(QUEUES).sort());
  });

  it.each([
    ['poll', { repository: 'shop' }],
    ['sync', { repository: 'shop', ref: 'refs/heads/main' }],
    ['plan', { source: 'acme.production.shop' }],
    ['preview', { repository: 'shop', number: 7 }],
    ['build', { build: 'acme.production.shop.0123456789abcdef.0123456789abcdef' }],
    ['reconcile', { application: 'acme.production.shop' }],
    ['report', { source: 'acme.production.shop', commit: COMMIT }],
    ['report', { plan: 'acme.production.shop.7', commit: COMMIT }],
  ] as const)('%s takes its payload and nothing more', (name, payload) => {
    expect(QUEUES[name].schema.safeParse(payload).success).toBe(true);
    expect(QUEUES[name].schema.safeParse({ ...payload, commits: [COMMIT] }).success).toBe(false);
    for (const key of Object.keys(payload)) {
      expect(QUEUES[name].schema.safeParse({ ...payload, [key]: '' }).success).toBe(false);
      expect(QUEUES[name].schema.safeParse({ ...payload, [key]: undefined }).success).toBe(false);
    }
  });

  it('never carry a commit where a ref is meant', () => {
    expect(QUEUES.sync.schema.safeParse({ repository: 'shop', ref: 'refs/heads/main', commit: COMMIT }).success).toBe(
      false,
    );
  });

  it('coalesce by the thing, all of it', () => {
    expect(QUEUES.sync.key({ queue: 'sync', repository: 'shop', ref: 'refs/heads/a' })).not.toBe(
      QUEUES.sync.key({ queue: 'sync', repository: 'shop', ref: 'refs/heads/b' }),
    );
    expect(QUEUES.report.key({ queue: 'report', source: 'a', commit: COMMIT })).not.toBe(
      QUEUES.report.key({ queue: 'report', source: 'b', commit: COMMIT }),
    );
  });

  it('tell a plan and a source of one name apart, and one pull request from another', () => {
    expect(QUEUES.report.key({ queue: 'report', source: 'a', commit: COMMIT })).not.toBe(
      QUEUES.report.key({ queue: 'report', plan: 'a', commit: COMMIT }),
    );
    expect(QUEUES.report.schema.safeParse({ source: 'a', plan: 'a', commit: COMMIT }).success).toBe(false);
    expect(QUEUES.preview.key({ queue: 'preview', repository: 'shop', number: 7 })).not.toBe(
      QUEUES.preview.key({ queue: 'preview', repository: 'shop', number: 71 }),
    );
    expect(QUEUES.preview.schema.safeParse({ repository: 'shop', number: 0 }).success).toBe(false);
  });

  it('pause longer each time, up to five minutes, never less than half of it', () => {
    const { backoff, attempts } = QUEUES.sync;
    const longest = Array.from({ length: attempts - 1 }, (_, i) => pauseAfter(i + 1, backoff, 0));
    expect(longest).toEqual([1_000, 4_000, 16_000, 64_000, 256_000]);
    expect(pauseAfter(9, backoff, 0)).toBe(300_000);
    expect(pauseAfter(1, backoff, 0.999)).toBeGreaterThanOrEqual(500);
    expect(pauseAfter(9, backoff, 0.999)).toBeGreaterThanOrEqual(150_000);
  });
});
