import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fail, type Manifest, ok, problem } from '../../../src/kernel/index.ts';
import type { ResolveOptions } from '../../../src/ports/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../../support/release-world.ts';
import { until } from '../../support/world.ts';

const PLACE = { project: 'acme', environment: 'production' };
const HOST = 'registry.example.test';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const file = (service = '', tag = '1'): string =>
  `name = "shop"\n[services.web]\nimage = "${HOST}/web:${tag}"\nport = 8080\n${service}\n`;

let world: ReleaseWorld;
const asked: { image: string; options: ResolveOptions | undefined }[] = [];
/** What the registry answers: the credentials that open it, or none when it is public. */
let opens: string | undefined;

beforeAll(async () => {
  world = await startReleaseWorld();
  Object.assign(world.deps, {
    images: {
      resolve: async (image: string, options?: ResolveOptions) => {
        asked.push({ image, options });
        const pinned = `${image.replace(/[:@][^/]*$/, '')}@${DIGEST}`;
        if (opens === undefined) return ok({ image: pinned });
        const known = options?.credentials?.some(({ name }) => name === opens) === true;
        return known ? ok({ image: pinned, credential: opens }) : fail(problem('registry_unauthorized'));
      },
    },
  });
  for (const [name, server] of [
    ['team', HOST],
    ['other', 'other.example.test'],
    ['spare', HOST],
  ] as const)
    await world.deps.registries.create(PLACE, name, { server, username: name, password: `canary-${name}` });
}, 60_000);
afterAll(() => world?.stop());
afterEach(() => {
  asked.splice(0);
  opens = undefined;
});

async function carried(toml: string, options: Parameters<ReleaseWorld['accept']>[1] = { api: true }) {
  const name = await world.accept(toml, options);
  await world.run();
  return (await world.release(name)).status;
}
async function live(kind: string, name: string): Promise<Manifest | undefined> {
  const apiVersion = kind === 'Secret' ? 'v1' : 'apps/v1';
  const read = await world.cluster.get({ apiVersion, kind, namespace: NAMESPACE, name });
  return read.ok ? read.value : undefined;
}
async function pullSecretOfPods(): Promise<string | undefined> {
  const spec = (await live('Deployment', 'web'))?.spec as
    | { template: { spec: { imagePullSecrets?: { name: string }[] } } }
    | undefined;
  return spec?.template.spec.imagePullSecrets?.[0]?.name;
}

describe('images of a release', () => {
  it('are asked for with the credentials of their own registry, and need none when they are public', async () => {
    expect(await carried(file())).toMatchObject({ state: 'succeeded', credentials: {} });
    expect(asked.map(({ options }) => options?.credentials?.map(({ name }) => name).sort())).toEqual([
      ['spare', 'team'],
    ]);
    expect(await pullSecretOfPods()).toBeUndefined();
  });

  it('say which credentials opened them, and the pods pull with those', async () => {
    opens = 'team';
    expect(await carried(file('', '2'))).toMatchObject({ state: 'succeeded', credentials: { web: 'team' } });
    const name = (await pullSecretOfPods()) ?? '';
    const secret = await live('Secret', name);
    const text = Buffer.from(
      (secret?.data as Record<string, string> | undefined)?.['.dockerconfigjson'] ?? '',
      'base64',
    ).toString();
    expect(JSON.parse(text).auths[HOST]).toMatchObject({ username: 'team', password: 'canary-team' });
    // Nothing of it is on record: a release is read by many.
    const records = JSON.stringify([await world.deps.store.releases.ofApplication(APP)]);
    expect(records).not.toContain('canary-team');
  });

  it('are not asked for again by a revision that runs them again, also while the registry is away', async () => {
    opens = 'nobody';
    const images = { web: `${HOST}/web@${DIGEST}` };
    expect(await carried(file('replicas = 2', '2'), { api: true, images })).toMatchObject({
      state: 'succeeded',
      credentials: { web: 'team' },
    });
    expect(asked).toEqual([]);
    expect(await pullSecretOfPods()).toMatch(/^web-registry-/);
  });

  it('try the selected credentials first', async () => {
    opens = 'spare';
    expect(await carried(file('registry_credential = "spare"', '3'))).toMatchObject({ credentials: { web: 'spare' } });
    expect(asked[0]?.options).toMatchObject({ selected: 'spare' });
  });

  it.each(['gone', 'other'])('refuse the credentials %s, which are not there for this registry', async (name) => {
    expect(await carried(file(`registry_credential = "${name}"`, '4'))).toMatchObject({
      state: 'failed',
      code: 'registry_credential_missing',
      at: 'services.web.registry_credential',
    });
    expect(asked).toEqual([]);
  });

  it('pull with a new login once it was replaced, from the next release on, and the old one goes', async () => {
    opens = 'spare';
    const before = await pullSecretOfPods();
    await world.deps.registries.replace(PLACE, 'spare', { server: HOST, username: 'spare', password: 'canary-next' });
    await world.run();
    expect(await pullSecretOfPods()).toBe(before);
    expect(await carried(file('registry_credential = "spare"\nreplicas = 2', '3'))).toMatchObject({
      state: 'succeeded',
    });
    const after = (await pullSecretOfPods()) ?? '';
    expect(after).not.toBe(before);
    await until('the old login is gone', async () => {
      await world.run();
      return (await live('Secret', before ?? '')) === undefined;
    });
    expect(await live('Secret', after)).toMatchObject({ type: 'kubernetes.io/dockerconfigjson', immutable: true });
  });

  it('keep their pods as they are when somebody deletes the login, and say so', async () => {
    const name = (await pullSecretOfPods()) ?? '';
    const uid = (await live('Secret', name))?.metadata.uid ?? '';
    const generation = (await live('Deployment', 'web'))?.metadata.generation;
    await world.cluster.delete(
      { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name },
      { uid, propagation: 'Background' },
    );
    await world.run();
    expect((await live('Deployment', 'web'))?.metadata.generation).toBe(generation);
    expect(await pullSecretOfPods()).toBe(name);
    expect(await world.deps.store.applications.get(APP)).toMatchObject({
      value: { status: { conditions: [{ status: 'False', reason: 'MissingSecrets' }] } },
    });
  });

  it('must run on every node that takes pods, or on the architecture the file names', async () => {
    for (const [name, architecture, spec] of [
      ['one', 'amd64', {}],
      ['two', 'arm64', {}],
      ['three', 's390x', { unschedulable: true }],
    ] as const) {
      const ref = { apiVersion: 'v1', kind: 'Node', name };
      const labels = { 'kubernetes.io/arch': architecture };
      await world.cluster.create({ ...ref, metadata: { name, labels }, spec } as Manifest);
      const allocatable = { cpu: '8', memory: '16Gi', pods: '110' };
      const status = { conditions: [{ type: 'Ready', status: 'True' }], allocatable };
      await world.cluster.mergePatch(ref, { status }, 'status');
    }
    await carried(file('', '5'));
    await carried(file('architecture = "arm64"', '6'));
    expect(asked.map(({ options }) => options?.architectures)).toEqual([['amd64', 'arm64'], ['arm64']]);
  });
});
