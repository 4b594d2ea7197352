import { afterEach, describe, expect, it } from 'vitest';
import { callApi, endOf, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { finals, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

describe.each(FORGES)('the webhook at %s', (forge) => {
  const name = `${forge}-4711`;

  it('delivers again what was delivered: nothing is said or released twice', async () => {
    world = await startStory(forge);
    const first = await world.push(1, { silent: true });
    expect(await world.deliverPush(first, { id: 'delivery-of-the-first' })).toBe(202);
    expect(await endOf(world, first)).toBe('success: released revision 2');
    const second = await world.push(2);
    expect(await endOf(world, second)).toBe('success: released revision 3');

    type Listed = { readonly id: string; readonly delivery_id?: string; readonly verdict: string };
    const list = async (): Promise<readonly Listed[]> => {
      const page = await callApi(world, 'GET', `/repositories/${name}/deliveries`);
      return (page as { readonly items: readonly Listed[] }).items;
    };
    expect(await world.deliverPush(first, { id: 'delivery-of-the-first' })).toBe(202);
    await until('the duplicate is on record', async () =>
      (await list()).some(({ verdict }) => verdict === 'duplicate'),
    );
    const accepted = (await list()).find(
      (one) => one.delivery_id === 'delivery-of-the-first' && one.verdict === 'accepted',
    );
    await callApi(world, 'POST', `/repositories/${name}/deliveries/${accepted?.id}/redeliver`);
    // The forge's own button, on a day when the marks are gone: a new delivery of an old push.
    expect(await world.deliverPush(first)).toBe(202);
    await world.enqueue({ queue: 'sync', repository: name, ref: 'refs/heads/main' });
    const third = await world.push(3);
    expect(await endOf(world, third)).toBe('success: released revision 4');
    expect(finals(world, second)).toHaveLength(1);
    expectOneWordEach(world, { deploy: [first, second, third] });
  });
});
