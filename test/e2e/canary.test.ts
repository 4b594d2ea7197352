import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
import { deliverPullRequest } from '../../src/demo/webhook.ts';
import { deliver, finalOf, startWorld, until, type World } from '../support/world.ts';

const CANARY = 'canary-7f3a9b1c5d-value';
/** The same in an env file of the repository. */
const ENV_CANARY = 'canary-e2b8d04f6a-value';
const TOKEN = 'forge-token-0123456789';

/** Everything Redis holds, as one text. */
async function dumpRedis(url: string): Promise<string> {
  const client = new Redis(url);
  const texts: string[] = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    if (type === 'string') texts.push(key, (await client.get(key)) ?? '');
    if (type === 'hash') texts.push(key, JSON.stringify(await client.hgetall(key)));
    if (type === 'list') texts.push(key, JSON.stringify(await client.lrange(key, 0, -1)));
    if (type === 'set') texts.push(key, JSON.stringify(await client.smembers(key)));
    if (type === 'zset') texts.push(key, JSON.stringify(await client.zrange(key, 0, '-1', 'WITHSCORES')));
    if (type === 'stream') texts.push(key, JSON.stringify(await client.call('XRANGE', key, '-', '+')));
  }
  client.disconnect();
  return texts.join('\n');
}

/** Shows a pull request at the Git server and the forge. */
async function pullRequest(
  world: World,
  number: number,
  { text, fork = false }: { readonly text: string; readonly fork?: boolean },
): Promise<{ readonly number: number; readonly head: string }> {
  const refs = [`refs/pull/${number}/head`];
  const head = await world.tree.propose({ onto: 'main', refs, path: 'hakopod.toml', text, message: `pull ${number}` });
  world.forge.putPull({
    ...{ forge: 'github', project: 'acme/shop', repositoryId: 4711, number, state: 'open', head },
    ...{ branch: 'change', base: 'main', fork },
  });
  return { number, head };
}

it('a secret value appears nowhere but in Secrets', async () => {
  const world = await startWorld();
  try {
    const serving = await world.serve({ logLevel: 'debug' });
    await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], `${CANARY}\n`);
    const bound = await world.bind();
    const hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
    const push = async (text: string): Promise<void> => {
      const commit = await world.tree.push('hakopod.toml', text, 'push');
      expect((await deliver(hook, { commit })).status).toBe(202);
      await finalOf(world, commit);
    };
    const good = shopFile({ registry: world.registry.host, build: 1, patch: false });
    await push(good);
    // An env file's secret is read from Git, stored and released; then one that can not be read.
    const withEnvFile = `env_file = "shop.env"\n${good}`;
    await world.tree.push('shop.env', `GREETING=hello\nMAIL_TOKEN=${ENV_CANARY}\n`, 'env file');
    await push(withEnvFile);
    const released = (await world.store.releases.ofApplication('acme.production.shop')) as {
      value: readonly unknown[];
    };
    expect(released.value).toHaveLength(2);
    await world.tree.push('shop.env', `MAIL_TOKEN=${ENV_CANARY}\n${ENV_CANARY} ${ENV_CANARY}\n`, 'broken env file');
    await push(`# again\n${withEnvFile}`);
    await world.tree.push('shop.env', `MAIL_TOKEN=${ENV_CANARY}\nAPI_TOKEN=${ENV_CANARY}-2\n`, 'env file');
    // Each of these fails in another place, with the value close to the fault.
    await push(good.replace('LOG_LEVEL = "info"', `DATABASE_PASSWORD_COPY_TOKEN = "${CANARY}"`));
    await push(`${good}\n[services.web.env2]\nX = "${CANARY}"\n`);
    await push(good.replace('shop/api:1.4', `shop/missing:9`));
    world.cluster.setBehaviour({ migrate: { kind: 'fail', reason: 'Error', exitCode: 1 } });
    await push(shopFile({ registry: world.registry.host, build: 2, patch: false }));

    // A pull request of the branch itself, which looks secrets up, a fork's, and one that fails with the value close to the fault.
    const heads = [
      await pullRequest(world, 7, { text: shopFile({ registry: world.registry.host, build: 3, patch: false }) }),
      await pullRequest(world, 8, { text: good.replace('LOG_LEVEL = "info"', `A_TOKEN = "${CANARY}"`), fork: true }),
      await pullRequest(world, 10, { text: withEnvFile }),
      await pullRequest(world, 11, { text: withEnvFile, fork: true }),
      await pullRequest(world, 9, { text: `${good}\n[services.web.env2]\nX = "${CANARY}"\n` }),
    ];
    for (const { number, head } of heads) {
      const path = { ...hook, repositoryId: 4711, fullName: 'acme/shop' };
      expect(await deliverPullRequest(path, { number, head, action: 'opened', delivery: `canary-${number}` })).toBe(
        202,
      );
      await until(`request ${number} is commented on`, () =>
        world.forge.comments().some((one) => one.number === number),
      );
    }

    const answers: string[] = [];
    for (const path of ['/healthz', '/readyz', '/metrics', '/']) {
      for (const port of [serving.port, serving.adminPort ?? serving.port]) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`);
        answers.push(JSON.stringify([...answer.headers]), await answer.text());
      }
    }
    for (const args of [
      ['status'],
      ['status', 'acme/production/shop', '--output', 'json'],
      ['sources', 'list', '--output', 'json'],
      ['sources', 'show', 'shop', '--output', 'json'],
      ['secrets', 'list', '--app', 'acme/production/shop', '--output', 'json'],
    ])
      await world.cli(args);

    const others = world.cluster.objects().filter((object) => object.kind !== 'Secret');
    const secrets = world.cluster.objects().filter((object) => object.kind === 'Secret');
    const encoded = [CANARY, ENV_CANARY, TOKEN, bound.secret].flatMap((value) => [
      value,
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ]);
    const places = {
      logs: world.lines.join('\n'),
      statuses: JSON.stringify(world.forge.statuses()),
      comments: JSON.stringify(world.forge.comments()),
      objects: JSON.stringify(others),
      redis: await dumpRedis(world.redis.url),
      answers: answers.join('\n'),
    };
    // The search itself works: the Secrets hold it, and the other places are not empty.
    for (const value of [CANARY, ENV_CANARY])
      expect(JSON.stringify(secrets)).toContain(Buffer.from(value).toString('base64').replace(/=+$/, ''));
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(100);
      // A secret that somebody wrote into a public tag or plain value of the file is theirs; here only refused files carry one.
      for (const value of encoded)
        expect(text.includes(value) ? `${place} holds ${value.slice(0, 6)}` : 'clean').toBe('clean');
    }
  } finally {
    await world.stop();
  }
}, 90_000);
