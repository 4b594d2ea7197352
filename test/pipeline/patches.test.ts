import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { addPerson, type MemoryPeople } from '../support/people.ts';
import { NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

/* Kubernetes patches over whole releases: written, kept, taken back, and rechecked while a release runs. */

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const PLACE = { project: 'acme', environment: 'production' };
const PATCHES = `
[services.web.kubernetes]
deployment = '''
metadata: {labels: {team: blue}, annotations: {example.com/note: ours}}
spec:
  template:
    metadata: {annotations: {prometheus.io/scrape: "true"}}
    spec:
      tolerations: [{key: dedicated, operator: Equal, value: api, effect: NoSchedule}]
      containers: [{name: app, livenessProbe: {httpGet: {path: /livez, port: 8080}, periodSeconds: 10}}]
'''
service = '''
spec: {ports: [{name: metrics, port: 9500}]}
'''
ingress = '''
metadata: {annotations: {haproxy.org/load-balance: leastconn, haproxy.org/timeout-server: 120s}}
'''
`;
const shop = (patches = '', image = 'registry.example.test/web:1', more = ''): string =>
  `name = "shop"\n[services.web]\nimage = "${image}"\nport = 8080\npublic = true\n${patches}\n${more}`;
const MIGRATE = '[services.migrate]\nimage = "registry.example.test/web:1"\n[services.migrate.job]\n';

let world: ReleaseWorld;
let people: MemoryPeople;
beforeEach(async () => {
  world = await startReleaseWorld();
  people = world.deps as unknown as MemoryPeople;
});
afterEach(() => world.stop());

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
function find(kind: string, name = 'web'): any {
  return world.embedded
    .objects()
    .find((object) => object.kind === kind && object.metadata.namespace === NAMESPACE && object.metadata.name === name);
}

/** Labels, annotations and spec of what runs, without what a release or a controller notes there. */
function told(kind: string): unknown {
  const { metadata, spec } = structuredClone(find(kind));
  const { annotations = {}, labels } = metadata;
  for (const key of [
    'hakopod.io/operation',
    'hakopod.io/revision',
    'hakopod.io/set-keys',
    'deployment.kubernetes.io/revision',
  ])
    delete annotations[key];
  return { labels, annotations, spec };
}
const ALL = ['Deployment', 'Service', 'Ingress'] as const;
const everything = (): readonly unknown[] => ALL.map(told);

/** What was written in the application's namespace since the last reset. */
function writes(): readonly string[] {
  const { by } = world.embedded.requests();
  return Object.keys(by).filter((key) => /^(create|update|patch|delete) (deployments|services|ingresses)/.test(key));
}

async function release(toml: string, api: boolean | { identity: string; key: string } = true) {
  const name = await world.accept(toml, { api });
  expect(await world.run()).toMatchObject({ ok: true });
  return (await world.release(name)).status;
}
async function edit(kind: string, metadata: object): Promise<void> {
  const { apiVersion } = find(kind) as Manifest;
  const ref = { apiVersion, kind, namespace: NAMESPACE, name: 'web' };
  expect((await world.cluster.mergePatch(ref, { metadata })).ok).toBe(true);
}

/** The administrator's key may patch, once the setting is on. */
async function patcher(): Promise<{ identity: string; key: string }> {
  await setting(true, 0);
  const key = ['deployments:write', 'kubernetes:patch'] as const;
  const { id } = await addPerson(people, {
    name: 'ada',
    roles: [{ project: 'acme', role: 'project-admin' }],
    key,
    scope: PLACE,
    expiresAt: TOMORROW,
  });
  return { identity: 'ada', key: id };
}
const disable = () => setting(false, 1);
async function setting(enabled: boolean, expected: number): Promise<void> {
  const change = { value: { enabled }, expected, by: 'root', at: new Date() };
  expect((await world.deps.settings.write('kubernetesPatches', change)).ok).toBe(true);
}

describe('a release with patches', () => {
  it('writes patched objects, keeps them at rest without a write, and takes the patches back with the release without them', async () => {
    const by = await patcher();
    expect(await release(shop(), by)).toMatchObject({ state: 'succeeded' });
    const plain = everything();
    expect(await release(shop(PATCHES), by)).toMatchObject({ state: 'succeeded' });
    const patched = everything();
    expect(find('Deployment')).toMatchObject({
      metadata: { labels: { team: 'blue' }, annotations: { 'example.com/note': 'ours' } },
      spec: { template: { metadata: { annotations: { 'prometheus.io/scrape': 'true' } } } },
    });
    expect(find('Deployment').spec.template.spec.containers[0].livenessProbe.httpGet.path).toBe('/livez');
    expect(find('Deployment').spec.template.spec.tolerations).toMatchObject([{ key: 'dedicated', value: 'api' }]);
    expect(find('Service').spec.ports.map(({ name }: { name: string }) => name)).toEqual(['metrics', 'service']);
    expect(find('Ingress').metadata.annotations).toMatchObject({
      'haproxy.org/load-balance': 'leastconn',
      'haproxy.org/timeout-server': '120s',
    });

    world.embedded.resetRequests();
    expect(await world.run()).toMatchObject({ ok: true });
    expect(writes()).toEqual([]);

    // The same patches with another image: still there.
    expect(await release(shop(PATCHES, 'registry.example.test/other:2'), by)).toMatchObject({ state: 'succeeded' });
    expect(told('Service')).toEqual(patched[1]);
    expect(await release(shop(PATCHES), by)).toMatchObject({ state: 'succeeded' });
    expect(everything()).toEqual(patched);

    expect(await release(shop(), by)).toMatchObject({ state: 'succeeded' });
    expect(everything()).toEqual(plain);
  });

  it('puts a hand edit of what a patch set right, at rest and with the next release, and leaves what is not ours', async () => {
    const by = await patcher();
    await release(shop(PATCHES), by);
    const patched = everything();
    for (const again of [() => world.run(), () => release(shop(PATCHES), by)]) {
      await edit('Deployment', { annotations: { 'example.com/note': 'by hand' }, labels: { team: 'red' } });
      await edit('Service', { annotations: { 'example.com/stranger': null } });
      await edit('Ingress', { annotations: { 'haproxy.org/load-balance': null, 'haproxy.org/timeout-server': '1s' } });
      await again();
      expect(everything()).toEqual(patched);
    }
    await edit('Service', { annotations: { 'stranger.example.com/x': 'theirs' } });
    await release(shop(PATCHES), by);
    expect(find('Service').metadata.annotations['stranger.example.com/x']).toBe('theirs');
  });

  it('fails before it writes anything when a patch can not be applied any more', async () => {
    const by = await patcher();
    await release(shop(), by);
    world.embedded.resetRequests();
    // Accepted by an older version, say: what acceptance refuses now.
    const bad = PATCHES.replace('spec:\n  template', 'spec:\n  replicas: 7\n  template');
    const more = '[services.other]\nimage = "registry.example.test/web:1"\nport = 80\n';
    expect(await release(shop(bad, undefined, more), by)).toMatchObject({
      state: 'failed',
      code: 'protected_field',
      at: 'services.web.kubernetes.deployment',
      message: expect.stringContaining('Deployment spec.replicas'),
    });
    expect(writes()).toEqual([]);
    expect(find('Deployment', 'other')).toBeUndefined();
  });
});

describe('the right to patch, while a release runs', () => {
  const losses: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ['the setting is switched off', 'kubernetes_patches_disabled', disable],
    [
      'the role loses kubernetes:patch',
      'authority_revoked',
      () =>
        people.identities.update('ada', ({ spec }) => ({
          spec: { ...spec, bindings: [{ project: 'acme', role: 'developer' }] },
        })),
    ],
  ];

  it.each(losses)('cancels the release before it writes anything when %s', async (_, code, lose) => {
    const by = await patcher();
    await release(shop(), by);
    const name = await world.accept(shop(PATCHES), { api: by });
    await lose();
    world.embedded.resetRequests();
    expect(await world.run()).toMatchObject({ ok: true });
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code });
    expect(writes()).toEqual([]);
  });

  it.each(losses)('cancels the release at its next step when %s', async (_, code, lose) => {
    const by = await patcher();
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const waiting = PATCHES.replace('[services.web.kub', 'depends_on = ["migrate"]\n[services.web.kub');
    const name = await world.accept(shop(waiting, undefined, MIGRATE), { api: by });
    const running = world.run();
    await until('the job runs', () => world.embedded.objects().some(({ kind }) => kind === 'Pod'));
    await lose();
    expect((await running).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code });
    expect(find('Deployment')).toBeUndefined();
  });

  it('lets a release that only keeps patches go on with the setting off and for a developer', async () => {
    const by = await patcher();
    await release(shop(PATCHES), by);
    await disable();
    const { id } = await addPerson(people, {
      name: 'dev',
      roles: [{ project: 'acme', role: 'developer' }],
      key: ['deployments:write'],
      scope: PLACE,
      expiresAt: TOMORROW,
    });
    const dev = { identity: 'dev', key: id };
    expect(await release(shop(PATCHES, 'registry.example.test/other:2'), dev)).toMatchObject({ state: 'succeeded' });
    expect(find('Deployment').metadata.labels.team).toBe('blue');
    const other = PATCHES.replace('team: blue', 'team: red');
    expect(await release(shop(other), dev)).toMatchObject({
      state: 'cancelled',
      code: 'kubernetes_patches_disabled',
    });
    expect(await release(shop(), dev)).toMatchObject({ state: 'succeeded' });
    expect(find('Deployment').metadata.labels.team).toBeUndefined();
  });

  it('does not hand a patch on that was cancelled with its release', async () => {
    const by = await patcher();
    await release(shop(), by);
    const adding = await world.accept(shop(PATCHES), { api: by });
    const keeping = await world.accept(shop(PATCHES, 'registry.example.test/other:2'), { api: true });
    await disable();
    expect(await world.run()).toMatchObject({ ok: true });
    expect((await world.release(adding)).status.state).toBe('cancelled');
    expect((await world.release(keeping)).status).toMatchObject({
      state: 'cancelled',
      code: 'kubernetes_patches_disabled',
    });
    const push = await world.accept(shop(PATCHES), {});
    expect(await world.run()).toMatchObject({ ok: true });
    expect((await world.release(push)).status).toMatchObject({
      state: 'cancelled',
      code: 'kubernetes_patch_refused',
    });
    expect(find('Deployment').metadata.labels.team).toBeUndefined();
  });
});
