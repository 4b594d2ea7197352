import { expect, it } from 'vitest';
import { complaintsAgainst } from './github-rest.ts';

const HOOKS = ['repos', 'acme', 'shop', 'hooks'];
const query = new URLSearchParams();

it('lets pass what GitHub describes', () => {
  const body = { name: 'web', active: true, events: ['push'], config: { url: 'https://h', content_type: 'json' } };
  expect(complaintsAgainst({ method: 'POST', segments: HOOKS, query, body })).toEqual([]);
  const paged = new URLSearchParams('per_page=20');
  const deliveries = [...HOOKS, '7', 'deliveries'];
  expect(complaintsAgainst({ method: 'GET', segments: deliveries, query: paged, body: undefined })).toEqual([]);
});

it('names what GitHub does not know or takes otherwise', () => {
  const call = { method: 'POST', segments: HOOKS, query };
  expect(complaintsAgainst({ ...call, body: { events: 'push' } })).toHaveLength(1);
  expect(complaintsAgainst({ ...call, body: { config: { secrets: 'x' } } })).toEqual([
    'POST /repos/{owner}/{repo}/hooks.config.secrets: unknown',
  ]);
  expect(complaintsAgainst({ ...call, method: 'PUT', body: {} })).toHaveLength(1);
  const letters = [...HOOKS, 'seven', 'pings'];
  expect(complaintsAgainst({ ...call, segments: letters, body: undefined })).toHaveLength(1);
  const unknown = new URLSearchParams('pageSize=2');
  expect(complaintsAgainst({ method: 'GET', segments: HOOKS, query: unknown, body: undefined })).toHaveLength(1);
});
