import { describe, expect, it } from 'vitest';
import { CODES, type Code, problem } from '../../../src/kernel/index.ts';
import { statusOf } from '../../../src/server/api/errors.ts';
import { openApiDocument, ROUTES } from '../../../src/server/api/index.ts';
import { apiWorld, ended } from '../../support/api-world.ts';
import { exampleRequest } from './harness.ts';

const document = openApiDocument('1');
const ID = '3e7a3e5e-5f0a-4c11-9d3b-0d3f6c1f2a77';
const documented = (path: string, method: string): readonly string[] =>
  Object.keys(document.paths[path]?.[method]?.responses ?? {});

describe('the statuses of answers', () => {
  it('of every refusal are in the document', () => {
    const all = new Set(ROUTES.flatMap(({ path, method }) => documented(path, method)));
    const statuses = (Object.keys(CODES) as Code[]).map((code) => String(statusOf(problem(code))));
    expect([...new Set(statuses)].filter((status) => !all.has(status))).toEqual([]);
  });

  it.each(ROUTES.filter(({ also }) => also?.includes(200)).map((route) => [route.id, route] as const))(
    'of %s are in the document, also when it was done already',
    async (_id, route) => {
      const world = await apiWorld();
      const admin = await world.person({ name: 'root', holds: ['admin'], key: ['admin'] });
      const { path, init } = exampleRequest(route);
      // Without an id of their own, requests would not be the same one.
      const body = JSON.stringify({ ...route.example.body, request_id: ID });
      const ask = () => world.api.fetch(new Request(`http://local${path}`, { ...init, body }), admin);
      const first = await ask();
      await ended(world, ID);
      const again = await ask();
      expect([first.status, again.status]).toEqual([202, 200]);
      expect(documented(route.path, route.method)).toEqual(expect.arrayContaining(['200', '202', '422']));
    },
  );
});
