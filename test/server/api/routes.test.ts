import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRoute, type DocumentOperation, openApiDocument, ROUTES } from '../../../src/server/api/index.ts';
import { ADMIN, exampleRequest, keyWith, startApi, type World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await startApi();
});
afterAll(() => world.stop());

const send = (route: ApiRoute, key?: string, body?: unknown): Promise<Response> => {
  const { path, init } = exampleRequest(route, key);
  const content =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { ...init.headers, 'content-type': 'application/json' } };
  return fetch(world.origin + path, { ...init, ...content });
};

/** What anybody with a key may ask. */
const FOR_ALL = [
  ...['getMe', 'listProjects', 'listSettings', 'getKubernetesPatches', 'exchangeKey', 'listRoles'],
  // Its own key; the operation refuses every other one.
  'revokeKey',
];

describe('every route', () => {
  const document = openApiDocument('1');
  const described = new Map<string, { readonly path: string; readonly operation: DocumentOperation }>(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, { path, operation }] as const),
    ),
  );

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (name, route) => {
    const stranger = await send(route);
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer realm="hakopod"');
    expect(await stranger.json()).toMatchObject({ error: { code: 'unauthorized' } });

    const powerless = await send(route, world.login(keyWith(['logs:read'], { project: 'other', environment: 'any' })));
    expect(powerless.status).toBe(FOR_ALL.includes(route.id) ? route.status : 403);
    if (powerless.status === 403) expect(await powerless.json()).toMatchObject({ error: { code: 'forbidden' } });

    const admin = world.login(ADMIN);
    if (route.method !== 'get') {
      const secret = 'hunter2-hunter2';
      const strange = await send(route, admin, { ...route.example.body, stange_field: secret });
      expect(strange.status).toBe(400);
      const text = await strange.text();
      expect(JSON.parse(text)).toMatchObject({
        error: {
          code: 'invalid_request',
          message: 'stange_field: there is no such field',
          details: { at: 'stange_field' },
        },
      });
      expect(text).not.toContain(secret);
    }
    const { path, init } = exampleRequest(route, admin);
    const strange = await fetch(`${world.origin}${path}${path.includes('?') ? '&' : '?'}stange=1`, init);
    expect(strange.status).toBe(400);
    expect(await strange.json()).toMatchObject({ error: { details: { at: 'query.stange' } } });

    const calls = world.calls.length;
    const answer = await send(route, admin);
    expect([answer.status, await answer.clone().text()]).toEqual([route.status, expect.anything()]);
    expect(world.calls.length).toBe(calls + 1);
    expect(world.logged).toEqual([]);
    expect(described.get(name)?.operation).toMatchObject({ operationId: route.id, summary: route.summary });
    expect(Object.keys(described.get(name)?.operation.responses ?? {})).toContain(String(route.status));
  });

  it('of the document is one of ours, and its example is the one that ran', () => {
    const ids = [...described.values()].map(({ operation }) => operation.operationId);
    expect(ids.sort()).toEqual([...ROUTES.map(({ id }) => id), 'followDeployment'].sort());
    for (const route of ROUTES) {
      const operation = described.get(`${route.method} ${route.path}`)?.operation;
      expect(operation?.requestBody?.content['application/json']?.example).toEqual(route.example.body);
      const shown = Object.fromEntries(
        (operation?.parameters ?? []).map(({ name, example }) => [name, String(example)]),
      );
      expect(shown).toMatchObject({ ...route.example.params, ...route.example.query });
    }
  });

  it('that makes a release needs an idempotency key of 8 to 128 characters', async () => {
    const keyed = ROUTES.filter((route) => route.keyed);
    expect(keyed.map(({ id }) => id)).toEqual([
      'createDeployment',
      'resumeDeployment',
      'rollback',
      'restartService',
      'scaleService',
      'stopService',
      'resumeService',
    ]);
    const admin = world.login(ADMIN);
    for (const route of keyed) {
      const { path, init } = exampleRequest(route, admin);
      const without = new Headers(init.headers);
      without.delete('idempotency-key');
      for (const key of [undefined, 'x'.repeat(7), 'x'.repeat(129), 'has space']) {
        const headers = new Headers(without);
        if (key !== undefined) headers.set('idempotency-key', key);
        const answer = await fetch(world.origin + path, { ...init, headers });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: { details: { at: 'Idempotency-Key' } } });
      }
      expect(
        (await fetch(world.origin + path, { ...init, headers: { ...init.headers, 'idempotency-key': 'x'.repeat(8) } }))
          .status,
      ).toBe(202);
      expect(world.calls.at(-1)?.input.idempotency_key).toBe('x'.repeat(8));
    }
  });

  it('gives path, query and body to its operation as one', async () => {
    const replace = ROUTES.find(({ id }) => id === 'replaceSecret') as ApiRoute;
    await send(replace, world.login(ADMIN));
    expect(world.calls.at(-1)).toEqual({
      name: 'secrets.replace',
      origin: 'api',
      input: {
        name: 'database-url',
        project: 'acme',
        environment: 'production',
        application: 'shop',
        value: 'postgres://db.example.com/shop',
      },
    });
  });
});
