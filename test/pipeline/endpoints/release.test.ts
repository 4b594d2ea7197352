import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateStore } from '../../../src/adapters/store/index.ts';
import { type Manifest, secretScope } from '../../../src/kernel/index.ts';
import { checkDomain } from '../../../src/pipeline/endpoints/index.ts';
import { CLEANUP_FINALIZER } from '../../../src/ports/index.ts';
import { domainChallenge } from '../../../src/reconcile/index.ts';
import { certificateName, readCertificate } from '../../../src/render/index.ts';
import { memoryDns } from '../../support/endpoints.ts';
import { must } from '../../support/release-api.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../../support/release-world.ts';
import { until } from '../../support/world.ts';

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const HOST = 'shop.example.com';
const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/certificates', name), 'utf8');

let world: ReleaseWorld;
const records = new Map<string, string[]>();
beforeEach(async () => {
  world = await startReleaseWorld();
  records.clear();
  const { cluster, clock } = world.deps;
  Object.assign(world.deps, {
    dns: memoryDns(records),
    certificates: createCertificateStore({ cluster, namespace: 'hakopod-system', clock }),
  });
});
afterEach(() => world.stop());

function file(hosts: readonly string[], extra = ''): string {
  const domains = hosts.map((host) => `"${host}" = "web"\n`).join('');
  return `name = "shop"\n[domains]\n${domains}[services.web]\nimage = "registry.example.test/shop:1"\nport = 8080\npublic = true\n${extra}`;
}

function find(kind: string, name: string, namespace = NAMESPACE): Manifest | undefined {
  return world.embedded
    .objects()
    .find((one) => one.kind === kind && one.metadata.namespace === namespace && one.metadata.name === name);
}

function hosts(): readonly string[] {
  const { rules } = (find('Ingress', 'web')?.spec ?? { rules: [] }) as { readonly rules: readonly { host: string }[] };
  return rules.map(({ host }) => host);
}

async function released(text: string): Promise<string | undefined> {
  const name = await world.accept(text, { api: true });
  must(await world.run());
  const { state, code } = (await world.release(name)).status;
  return code ?? state;
}

const version = () => find('Ingress', 'web')?.metadata.resourceVersion;
const claim = async () => must(await world.deps.store.domains.get(HOST));

async function verify(): Promise<void> {
  const known = await claim();
  if (known === undefined) throw new Error('nobody holds it');
  const { name, value } = domainChallenge(HOST, known.spec.token);
  records.set(name, [value]);
  must(await checkDomain(world.deps, known));
}

async function upload(fixture: string): Promise<string> {
  const pair = { certificate: read(`${fixture}.pem`), key: read(`${fixture}.key`) };
  const { hosts: names, ...facts } = must(readCertificate(pair, world.deps.clock.now()));
  const name = certificateName(secretScope(KEY), 'web', { ...facts, hosts: names });
  const { notBefore, notAfter } = facts;
  must(await world.deps.certificates.add(KEY, { name, service: 'web', hosts: names, notBefore, notAfter }, pair));
  return name;
}

