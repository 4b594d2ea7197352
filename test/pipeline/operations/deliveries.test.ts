import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { DELIVERIES_KEPT, type DeliveryRecord } from '../../../src/ports/index.ts';
import { type ApiWorld, apiWorld, must } from '../../support/api-world.ts';
import { INFO } from '../../support/release-api.ts';

const name = 'github-123456789';
const MAIN = 'refs/heads/main';

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
  world.memory.delivered.length = 0;
  world.memory.jobs.length = 0;
});

function arrived(second: number, more: Partial<DeliveryRecord> = {}): void {
  const at = new Date(Date.UTC(2026, 10, 29, 12, 0, second)).toISOString();
  world.memory.delivered.unshift({
    repository: name,
    deliveryId: `delivery-${second}`,
    verdict: 'accepted',
    at,
    ...more,
  });
}

async function list(limit = 100, cursor?: string) {
  return must(await world.operations.deliveries.list(LOCAL, { name, limit, cursor }, INFO));
}

describe('the history of deliveries', () => {
  it('says what became of each and why, newest first', async () => {
    arrived(1, { ref: MAIN, commit: 'a'.repeat(40) });
    arrived(2, { verdict: 'duplicate', ref: MAIN });
    arrived(3, { verdict: 'event' });
    arrived(4, { verdict: 'malformed' });
    arrived(5, { verdict: 'repository' });
    arrived(6, { verdict: 'refused', deliveryId: undefined });
    arrived(7, { ref: 'pull-request/12' });
    const { items } = await list();
    expect(
      items.map(({ verdict, reason, ref, pull_request: pull, redeliverable }) => [
        verdict,
        reason,
        ref ?? pull,
        redeliverable,
      ]),
    ).toEqual([
      ['accepted', undefined, 12, true],
      ['refused', 'signature', undefined, false],
      ['ignored', 'repository', undefined, false],
      ['ignored', 'malformed', undefined, false],
      ['ignored', 'event', undefined, false],
      ['duplicate', undefined, MAIN, true],
      ['accepted', undefined, MAIN, true],
    ]);
    expect(items.at(-1)).toMatchObject({ delivery_id: 'delivery-1', commit_sha: 'a'.repeat(40) });
  });

  it('tells a comment from a commit', async () => {
    arrived(1, { ref: 'pull-request/12/comments', commit: '987654' });
    const [one] = (await list()).items;
    expect([one?.comment, one?.commit_sha, one?.pull_request, one?.ref]).toEqual(['987654', undefined, 12, undefined]);
  });

  it('goes on after a page, also when more arrived meanwhile', async () => {
    for (const second of [1, 2, 3, 4]) arrived(second);
    const first = await list(2);
    arrived(5);
    const second = await list(2, first.next_cursor);
    expect([...first.items, ...second.items].map((one) => one.delivery_id)).toEqual([
      'delivery-4',
      'delivery-3',
      'delivery-2',
      'delivery-1',
    ]);
  });

  it('shows what the repository has, and no more than is kept', async () => {
    for (let second = 0; second < DELIVERIES_KEPT + 5; second += 1) arrived(second);
    arrived(0, { repository: 'github-42' });
    expect((await list()).items).toHaveLength(DELIVERIES_KEPT);
  });
});

describe('delivering again', () => {
  const redeliver = async (index: number) => {
    const { items } = await list();
    return world.operations.deliveries.redeliver(LOCAL, { name, id: items[index]?.id ?? '' }, INFO);
  };

  it.each([
    [{ ref: MAIN }, { queue: 'sync', repository: name, ref: MAIN }],
    [
      { ref: MAIN, verdict: 'duplicate' },
      { queue: 'sync', repository: name, ref: MAIN },
    ],
    [{ ref: 'pull-request/12' }, { queue: 'preview', repository: name, number: 12 }],
    [{ ref: 'pull-request/12/comments' }, { queue: 'preview', repository: name, number: 12 }],
    // A branch may be called so too; its ref says that it is one.
    [{ ref: 'refs/heads/pull-request/12' }, { queue: 'sync', repository: name, ref: 'refs/heads/pull-request/12' }],
  ] as const)('queues what %j pointed at, and nothing else', async (more, job) => {
    arrived(1, { commit: 'a'.repeat(40), ...more });
    must(await redeliver(0));
    expect(world.memory.jobs).toEqual([job]);
  });

  it('asks for the command of a comment again, and for no commit', async () => {
    arrived(1, { ref: 'pull-request/12/comments', commit: '987654' });
    arrived(2, { ref: 'pull-request/12', commit: 'a'.repeat(40) });
    must(await redeliver(0));
    must(await redeliver(1));
    expect(world.memory.commented).toEqual([{ commit: '987654', at: world.memory.now.toISOString() }]);
    expect(world.memory.mentions).toEqual([]);
  });

  it.each(['event', 'malformed', 'repository', 'refused'] as const)('has nowhere to look for %s', async (verdict) => {
    arrived(1, { verdict });
    expect(await redeliver(0)).toMatchObject({ ok: false, problem: { code: 'invalid_request', at: 'id' } });
    expect(world.memory.jobs).toEqual([]);
  });

  it('does not know what has given way', async () => {
    arrived(1, { ref: MAIN });
    const id = (await list()).items[0]?.id ?? '';
    world.memory.delivered.length = 0;
    const again = await world.operations.deliveries.redeliver(LOCAL, { name, id }, INFO);
    expect(again).toMatchObject({ ok: false, problem: { code: 'not_found' } });
  });

  it('is for whoever manages Git there, and audited', async () => {
    arrived(1, { ref: MAIN });
    const id = (await list()).items[0]?.id ?? '';
    const scope = { project: 'acme', environment: 'unused' };
    const other = await world.person({ name: 'eve', holds: ['git:manage'], key: ['git:manage'], scope });
    for (const refused of [
      await world.operations.deliveries.redeliver(other, { name, id }, INFO),
      await world.operations.deliveries.list(other, { name, limit: 5 }, INFO),
    ])
      expect(refused).toMatchObject({ ok: false, problem: { code: 'permission_denied' } });
    expect(world.memory.jobs).toEqual([]);
    must(await redeliver(0));
    const { items } = must(await world.operations.audit.list(LOCAL, { limit: 5 } as never, INFO));
    expect(JSON.stringify(items)).toContain('delivery.redeliver');
  });
});
