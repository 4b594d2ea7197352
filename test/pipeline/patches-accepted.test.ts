import { beforeEach, describe, expect, it } from 'vitest';
import { plan, sync } from '../../src/pipeline/index.ts';
import { file, MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../support/memory.ts';
import { codeOf, keyed, must, type ReleaseApi, releaseApi } from '../support/release-api.ts';

/* What acceptance says to patches that can not be applied, and to a push that adds, changes, keeps or removes one. */

const IMAGE = 'registry.example.test/shop:1';
const patch = (text: string, kind = 'deployment'): string => `[services.web.kubernetes]\n${kind} = '${text}'\n`;
const GOOD = patch('metadata: {labels: {team: blue}}');
const BAD = patch('spec: {replicas: 7}');
const TWO = `[services.web.kubernetes]
service = 'spec: {type: NodePort}'
deployment = 'spec: {replicaz: 7}'
[services.apple]
image = "${IMAGE}"
kubernetes.deployment = 'spec: {paused: true}'
`;

describe('a push', () => {
  let world: Memory;
  beforeEach(async () => {
    world = await memory();
  });

  async function push(n: number, text: string): Promise<string | undefined> {
    world.head = SHA(n);
    world.files.set(SHA(n), text);
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    return said(world, SHA(n));
  }
  const planned = () => world.sources.items.get(SOURCE)?.status.planned;

  /** A release of an administrator that has this patch, or none. */
  async function released(extra: string, state: 'succeeded' | 'cancelled' = 'succeeded'): Promise<void> {
    const { packSpec } = await import('../../src/pipeline/release-body.ts');
    const { parseSpec, specDigest } = await import('../../src/spec/index.ts');
    const parsed = parseSpec(file(IMAGE, extra));
    if (!parsed.ok) throw new Error('a broken file');
    const { application } = parsed;
    const revision = world.releases.items.size + 1;
    const spec = { application: SOURCE, applicationId: '1'.repeat(32), revision, origin: ORIGIN };
    const name = `${SOURCE}.${revision}`;
    const body = { specDigest: specDigest(application), spec: packSpec(application) };
    await world.releases.create({ name, spec: { ...spec, ...body } });
    await world.releases.updateStatus(name, (current) => ({ ...current.status, state }));
  }
  const ORIGIN = { kind: 'api', actor: 'root', identity: 'root' } as const;

  it('can not add a patch, nor change one by a byte; it keeps and removes them', async () => {
    expect(await push(1, file(IMAGE, GOOD))).toMatch(/^failure: .*services\.web\.kubernetes/);
    expect(planned()).toMatchObject({ outcome: 'refused', code: 'kubernetes_patch_refused' });
    expect(world.releases.items.size).toBe(0);
    await released(GOOD);
    expect(await push(2, file(IMAGE, GOOD.replace('}}', '}} ')))).toMatch(/^failure/);
    expect(planned()).toMatchObject({ outcome: 'refused', code: 'kubernetes_patch_refused' });
    expect(await push(3, file('registry.example.test/shop:2', GOOD))).toBe('pending: deploying revision 2');
    expect(await push(4, file())).toBe('pending: deploying revision 3');
    expect(await push(5, file(IMAGE, GOOD))).toMatch(/^failure/);
    expect(world.releases.items.size).toBe(3);
  });

  it('can not take a patch over from a release that was cancelled', async () => {
    await released('');
    await released(GOOD, 'cancelled');
    expect(await push(1, file('registry.example.test/shop:2', GOOD))).toMatch(/^failure/);
    expect(planned()).toMatchObject({ code: 'kubernetes_patch_refused' });
  });

  it('is refused for a kept patch that can not be applied, with the line that is first in the file', async () => {
    await released(TWO);
    const before = world.releases.writes.length;
    expect(await push(1, file('registry.example.test/shop:2', TWO))).toMatch(
      /^failure: refused: services\.web\.kubernetes\.service \(line 6, /,
    );
    expect(planned()).toMatchObject({
      outcome: 'refused',
      code: 'protected_field',
      message: expect.stringContaining('Service spec.type'),
    });
    expect(world.releases.writes.length).toBe(before);
    expect(JSON.stringify(planned())).not.toMatch(/NodePort|true/);
  });
});

describe('the API', () => {
  let api: ReleaseApi;
  beforeEach(async () => {
    api = await releaseApi();
    api.patchesEnabled = true;
    // Its environment is made by who may.
    must(await api.deploy(file()));
  });
  const patcher = keyed(['deployments:write', 'kubernetes:patch']);

  it('refuses a patch that can not be applied, and writes nothing', async () => {
    for (const [text, code] of [
      [BAD, 'protected_field'],
      [patch('spec: {replicaz: 7}'), 'invalid_patch'],
      [patch('spec: {type: NodePort}', 'service'), 'protected_field'],
      [patch('a: [', 'service'), 'invalid_patch'],
    ] as const) {
      const answer = await api.deploy(file(IMAGE, text), { principal: patcher, expected: 1 });
      expect(answer).toMatchObject({ ok: false, problem: { code, at: expect.stringMatching(/^services\.web\.kub/) } });
    }
    expect(api.world.applications.items.get(SOURCE)?.status.acceptedRevision).toBe(1);
    expect(api.world.releases.items.size).toBe(1);
    expect(api.audited.map(({ action }) => action)).toEqual(['project.create', 'deployment.accept']);
    expect(codeOf(await api.deploy(file(IMAGE, GOOD), { principal: patcher }))).toBe('ok');
  });

  it('asks for the right to patch first, so that nobody without it learns more', async () => {
    const writer = keyed(['deployments:write']);
    expect(codeOf(await api.deploy(file(IMAGE, BAD), { principal: writer, expected: 1 }))).toBe('permission_denied');
  });

  it('restarts, redeploys and rolls back with the same patches, with the setting off and without the permission', async () => {
    const writer = keyed(['deployments:write']);
    const first = must(await api.deploy(file(IMAGE, GOOD), { principal: patcher }));
    const images = { web: `registry.example.test/shop@sha256:${'1'.repeat(64)}` };
    await api.end(first.id, 'succeeded', images);
    api.patchesEnabled = false;
    const again = must(await api.deploy(file('registry.example.test/shop:2', GOOD), { principal: writer }));
    await api.end(again.id, 'succeeded', images);
    const info = { id: 'f'.repeat(32), origin: 'api' } as const;
    const id = first.application_id;
    const restart = { id, service: 'web', expected_revision: 3, idempotency_key: 'restart-key-1' };
    const restarted = must(await api.operations.restart(writer, restart, info));
    await api.end(restarted.id, 'succeeded', images);
    const rollback = { id, revision: 2, expected_revision: 4, idempotency_key: 'rollback-key-1' };
    expect(codeOf(await api.operations.rollback(writer, rollback, info))).toBe('ok');
    expect(codeOf(await api.deploy(file(IMAGE), { principal: writer, expected: 5 }))).toBe('ok');
    const back = { id, revision: 2, expected_revision: 6, idempotency_key: 'rollback-key-2' };
    expect(codeOf(await api.operations.rollback(writer, back, info))).toBe('kubernetes_patches_disabled');
  });
});
