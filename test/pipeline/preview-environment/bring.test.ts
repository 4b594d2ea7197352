import { beforeEach, describe, expect, it } from 'vitest';
import type { RepoPath } from '../../../src/kernel/index.ts';
import { unpackSpec } from '../../../src/pipeline/release-body.ts';
import { MAIN, SHA, SOURCE } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld, fileOf } from '../../support/preview-environment.ts';

let world: EnvironmentWorld;

beforeEach(async () => {
  world = await environmentWorld();
});

describe('an environment', () => {
  it('is an application of its own, with a release of the head, and leaves its source alone', async () => {
    const before = structuredClone(world.sources.items.get(SOURCE));
    await world.look();
    const [application, ...others] = world.previews();
    expect(others).toEqual([]);
    expect(application?.spec.name).toMatch(/^preview-[0-9a-f]{32}$/);
    expect(application?.name).toBe(`acme.production.${application?.spec.name}`);
    expect(application?.spec).toMatchObject({
      ...{ project: 'acme', environment: 'production' },
      preview: {
        ...{ source: SOURCE, sourceUid: `uid-${SOURCE}`, repository: 'github-1', number: 7, parent: SOURCE },
        ...{ branch: 'refs/heads/change', expiresAt: '2026-06-01T02:00:00.000Z' },
      },
    });
    expect(application?.spec.id).not.toBe(world.applications.items.get(SOURCE)?.spec.id);
    expect(application?.status).toMatchObject({ acceptedRevision: 1, gitRevision: 1, phase: 'queued' });
    const [release] = world.carried();
    expect(release?.spec.origin).toMatchObject({ kind: 'preview', plan: `${SOURCE}.7`, commit: SHA(2), ref: MAIN });
    expect(release?.spec.origin.source).toBeUndefined();
    const spec = unpackSpec(release?.spec.spec ?? '');
    expect(spec.ok && spec.value.name).toBe(application?.spec.name);
    expect(world.sources.items.get(SOURCE)).toEqual(before);
    expect(world.jobs).toContainEqual({ queue: 'reconcile', application: application?.name });
    expect(world.environment()).toMatchObject({ state: 'deploying', commit: SHA(2), revision: 1 });
    expect(world.told()).toContain(
      `commit ${SHA(2)} is being deployed; it goes with its volumes on 2026-06-01 at 02:00 UTC`,
    );
    expect(world.told()).not.toContain('Nothing was built or applied');
  });

  it('is not there unless the source asks for it', async () => {
    await world.want(undefined);
    await world.look();
    expect(world.previews()).toEqual([]);
    expect(world.plan()?.status).toMatchObject({ outcome: 'planned' });
    expect(world.environment()).toBeUndefined();
    expect(world.told()).toContain('Nothing was built or applied');
  });

  it('is never a fork’s, and goes when the request becomes one', async () => {
    world.show(2, { fork: true });
    await world.look();
    expect(world.previews()).toEqual([]);
    expect(world.carried()).toEqual([]);
    expect(world.environment()).toBeUndefined();
    world.show(2);
    await world.look();
    expect(world.previews()).toHaveLength(1);
    world.show(3, { fork: true });
    await world.look();
    expect(world.previews()[0]?.deleting).toBe(true);
    expect(world.carried()).toHaveLength(1);
  });

  it('tells its addresses when it is ready, once', async () => {
    await world.look();
    await world.end('succeeded');
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'ready', url: 'https://web-7.apps.example.test', revision: 1 });
    expect(world.told()).toContain(`commit ${SHA(2)} is deployed at <https://web-7.apps.example.test>; it goes`);
    const comments = world.comments.length;
    await world.look();
    await world.look();
    expect(world.comments).toHaveLength(comments);
    expect(world.carried()).toHaveLength(1);
  });

  it('says why the head could not be deployed, and tries again when a person asks', async () => {
    await world.look();
    await world.end('failed');
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'failed', code: 'rollout_failed' });
    expect(world.told()).toContain('services.web: a pod crashed (rollout_failed)');
    await world.look();
    expect(world.carried()).toHaveLength(1);
    world.remarks.set('1', { body: 'hakopod plan', author: 'ada', mayWrite: true });
    world.commented = [{ commit: '1', at: world.now.toISOString() }];
    await world.look();
    expect(world.carried()).toHaveLength(2);
    expect(world.environment()).toMatchObject({ state: 'deploying', commit: SHA(2), revision: 2 });
    await world.look();
    expect(world.carried()).toHaveLength(2);
  });

  it('follows the head, whose deployment moves its end on, and keeps place and id', async () => {
    await world.look();
    const [first] = world.previews();
    world.later(1);
    world.show(3);
    await world.look();
    const [second, ...others] = world.previews();
    expect(others).toEqual([]);
    expect(second?.spec.id).toBe(first?.spec.id);
    expect(second?.spec.preview?.expiresAt).toBe('2026-06-01T03:00:00.000Z');
    expect(world.carried().map(({ spec }) => spec.origin.commit)).toEqual([SHA(2), SHA(3)]);
    expect(second?.status.gitRevision).toBe(2);
    world.later(1);
    await world.look();
    expect(world.previews()[0]?.spec.preview?.expiresAt).toBe('2026-06-01T03:00:00.000Z');
    world.show(2);
    await world.look();
    expect(world.carried().map(({ spec }) => spec.origin.commit)).toEqual([SHA(2), SHA(3), SHA(2)]);
  });

  it('is there for a commit that changes only what is built, when the source builds', async () => {
    world.changed = new Set(['web' as RepoPath]);
    await world.look();
    expect(world.plan()?.status.outcome).toBe('untouched');
    expect(world.previews()).toEqual([]);
    await world.sources.updateStatus(SOURCE, ({ status }) => ({ ...status, watched: ['web'] }));
    await world.look();
    expect(world.plan()?.status.outcome).toBe('planned');
    expect(world.previews()).toHaveLength(1);
  });

  it('is there for every commit when the whole repository is built', async () => {
    world.changed = new Set(['other' as RepoPath]);
    await world.sources.updateStatus(SOURCE, ({ status }) => ({ ...status, watched: ['.'] }));
    await world.look();
    expect(world.previews()).toHaveLength(1);
  });

  it('stays with the last head that could be released when the next can not', async () => {
    await world.look();
    await world.end('succeeded');
    world.show(3, { text: 'name = "shop"\nnonsense = 1\n' });
    await world.look();
    expect(world.plan()?.status.outcome).toBe('refused');
    expect(world.environment()).toMatchObject({ state: 'ready', commit: SHA(2) });
    expect(world.told()).toContain(`commit ${SHA(2)} is deployed at`);
    expect(world.carried()).toHaveLength(1);
  });
});

