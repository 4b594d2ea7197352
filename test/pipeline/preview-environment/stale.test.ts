import { beforeEach, describe, expect, it } from 'vitest';
import { ok } from '../../../src/kernel/index.ts';
import { packSpec } from '../../../src/pipeline/release-body.ts';
import { parseSpec } from '../../../src/spec/index.ts';
import { SHA, SOURCE } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld, fileOf } from '../../support/preview-environment.ts';

let world: EnvironmentWorld;

beforeEach(async () => {
  world = await environmentWorld();
});

/** Runs once, right before the last look at what the acceptance depends on. */
function beforeAcceptance(happens: () => Promise<unknown>): void {
  let isOver = false;
  Object.assign(world.deps.secrets, {
    addImported: async () => {
      if (!isOver) {
        isOver = true;
        await happens();
      }
      return ok(undefined);
    },
  });
}

describe('a head is not accepted', () => {
  it('for a source that wants no environments since it was judged', async () => {
    beforeAcceptance(() => world.want(undefined));
    await world.look();
    expect(world.carried()).toEqual([]);
    expect(world.previews().map(({ deleting }) => deleting)).toEqual([true]);
    expect(world.environment()).toBeUndefined();
  });

  it('under a grant that was narrowed since', async () => {
    beforeAcceptance(() =>
      world.sources.update(SOURCE, ({ spec }) => ({
        spec: { ...spec, grant: { ...spec.grant, revision: 2, registries: ['ghcr.io'] } },
      })),
    );
    await world.look();
    expect(world.carried()).toEqual([]);
    expect(world.plan()?.status).toMatchObject({ outcome: 'refused', code: 'grant_refused' });
  });

  it('for a request that was closed since', async () => {
    beforeAcceptance(async () => {
      world.show(2, { state: 'closed' });
      await world.plans.updateStatus(`${SOURCE}.7`, ({ status }) => ({ ...status, closed: true }));
    });
    await world.look().catch(() => undefined);
    expect(world.carried()).toEqual([]);
  });
});

it('Kubernetes patches are added by no preview, also where the application itself keeps them', async () => {
  const patched = (image: string): string => fileOf(image, "[services.web.kubernetes]\ndeployment = 'spec: {}'\n");
  const parsed = parseSpec(patched('1'));
  if (!parsed.ok) throw new Error('a broken file');
  const release = { application: SOURCE, applicationId: '1'.repeat(32), revision: 1, specDigest: 'x' };
  const origin = { kind: 'api', actor: 'root', identity: 'root' } as const;
  await world.releases.create({
    name: `${SOURCE}.1`,
    spec: { ...release, origin, spec: packSpec(parsed.application) },
  });
  await world.applications.updateStatus(SOURCE, ({ status }) => ({ ...status, acceptedRevision: 1 }));
  world.show(2, { text: patched('2') });
  await world.look();
  expect(world.plan()?.status).toMatchObject({ outcome: 'planned' });
  expect(world.environment()).toMatchObject({ state: 'refused', commit: SHA(2), code: 'kubernetes_patch_refused' });
  expect(world.previews()).toEqual([]);
});

it('what somebody removed while its plan was judged stays removed', async () => {
  await world.look();
  await world.end('succeeded');
  const { applications } = world.deps.store;
  const { get } = applications;
  let isOver = false;
  Object.assign(applications, {
    get: async (name: string) => {
      const read = await get(name);
      const environment = world.environment();
      if (!isOver && environment !== undefined && name === environment.application) {
        isOver = true;
        await world.plans.updateStatus(`${SOURCE}.7`, ({ status }) => ({
          ...status,
          environment: { application: name, state: 'removed', commit: SHA(2) },
        }));
      }
      return read;
    },
  });
  await world.look();
  expect(world.environment()).toMatchObject({ state: 'removed', commit: SHA(2) });
  expect(world.previews()[0]?.deleting).toBe(true);
});
