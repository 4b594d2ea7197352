import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedHook } from '../../src/demo/forge-hooks.ts';
import { freePort } from '../../src/demo/free-port.ts';
import { Webhook, WebhookInstalled, WebhookRotated, WebhookTested } from '../../src/ports/api/index.ts';
import { callApi, endOf, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

const INTERVAL = 600;
const MINUTE_MS = 60_000;

describe.each(FORGES)('the webhook at %s', (forge) => {
  const name = `${forge}-4711`;

  beforeEach(async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    world = await startStory(forge, {
      settings: { HAKOPOD_LISTEN: `127.0.0.1:${port}`, HAKOPOD_PUBLIC_URL: url },
    });
  });

  const at = (what = ''): string => `/repositories/${name}/webhook${what}`;
  const show = async (): Promise<Webhook> => Webhook.parse(await callApi(world, 'GET', at()));
  const atForge = (): RecordedHook | undefined =>
    world.forge.hooks.of(forge, forge === 'github' ? 'acme/shop' : '4711')[0];
  const poll = (): Promise<void> => world.enqueue({ queue: 'poll', repository: name });
  const health = (): string | undefined => world.store.repositories.cached(name)?.status.webhook?.health;

  it('is installed, removed by somebody and missed, and mended; what it does not tell is found', async () => {
    expect(WebhookInstalled.parse(await callApi(world, 'POST', at('/install'))).created).toBe(true);
    const tested = WebhookTested.parse(await callApi(world, 'POST', at('/test')));
    expect([tested.arrived, tested.webhook.forge]).toMatchObject([true, { health: 'healthy', faults: [] }]);

    world.forge.hooks.remove(atForge()?.id ?? 0);
    world.later(16 * MINUTE_MS);
    await poll();
    await until('the hook is missed', () => health() === 'dead');
    const gone = await show();
    expect(gone.forge.faults).toEqual(['missing']);
    expect(gone.poll_seconds).toBeLessThan(INTERVAL);
    expect(await world.must('sources', 'webhook', 'show', 'acme/production/shop')).toContain('missing:');

    const untold = await world.push(1, { silent: true });
    await poll();
    expect(await endOf(world, untold)).toBe('success: released revision 2');

    expect(WebhookInstalled.parse(await callApi(world, 'POST', at('/install'))).created).toBe(true);
    const again = WebhookTested.parse(await callApi(world, 'POST', at('/test')));
    expect(again.webhook).toMatchObject({ forge: { health: 'healthy', faults: [] }, poll_seconds: INTERVAL });
    expectOneWordEach(world, { deploy: [untold] });
  });

  it('is rotated while it delivers: nothing is refused, and the old secret ends once the new one is used', async () => {
    await callApi(world, 'POST', at('/install'));
    const old = atForge()?.secret ?? '';
    const answers: number[] = [];
    const commit = await world.push(1, { silent: true });
    let isOver = false;
    const deliveries = (async () => {
      // As the forge does: with the secret it has at that moment.
      while (!isOver) {
        world.proveWith(atForge()?.secret ?? '');
        answers.push(await world.deliverPush(commit));
      }
    })();
    await until('some were delivered', () => answers.length > 3);
    const rotated = WebhookRotated.parse(await callApi(world, 'POST', at('/rotate')));
    expect(rotated).toMatchObject({ forge_updated: true, webhook_secret: atForge()?.secret });
    const before = answers.length;
    await until('more were delivered', () => answers.length > before + 3);
    isOver = true;
    await deliveries;
    expect(new Set(answers)).toEqual(new Set([202]));
    expect((await show()).rotating_since).toBeDefined();
    world.proveWith(old);
    expect(await world.deliverPush(commit)).toBe(202);

    world.later(10_000);
    world.proveWith(rotated.webhook_secret);
    expect(await world.deliverPush(commit)).toBe(202);
    await poll();
    await until('the rotation is over', async () => (await show()).rotating_since === undefined);
    world.proveWith(old);
    await until('the old secret proves nothing', async () => (await world.deliverPush(commit)) === 401);
    world.proveWith(rotated.webhook_secret);
    expect(await world.deliverPush(commit)).toBe(202);
    expect(await endOf(world, commit)).toBe('success: released revision 2');
    expectOneWordEach(world, { deploy: [commit] });
    expect(world.lines.some((line) => line.includes(old) || line.includes(rotated.webhook_secret))).toBe(false);
  });
});
