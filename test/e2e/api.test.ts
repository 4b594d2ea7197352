import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/redis.ts';
import { serveApi } from '../support/served-api.ts';
import type { World } from '../support/world.ts';

let world: World;
let origin: string;
let admin: string;

beforeAll(async () => {
  ({ world, origin, admin } = await serveApi());
});
afterAll(() => world.stop());

const ask = async (
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
  const { key = admin, body, headers = {} } = options;
  const answer = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const PLACE = { project: 'acme', environment: 'production' };
const SPEC = { name: 'shop', services: { web: { image: 'ghcr.io/acme/shop:1.4', port: 3000 } } };

describe('the API of a server on a cluster', () => {
  it('opens with the first key, and a key it made, until that is revoked', async () => {
    expect(await ask('GET', '/me')).toMatchObject({ status: 200, body: { identity: 'admin', is_admin: true } });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    const wanted = { name: 'ci', permissions: ['deployments:read'], ...PLACE, expires_at };
    const made = await ask('POST', '/keys', { body: wanted });
    expect(made.status).toBe(201);
    const key = String(made.body.key);
    expect(await ask('GET', '/me', { key })).toMatchObject({ status: 200, body: PLACE });
    expect((await ask('GET', '/audit', { key })).status).toBe(403);
    const { id } = made.body.metadata as { readonly id: string };
    expect((await ask('DELETE', `/keys/${id}`)).status).toBe(200);
    await until(async () => (await ask('GET', '/me', { key })).status === 401, 'the key is dead', 1_000);
    expect(world.lines.join('\n')).not.toContain(key);
    expect(world.lines.join('\n')).not.toContain(admin);
  });

  it('accepts one of 50 that deploy with the same expected revision', async () => {
    const deploy = (n: number) =>
      ask('POST', '/deployments', {
        body: { ...PLACE, spec: SPEC, expected_revision: 0 },
        headers: { 'idempotency-key': `client-number-${n}` },
      });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => deploy(n)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([409]));
    expect(refused[0]?.body).toMatchObject({ error: { code: 'conflict' } });
  });

  it('makes one release of 50 requests with the same idempotency key', async () => {
    const same = {
      body: { ...PLACE, spec: SPEC, expected_revision: 1 },
      headers: { 'idempotency-key': 'the-same-key' },
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('POST', '/deployments', same)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set(['acme.production.shop.2']));
    expect(await ask('GET', '/idempotency/the-same-key')).toMatchObject({ status: 200, body: { revision: 2 } });
    const other = { ...same, body: { ...same.body, spec: { ...SPEC, env: { A: 'b' } } } };
    expect((await ask('POST', '/deployments', other)).status).toBe(409);
  });

  it('pages through a list', async () => {
    const first = await ask('GET', `/audit?limit=1`);
    const second = await ask('GET', `/audit?limit=1&cursor=${String(first.body.next_cursor)}`);
    const [a] = first.body.items as { readonly id: string }[];
    const [b] = second.body.items as { readonly id: string }[];
    expect(a?.id).not.toBe(b?.id);
    expect((await ask('GET', `/projects?cursor=${String(first.body.next_cursor)}`)).status).toBe(400);
  });
});