describe('a release with a custom domain', () => {
  it('leads it to its service once it is verified, without another release, and not before', async () => {
    expect(await released(file([HOST]))).toBe('succeeded');
    expect(await claim()).toMatchObject({ spec: { application: APP, revision: 1 } });
    const generated = hosts();
    expect(generated).toEqual([expect.stringMatching(/^web-1{12}\.apps\.example\.test$/)]);
    must(await world.run());
    expect(hosts()).toEqual(generated);
    await verify();
    must(await world.run());
    expect(hosts()).toEqual([...generated, HOST]);
  });

  it('is no drift, also where drift is only reported', async () => {
    must(await world.deps.store.sources.update(APP, ({ spec }) => ({ spec: { ...spec, drift: 'report' } })));
    await until('the cache knows', () => world.deps.store.sources.cached(APP)?.spec.drift === 'report');
    expect(await released(file([HOST]))).toBe('succeeded');
    await verify();
    must(await world.run());
    expect(hosts()).toContain(HOST);
    const drift = async () => must(await world.deps.store.applications.get(APP))?.status.drift;
    expect(await drift()).toBeUndefined();
    const ingress = find('Ingress', 'web');
    const spec = ingress?.spec as { readonly rules: readonly { readonly host: string }[] };
    const rules = spec.rules.map((rule, i) => (i === 0 ? { ...rule, host: 'by-hand.example.com' } : rule));
    must(await world.cluster.replace({ ...(ingress as Manifest), spec: { ...spec, rules } }));
    must(await world.run());
    expect(hosts()).toContain('by-hand.example.com');
    expect(await drift()).toMatchObject({ count: 1, corrected: false });
    // What is not theirs any more must not lead anywhere, whatever else somebody changed by hand.
    must(await world.deps.store.domains.updateStatus(HOST, () => ({})));
    records.clear();
    must(await world.run());
    expect(hosts()).not.toContain(HOST);
  });

  it('looks for the record by itself while the application rests', async () => {
    expect(await released(file([HOST]))).toBe('succeeded');
    const { token = '' } = (await claim())?.spec ?? {};
    const { name, value } = domainChallenge(HOST, token);
    records.set(name, [value]);
    must(await world.run());
    expect(hosts()).toContain(HOST);
  });

  it('takes it away with a release that does not name it, and frees it', async () => {
    expect(await released(file([HOST]))).toBe('succeeded');
    await verify();
    must(await world.run());
    expect(await released(file([]))).toBe('succeeded');
    expect(hosts()).not.toContain(HOST);
    expect(await claim()).toBeUndefined();
  });

  it('keeps it through a release that fails', async () => {
    expect(await released(file([HOST]))).toBe('succeeded');
    await verify();
    expect(await released(file([], 'tls = { certificate = "hp-tls-web-gone" }\n'))).toBe('certificate_missing');
    expect((await claim())?.status.verifiedAt).toBeDefined();
  });

  it.each([
    ['that lost its verification', false],
    ['that went to its owner', true],
  ])('withdraws one %s though its last release failed, and no other', async (_, isTheirs) => {
    await loses(isTheirs);
    const before = version();
    must(await world.run());
    expect(hosts()).toEqual([expect.stringMatching(/^web-1{12}\.apps\.example\.test$/)]);
    const after = version();
    expect(after).not.toBe(before);
    const fence = world.deps.store.applications.cached(APP)?.status.fence;
    must(await world.run());
    expect(version()).toBe(after);
    // Nothing to withdraw takes no turn.
    expect(must(await world.deps.store.applications.get(APP))?.status.fence).toBe(fence);
  });

  it('withdraws none from an Ingress without our labels', async () => {
    await loses(false);
    const ref = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: NAMESPACE, name: 'web' };
    const labels = { 'app.kubernetes.io/managed-by': 'somebody' };
    must(await world.cluster.mergePatch(ref, { metadata: { labels } }));
    const before = version();
    must(await world.run());
    expect([version(), hosts().includes(HOST)]).toEqual([before, true]);
  });

  it('fails before it writes when another application holds it by then', async () => {
    const spec = { id: '2'.repeat(32), ...KEY, name: 'blog' };
    must(await world.deps.store.applications.create({ name: 'acme.production.blog', spec }));
    const other = { host: HOST, application: 'acme.production.blog', applicationId: spec.id, token: 't', revision: 1 };
    must(await world.deps.store.domains.create({ name: HOST, spec: other }));
    expect(await released(file([HOST]))).toBe('domain_taken');
    expect(find('Deployment', 'web')).toBeUndefined();
    expect((await claim())?.spec.applicationId).toBe(spec.id);
  });

  it('frees it, and removes certificates, with the application', async () => {
    const name = await upload('wildcard');
    expect(await released(file([HOST], `tls = { certificate = "${name}" }\n`))).toBe('succeeded');
    const { store, certificates } = world.deps;
    must(await store.sources.update(APP, () => ({ finalizers: [] })));
    must(await store.applications.update(APP, () => ({ finalizers: [CLEANUP_FINALIZER] })));
    const application = must(await store.applications.get(APP));
    must(await store.applications.delete(APP, application?.uid ?? ''));
    must(await world.run());
    expect(await claim()).toBeUndefined();
    expect(must(await certificates.list(KEY))).toEqual([]);
    expect(find('Secret', name)).toBeUndefined();
  });
});

