import { describe, expect, it } from 'vitest';
import { projectOperations } from '../../../../src/pipeline/operations/environments/index.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

async function withProjects() {
  const world = await operationsWorld();
  world.world.applications.items.clear();
  world.world.sources.items.clear();
  const projects = projectOperations(world.deps);
  const create = (name: string, change: object = {}) =>
    projects.create(ADMIN, { name, environment: 'production', ...change }, INFO);
  return { ...world, projects, create };
}

describe('projects', () => {
  it('are made with an environment, and again without a complaint when nothing else is said', async () => {
    const { create, actions } = await withProjects();
    const made = must(await create('acme', { display_name: 'Acme', description: 'all of it' }));
    expect(made).toMatchObject({
      ...{ id: 'acme', name: 'acme', display_name: 'Acme', description: 'all of it', metadata_revision: 1 },
      environments: [{ name: 'production' }],
    });
    expect(must(await create('acme'))).toEqual(made);
    expect(must(await create('acme', { environment: 'staging' })).environments).toHaveLength(2);
    expect(codeOf(await create('acme', { display_name: 'Acme' }))).toBe('project_exists name');
    expect(codeOf(await create('acme', { description: '' }))).toBe('project_exists name');
    expect(actions()).toEqual(['project.create', 'environment.create']);
  });

  it('have as many environments as is configured, also when they are added at once', async () => {
    const { create, projects, deps } = await withProjects();
    must(await create('acme'));
    const add = (name: string) => projects.addEnvironment(ADMIN, { project: 'acme', name }, INFO);
    const all = await Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(all.map(codeOf).sort()).toEqual(['environment_limit', 'environment_limit', 'ok', 'ok']);
    expect(deps.projects.cached('acme')?.spec.environments).toHaveLength(3);
    expect(codeOf(await add('production'))).toBe('ok');
    expect(codeOf(await create('acme', { environment: 'e' }))).toBe('environment_limit');
    expect(codeOf(await projects.addEnvironment(ADMIN, { project: 'none', name: 'a' }, INFO))).toBe('not_found');
  });

  it('show to each principal what it reaches', async () => {
    const { create, projects, deps, as } = await withProjects();
    for (const name of ['acme', 'beta', 'gamma']) must(await create(name));
    must(await create('acme', { environment: 'staging' }));
    const { raw } = await addPerson(deps, {
      name: 'dev',
      roles: [{ project: 'acme', role: 'viewer' }],
      key: ['deployments:read'],
      scope: { project: 'acme', environment: 'staging' },
    });
    const seen = must(await projects.list(await as(raw), { limit: 10 }, INFO)).items;
    expect(seen.map(({ name, environments }) => [name, environments.map((one) => one.name)])).toEqual([
      ['acme', ['staging']],
    ]);
    const page = must(await projects.list(ADMIN, { limit: 2 }, INFO));
    expect(page.items.map(({ name }) => name)).toEqual(['acme', 'beta']);
    const rest = must(await projects.list(ADMIN, { limit: 2, cursor: page.next_cursor }, INFO));
    expect(rest.items.map(({ name }) => name)).toEqual(['gamma']);
  });

  it('and environments go when they are empty and the name is typed again', async () => {
    const { create, projects, world, deps, actions } = await withProjects();
    must(await create('acme'));
    const place = { project: 'acme', environment: 'production' };
    const removeEnvironment = (confirmed: string) =>
      projects.removeEnvironment(ADMIN, { ...place, confirm_name: confirmed }, INFO);
    const remove = (confirmed: string) => projects.remove(ADMIN, { project: 'acme', confirm_name: confirmed }, INFO);
    expect(codeOf(await removeEnvironment('acme'))).toBe('invalid_request confirm_name');
    expect(codeOf(await remove('production'))).toBe('invalid_request confirm_name');

    const spec = { id: '1'.repeat(32), ...place, name: 'shop' };
    await world.applications.create({ name: 'acme.production.shop', spec });
    expect([codeOf(await removeEnvironment('production')), codeOf(await remove('acme'))]).toEqual([
      'not_empty',
      'not_empty',
    ]);
    world.applications.items.clear();
    must(await deps.registries.create(place, 'main', { server: 'ghcr.io', username: 'u', password: 'p' }));
    expect(codeOf(await remove('acme'))).toBe('not_empty');
    await deps.registries.remove(place, 'main');

    must(await removeEnvironment('production'));
    expect(codeOf(await removeEnvironment('production'))).toBe('not_found');
    must(await remove('acme'));
    expect(codeOf(await remove('acme'))).toBe('not_found');
    expect(actions()).toEqual(['project.create', 'environment.delete', 'project.delete']);
  });

  it('are changed by administrators alone', async () => {
    const { create, projects, deps, as } = await withProjects();
    must(await create('acme'));
    const { raw } = await addPerson(deps, {
      name: 'lead',
      roles: [{ project: 'acme', role: 'project-admin' }],
      key: ['deployments:write', 'applications:manage'],
    });
    const lead = await as(raw);
    for (const answer of [
      await projects.create(lead, { name: 'x', environment: 'y' }, INFO),
      await projects.addEnvironment(lead, { project: 'acme', name: 'y' }, INFO),
      await projects.remove(lead, { project: 'acme', confirm_name: 'acme' }, INFO),
      await projects.removeEnvironment(
        lead,
        { project: 'acme', environment: 'production', confirm_name: 'production' },
        INFO,
      ),
    ])
      expect(codeOf(answer)).toBe('permission_denied');
  });
});