describe('what a preview may not be', () => {
  it.each([
    ['replicas = 2', 'services.web.replicas: must be at most 1 in a preview'],
    ['size = "medium"', 'services.web.size: must be small in a preview'],
    ['kubernetes = { deployment = "spec: {}" }', 'kubernetes_patch_refused'],
  ])('is refused with the field, and the plan stands: %s', async (line, said) => {
    world.show(2, { text: fileOf('2', `${line}\n`) });
    const isPatch = line.startsWith('kubernetes');
    await world.look();
    expect(world.previews()).toEqual([]);
    if (isPatch) return expect(world.plan()?.status.code).toBe(said);
    expect(world.plan()?.status.outcome).toBe('planned');
    expect(world.environment()).toMatchObject({ state: 'refused', commit: SHA(2), code: 'invalid_spec' });
    expect(world.told()).toContain(said);
    const comments = world.comments.length;
    await world.look();
    expect(world.comments).toHaveLength(comments);
  });

  it('is what the grant would not deploy', async () => {
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, permissions: ['deployments:read'] } },
    }));
    await world.look();
    expect(world.plan()?.status.outcome).toBe('planned');
    expect(world.previews()).toEqual([]);
    expect(world.environment()).toMatchObject({ state: 'refused', code: 'grant_refused' });
    expect(world.told()).toContain('grant.permissions: the grant lacks deployments:write');
  });

  it('is an application that somebody made under its name', async () => {
    await world.look();
    const [{ name, spec } = { name: '', spec: undefined }] = world.previews();
    await world.takeDown(name);
    world.applications.items.delete(name);
    world.plans.items.clear();
    const { project = '', environment = '', name: slug = '' } = spec ?? {};
    await world.applications.create({ name, spec: { id: 'f'.repeat(32), project, environment, name: slug } });
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'refused', code: 'already_exists' });
    expect(world.applications.items.get(name)?.spec.id).toBe('f'.repeat(32));
    expect(world.carried()).toEqual([]);
  });
});
