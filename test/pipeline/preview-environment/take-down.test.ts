import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applicationName, releaseName } from '../../../src/kernel/index.ts';
import { reconcile } from '../../../src/pipeline/index.ts';
import { askForRemoval, previewSlug } from '../../../src/pipeline/preview-environment/index.ts';
import { packSpec } from '../../../src/pipeline/release-body.ts';
import type { AuditEvent } from '../../../src/ports/index.ts';
import { parseSpec, specDigest } from '../../../src/spec/index.ts';
import { RUN } from '../../support/memory.ts';
import { APP, type ReleaseWorld, startReleaseWorld } from '../../support/release-world.ts';
import { until } from '../../support/world.ts';

const ID = 'b'.repeat(32);
const NAMESPACE = `hp-${ID}`;
const COMMIT = '2'.repeat(40);
const TEXT = (slug: string): string => `name = "${slug}"
[services.web]
image = "registry.example.test/shop:1"
port = 8080
volume = { mount_path = "/data", size_gib = 1 }
secrets = { TOKEN = { ref = "token" } }
`;

let world: ReleaseWorld;
let audited: AuditEvent[];
let slug: string;
let name: string;

beforeEach(async () => {
  world = await startReleaseWorld();
  const source = await world.deps.store.sources.get(APP);
  slug = previewSlug((source.ok && source.value?.uid) || '', 7);
  name = applicationName({ project: 'acme', environment: 'production', name: slug });
  audited = [];
  Object.assign(world.deps, {
    audit: { ...world.deps.audit, append: async (event: AuditEvent) => void audited.push(event) },
  });
});
afterEach(() => world.stop());

/** An environment with a release that waits. */
async function accept(): Promise<void> {
  const { store, secrets } = world.deps;
  const key = { project: 'acme', environment: 'production', name: 'shop' };
  await secrets.set(key, 'token', 'canary-of-the-parent');
  const source = await store.sources.update(APP, ({ spec }) => ({
    spec: { ...spec, previewEnvironments: { ttlHours: 2 } },
  }));
  const plan = `${APP}.7`;
  await store.plans.create({ name: plan, spec: { repository: 'github-1', source: APP, number: 7, application: key } });
  const preview = {
    source: APP,
    sourceUid: source.ok ? source.value.uid : '',
    repository: 'github-1',
    number: 7,
    parent: APP,
  };
  await store.applications.create({
    name,
    finalizers: ['hakopod.io/cleanup'],
    spec: {
      ...key,
      name: slug,
      id: ID,
      preview: { ...preview, expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    },
  });
  const parsed = parseSpec(TEXT(slug));
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  await store.releases.create({
    name: releaseName(name, 1),
    spec: {
      ...{ application: name, applicationId: ID, revision: 1, specDigest: specDigest(parsed.application) },
      spec: packSpec(parsed.application),
      origin: { kind: 'preview', actor: 'ada', plan, ref: 'refs/heads/main', commit: COMMIT, grantRevision: 1 },
    },
  });
  await store.applications.updateStatus(name, ({ status }) => ({
    ...status,
    acceptedRevision: 1,
    gitRevision: 1,
    phase: 'queued',
  }));
  await until('the caches know', () => {
    const isKnown =
      store.applications.cached(name)?.status.phase === 'queued' && store.plans.cached(plan) !== undefined;
    return isKnown && store.sources.cached(APP)?.spec.previewEnvironments !== undefined;
  });
}

async function remove(): Promise<void> {
  const read = await world.deps.store.applications.get(name);
  await askForRemoval(world.deps, read.ok ? read.value : undefined);
  await until('it is gone', async () => {
    const done = await reconcile(world.deps, { application: name }, RUN);
    if (!done.ok) expect(done.problem.code).toMatch(/^(preview_leaving|lease_held|conflict)$/);
    const left = await world.deps.store.applications.get(name);
    return left.ok && left.value === undefined;
  });
}

function namespace(name: string) {
  return world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name });
}

describe('a preview environment in the cluster', () => {
  it('reads its application’s secrets, is told of, and goes with namespace, claims, releases and a word on record', async () => {
    await world.accept('name = "shop"\n[services.web]\nimage = "registry.example.test/shop:1"\nport = 8080\n');
    expect((await world.run()).ok).toBe(true);
    await accept();
    const source = structuredClone(await world.deps.store.sources.get(APP));
    expect(await reconcile(world.deps, { application: name }, RUN)).toMatchObject({ ok: true });
    expect((await world.release(releaseName(name, 1))).status).toMatchObject({ state: 'succeeded' });
    expect(world.jobs).toContainEqual({ queue: 'preview', repository: 'github-1', number: 7 });
    expect(await world.deps.store.sources.get(APP)).toEqual(source);
    const secrets = await world.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE });
    const value = Buffer.from('canary-of-the-parent').toString('base64');
    expect(JSON.stringify(secrets)).toContain(value);
    const claims = await world.cluster.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE });
    expect(claims.ok && claims.value).toHaveLength(1);
    await world.cluster.create({
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'of-somebody', namespace: NAMESPACE } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    world.jobs.length = 0;
    await remove();
    expect(await namespace(NAMESPACE)).toEqual({ ok: true, value: undefined });
    expect(await world.deps.store.releases.ofApplication(name)).toEqual({ ok: true, value: [] });
    expect(audited.map(({ action }) => action)).toContain('preview.cleaned');
    expect(world.jobs).toContainEqual({ queue: 'preview', repository: 'github-1', number: 7 });
    const parent = await namespace(`hp-${'1'.repeat(32)}`);
    expect(parent.ok && parent.value !== undefined).toBe(true);
    const kept = await world.deps.secrets.list({ project: 'acme', environment: 'production', name: 'shop' });
    expect(kept.ok && kept.value.map(({ name }) => name)).toEqual(['token']);
  });

  it('goes with a namespace that a crash kept from the record, and leaves one that is not its own', async () => {
    await accept();
    expect((await reconcile(world.deps, { application: name }, RUN)).ok).toBe(true);
    const ref = { apiVersion: 'hakopod.io/v1', kind: 'Application', namespace: 'hakopod-system', name: name };
    await world.cluster.mergePatch(ref, { status: { inventory: [] } }, 'status');
    await remove();
    expect(await namespace(NAMESPACE)).toEqual({ ok: true, value: undefined });
    await accept();
    await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await remove();
    const foreign = await namespace(NAMESPACE);
    expect(foreign.ok && foreign.value?.metadata.name).toBe(NAMESPACE);
  });
});
