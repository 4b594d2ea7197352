import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { applicationOperations } from '../../../src/pipeline/operations/applications/index.ts';
import type { ApplicationOperations } from '../../../src/ports/api/index.ts';
import { CLEANUP_FINALIZER } from '../../../src/ports/index.ts';
import { codeOf, INFO, keyed, must, type ReleaseApi, releaseApi } from '../../support/release-api.ts';

const file = (name: string): string => `name = "${name}"\n[services.web]\nimage = "nginx:1"\n`;
const PAGE = { limit: 25 };

let api: ReleaseApi;
let operations: ApplicationOperations;
beforeEach(async () => {
  api = await releaseApi();
  operations = applicationOperations(api.deps);
});
const idOf = (name: string): string => api.world.applications.items.get(`acme.production.${name}`)?.spec.id ?? '';

describe('the list of applications', () => {
  it('goes on where the page before ended, whatever came in between', async () => {
    for (const name of ['b', 'd', 'f']) must(await api.deploy(file(name)));
    const first = must(await operations.list(LOCAL, { limit: 2 }, INFO));
    expect(first.items.map(({ name }) => name)).toEqual(['b', 'd']);
    must(await api.deploy(file('a')));
    must(await api.deploy(file('e')));
    const second = must(await operations.list(LOCAL, { limit: 2, cursor: first.next_cursor }, INFO));
    expect(second.items.map(({ name }) => name)).toEqual(['e', 'f']);
    expect(second.next_cursor).toBeUndefined();
  });

  it('takes no cursor of another list', async () => {
    for (const name of ['b', 'd']) must(await api.deploy(file(name)));
    const { next_cursor: cursor } = must(await operations.list(LOCAL, { limit: 1 }, INFO));
    const elsewhere = await operations.list(LOCAL, { limit: 1, cursor, project: 'acme' }, INFO);
    expect(codeOf(elsewhere)).toBe('invalid_request');
  });

  it('shows a key only what it may read, and its own environment unless it asks for another', async () => {
    must(await api.deploy(file('shop')));
    const reader = keyed(['deployments:read'], { project: 'acme', environment: 'production' });
    expect(must(await operations.list(reader, PAGE, INFO)).items).toHaveLength(1);
    const elsewhere = keyed(['deployments:read'], { project: 'acme', environment: 'staging' });
    expect(must(await operations.list(elsewhere, PAGE, INFO)).items).toEqual([]);
    expect(must(await operations.list(elsewhere, { ...PAGE, environment: 'production' }, INFO)).items).toEqual([]);
    const writer = keyed(['secrets:write'], { project: 'acme', environment: 'production' });
    expect(must(await operations.list(writer, PAGE, INFO)).items).toEqual([]);
  });
});

describe('one application', () => {
  it('shows its accepted specification and its releases, newest first', async () => {
    must(await api.deploy(file('shop')));
    must(await api.deploy(`${file('shop')}replicas = 2\n`));
    const shown = must(await operations.show(LOCAL, { id: idOf('shop') }, INFO));
    expect(shown).toMatchObject({ revision: 2, status: 'queued', spec: { services: { web: { replicas: 2 } } } });
    expect(shown.deployments.map(({ revision }) => revision)).toEqual([2, 1]);
    const page = must(await operations.deployments(LOCAL, { id: idOf('shop'), limit: 1 }, INFO));
    const next = must(
      await operations.deployments(LOCAL, { id: idOf('shop'), limit: 1, cursor: page.next_cursor }, INFO),
    );
    expect([...page.items, ...next.items].map(({ revision }) => revision)).toEqual([2, 1]);
    expect(next.next_cursor).toBeUndefined();
  });

  it('is told apart from one there is not', async () => {
    must(await api.deploy(file('shop')));
    const stranger = keyed(['deployments:read'], { project: 'other' });
    expect(codeOf(await operations.show(stranger, { id: idOf('shop') }, INFO))).toBe('permission_denied');
    expect(codeOf(await operations.show(stranger, { id: '9'.repeat(32) }, INFO))).toBe('not_found');
  });
});

describe('removing an application', () => {
  const remove = (change: object = {}, principal = LOCAL) =>
    operations.remove(principal, { id: idOf('shop'), confirm_name: 'shop', expected_revision: 1, ...change }, INFO);

  it('marks it for a worker to take down, on record', async () => {
    must(await api.deploy(file('shop')));
    expect(must(await remove())).toEqual({ status: 'deleted' });
    const left = api.world.applications.items.get('acme.production.shop');
    expect(left).toMatchObject({ deleting: true, finalizers: [CLEANUP_FINALIZER] });
    expect(api.world.jobs.at(-1)).toEqual({ queue: 'reconcile', application: 'acme.production.shop' });
    expect(api.audited.at(-1)).toMatchObject({ action: 'application.delete', resource: { application: 'shop' } });
    expect(codeOf(await api.deploy(file('shop'), { expected: 1 }))).toBe('conflict');
  });

  it.each([
    ['another name', { confirm_name: 'ship' }, 'invalid_request'],
    ['another revision', { expected_revision: 2 }, 'conflict'],
  ])('refuses %s than the one it has', async (_, change, code) => {
    must(await api.deploy(file('shop')));
    expect(codeOf(await remove(change))).toBe(code);
    expect(api.world.applications.items.get('acme.production.shop')?.deleting).toBe(false);
  });

  it('needs the permission to manage applications', async () => {
    must(await api.deploy(file('shop')));
    expect(codeOf(await remove({}, keyed(['deployments:write'])))).toBe('permission_denied');
    expect(codeOf(await remove({}, keyed(['applications:manage'])))).toBe('ok');
  });

  it('is refused while a Git source feeds it', async () => {
    api = await releaseApi({ source: true });
    operations = applicationOperations(api.deps);
    must(await api.deploy(file('shop')));
    expect(codeOf(await remove())).toBe('has_source');
  });
});
