import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveApi } from '../support/served-api.ts';
import { until, type World } from '../support/world.ts';

let world: World;
let origin: string;
let admin: string;

// A server as it runs in production, and a worker beside it that carries out what it accepts.
beforeAll(async () => {
  ({ world, origin, admin } = await serveApi());
  await world.serve({ roles: ['worker'] });
});
afterAll(() => world.stop());

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

async function ask(
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: unknown; readonly idempotency?: string } = {},
): Promise<Answer> {
  const { key = admin, body, idempotency } = options;
  const answer = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotency === undefined ? {} : { 'idempotency-key': idempotency }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}
const PLACE = { project: 'acme', environment: 'production' };
const CLIENTS = Array.from({ length: 50 }, (_, n) => n);
const shop = (version: number) => ({
  name: 'shop',
  services: { web: { image: `${world.registry.host}/shop/web:2.0`, port: 3000, env: { VERSION: String(version) } } },
});

/** Waits until a worker has ended the release; answers it. */
function ended(id: string): Promise<Answer['body']> {
  return until(`${id} has ended`, async () => {
    const { body } = await ask('GET', `/deployments/${id}`);
    return body.finished_at === undefined ? undefined : body;
  });
}

describe('50 clients at once, while a worker carries out what is accepted', () => {
  it('that deploy with one expected revision: one is accepted and runs, the others are told of the conflict', async () => {
    for (const revision of [0, 1]) {
      const answers = await Promise.all(
        CLIENTS.map((n) =>
          ask('POST', '/deployments', {
            // Each wants something else, so that what runs tells who won.
            body: { ...PLACE, spec: shop(revision * 100 + n), expected_revision: revision },
            idempotency: `client-${revision}-${n}`,
          }),
        ),
      );
      const won = CLIENTS.filter((n) => answers[n]?.status === 202);
      expect(won).toHaveLength(1);
      const lost = answers.filter(({ status }) => status !== 202);
      expect(new Set(lost.map(({ status, body }) => `${status} ${(body.error as { code: string }).code}`))).toEqual(
        new Set(['409 conflict']),
      );
      const id = `acme.production.shop.${revision + 1}`;
      expect(answers[won[0]!]?.body).toMatchObject({ id, revision: revision + 1 });
      expect(await ended(id)).toMatchObject({ status: 'succeeded' });
      const [deployment] = world.cluster.objects().filter(({ kind }) => kind === 'Deployment');
      expect(JSON.stringify(deployment?.spec)).toContain(`"value":"${revision * 100 + won[0]!}"`);
    }
  });

  it('that use one idempotency key: one release, which every one of them is told of, also after it ended', async () => {
    const body = { ...PLACE, spec: shop(500), expected_revision: 2 };
    const same = () => ask('POST', '/deployments', { body, idempotency: 'the-very-same-key' });
    const answers = await Promise.all(CLIENTS.map(same));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.id)}`))).toEqual(
      new Set(['202 acme.production.shop.3']),
    );
    expect(await ended('acme.production.shop.3')).toMatchObject({ status: 'succeeded' });
    expect(await same()).toMatchObject({ status: 202, body: { id: 'acme.production.shop.3' } });
    const releases = await world.store.releases.ofApplication('acme.production.shop');
    expect(releases.ok && releases.value.map(({ spec }) => spec.revision)).toEqual([3, 2, 1]);
  });
});

/** A key of the environment for half an hour; answers it and its id. */
async function makeKey(name: string): Promise<{ readonly key: string; readonly id: string }> {
  const expires_at = new Date(Date.now() + 1_800_000).toISOString().replace(/\.\d+/, '');
  const permissions = ['deployments:read', 'deployments:write'];
  const made = await ask('POST', '/keys', { body: { name, permissions, ...PLACE, expires_at } });
  const key = String(made.body.key);
  await until('the key opens', async () => (await ask('GET', '/me', { key })).status === 200);
  return { key, id: (made.body.metadata as { readonly id: string }).id };
}

it('a key ends itself, and none that is not its own', async () => {
  const [one, other] = [await makeKey('one'), await makeKey('other')];
  expect((await ask('DELETE', `/keys/${other.id}`, { key: one.key })).status).toBe(403);
  expect((await ask('DELETE', `/keys/${one.id}`, { key: one.key })).status).toBe(200);
  await until('the key is dead', async () => (await ask('GET', '/me', { key: one.key })).status === 401);
  expect((await ask('GET', '/me', { key: other.key })).status).toBe(200);
});

/**
 * Far from the job's own deadline, and far enough from the two seconds a release may go on, which `guard.test.ts` holds it to: here a whole
 * server, a worker and 50 clients share the machine.
 */
const LIMIT_MS = 6000;

it('a key revoked by one process ends the release it asked for, which another carries out, at once', async () => {
  world.cluster.setBehaviour({ migrate: { kind: 'hang' } });
  const { key, id: keyId } = await makeKey('ci');
  const spec = { name: 'import', services: { migrate: { image: `${world.registry.host}/shop/web:2.0`, job: {} } } };
  const body = { ...PLACE, spec, expected_revision: 0 };
  const accepted = await ask('POST', '/deployments', { key, body, idempotency: 'of-the-revoked-key' });
  expect(accepted).toMatchObject({ status: 202, body: { id: 'acme.production.import.1' } });
  await until('the job runs', () =>
    world.cluster.objects().some((object) => object.kind === 'Pod' && object.metadata.name.includes('migrate')),
  );
  expect((await ask('GET', '/deployments/acme.production.import.1')).body.status).toBe('running');

  const began = Date.now();
  expect((await ask('DELETE', `/keys/${keyId}`)).status).toBe(200);
  const release = await ended('acme.production.import.1');
  expect(release).toMatchObject({ status: 'cancelled', error_code: 'authority_revoked' });
  const tookMs = Date.parse(String(release.finished_at)) - began;
  console.log(`cancelled ${tookMs} ms after the revocation was asked for`);
  expect(tookMs).toBeLessThan(LIMIT_MS);
  expect((await ask('GET', '/me', { key })).status).toBe(401);
  const trail = (await ask('GET', '/audit?limit=5')).body.items as readonly object[];
  expect(trail).toContainEqual(expect.objectContaining({ action: 'key.revoke' }));
});