/** A released application whose newest release failed and whose domain may lead nowhere any more. */
async function loses(isTheirs: boolean): Promise<void> {
  expect(await released(file([HOST]))).toBe('succeeded');
  await verify();
  must(await world.run());
  const off = `${file([HOST], 'tls = { certificate = "hp-tls-web-gone" }\n')}[recovery]\non_failure = "disabled"\n`;
  expect(await released(off)).toBe('certificate_missing');
  must(await world.run());
  expect(hosts()).toContain(HOST);
  const { domains } = world.deps.store;
  const long = new Date(world.deps.clock.now().getTime() - 8 * 86_400_000).toISOString();
  records.clear();
  const known = await claim();
  if (isTheirs && known !== undefined) {
    must(await domains.release(known));
    const spec = { ...known.spec, application: 'acme.production.blog', applicationId: '2'.repeat(32) };
    must(await domains.create({ name: HOST, spec }));
  }
  must(await domains.updateStatus(HOST, ({ status }) => ({ ...status, checkedAt: long, failingSince: long })));
}

describe('a release with an uploaded certificate', () => {
  it('serves it from a Secret of its namespace, and tidies up when it is replaced', async () => {
    const name = await upload('wildcard');
    expect(await released(file([], `tls = { certificate = "${name}" }\n`))).toBe('succeeded');
    const secret = find('Secret', name);
    expect(secret).toMatchObject({ type: 'kubernetes.io/tls', immutable: true });
    const data = secret?.data as Readonly<Record<string, string>>;
    expect(Buffer.from(data['tls.crt'] ?? '', 'base64').toString()).toContain('BEGIN CERTIFICATE');
    expect(Buffer.from(data['tls.key'] ?? '', 'base64').toString()).toContain('PRIVATE KEY');
    expect(find('Ingress', 'web')?.spec).toMatchObject({ tls: [{ secretName: name }] });
    expect(await released(file([]))).toBe('succeeded');
    expect(find('Secret', name)).toBeUndefined();
    expect(find('Ingress', 'web')?.spec).not.toHaveProperty('tls');
  });

  it('comes back when somebody deletes it, as long as it is uploaded or lives on', async () => {
    const name = await upload('wildcard');
    expect(await released(file([], `tls = { certificate = "${name}" }\n`))).toBe('succeeded');
    const remove = async (namespace: string) => {
      const uid = find('Secret', name, namespace)?.metadata.uid ?? '';
      const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
      must(await world.cluster.delete(ref, { uid, propagation: 'Background' }));
    };
    await remove(NAMESPACE);
    must(await world.run());
    expect(find('Secret', name)).toMatchObject({ type: 'kubernetes.io/tls' });
    await remove('hakopod-system');
    must(await world.run());
    expect(find('Ingress', 'web')?.spec).toMatchObject({ tls: [{ secretName: name }] });
    await remove(NAMESPACE);
    must(await world.run());
    const application = must(await world.deps.store.applications.get(APP));
    expect(application?.status.conditions?.[0]).toMatchObject({ status: 'False', reason: 'CertificateMissing' });
    expect(find('Deployment', 'web')).toBeDefined();
  });

  it('puts no key and no certificate into a custom resource', async () => {
    const name = await upload('wildcard');
    expect(await released(file([], `tls = { certificate = "${name}" }\n`))).toBe('succeeded');
    const ours = world.embedded.objects().filter(({ apiVersion }) => apiVersion.startsWith('hakopod.io/'));
    expect(JSON.stringify(ours)).not.toMatch(/BEGIN|TUl|LS0tLS1/);
  });
});
