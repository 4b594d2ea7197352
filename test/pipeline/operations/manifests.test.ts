import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { LOCAL } from '../../../src/access/index.ts';
import { APPLICATION, type ApiWorld, apiWorld } from '../../support/api-world.ts';
import { INFO, keyed } from '../../support/release-api.ts';

const DIGEST = `ghcr.io/acme/shop@sha256:${'a'.repeat(64)}`;
const SPEC = `
name = "shop"
[env]
MODE = "production"
[services.web]
image = "ghcr.io/acme/shop:2"
port = 3000
public = true
secrets = { DATABASE_URL = { ref = "database-url" } }
[services.web.files.settings]
mount_path = "/etc/app.conf"
content = "canary in a file"
[services.web.kubernetes]
deployment = "metadata: {labels: {team: blue}}"
ingress = "metadata: {annotations: {haproxy.org/timeout-server: 120s}}"
[services.worker]
image = "ghcr.io/acme/worker:2"
[services.worker.bindings.WEB_URL]
service = "web"
protocol = "http"
[services.migrate]
image = "ghcr.io/acme/shop:2"
[services.migrate.job]
`;

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
  await world.memory.deps.settings.write('kubernetesPatches', {
    value: { enabled: true },
    expected: 0,
    by: 'root',
    at: world.memory.now,
  });
});

async function accept(toml: string): Promise<void> {
  const request = { project: 'acme', environment: 'production', toml, expected_revision: 3 };
  const made = await world.operations.deployments.create(LOCAL, { ...request, idempotency_key: 'manifests-4' }, INFO);
  expect(made.ok ? 'ok' : made.problem).toBe('ok');
}
const reader = keyed(['deployments:read']);
const show = (service?: string) => world.operations.applications.manifests(reader, { id: APPLICATION, service }, INFO);

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
async function objects(service?: string): Promise<readonly any[]> {
  const shown = await show(service);
  if (!shown.ok) throw new Error(shown.problem.message);
  return parseAllDocuments(shown.value).map((document) => document.toJS());
}

describe('manifests', () => {
  it('are the patched objects of the accepted revision, with the digests that are known and else the tags', async () => {
    expect((await objects()).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Deployment/web',
      'Service/web',
    ]);
    expect((await objects())[0].spec.template.spec.containers[0].image).toBe(DIGEST);
    await accept(SPEC);
    const all = await objects();
    expect(all.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Deployment/web',
      'Service/web',
      'Ingress/web',
      'Deployment/worker',
    ]);
    expect(all[0]).toMatchObject({
      metadata: {
        namespace: `hp-${APPLICATION}`,
        labels: { team: 'blue' },
        annotations: { 'hakopod.io/revision': '4' },
      },
      spec: { template: { spec: { containers: [{ image: 'ghcr.io/acme/shop:2' }] } } },
    });
    expect(all[2].metadata.annotations['haproxy.org/timeout-server']).toBe('120s');
    await world.memory.releases.updateStatus('acme.production.shop.4', ({ status }) => ({
      ...status,
      resolved: { web: DIGEST },
    }));
    const [web, worker] = (await objects()).filter(({ kind }) => kind === 'Deployment');
    expect(web.spec.template.spec.containers[0].image).toBe(DIGEST);
    expect(worker.spec.template.spec.containers[0].image).toBe('ghcr.io/acme/worker:2');
  });

  it('are of one service when one is named, and not found for what is no long-running service', async () => {
    await accept(SPEC);
    expect((await objects('worker')).map(({ kind }) => kind)).toEqual(['Deployment']);
    for (const name of ['migrate', 'nothing', 'constructor'])
      expect(await show(name)).toMatchObject({ ok: false, problem: { code: 'not_found', at: 'service' } });
    const elsewhere = { id: 'f'.repeat(32) };
    expect(await world.operations.applications.manifests(reader, elsewhere, INFO)).toMatchObject({
      ok: false,
      problem: { code: 'not_found' },
    });
  });

  it('hold no Secret, no value of a secret, a binding or a file, and read none', async () => {
    await accept(SPEC);
    const shown = await show();
    const text = shown.ok ? shown.value : '';
    expect(text).toContain('name: DATABASE_URL');
    expect(text).not.toMatch(/canary|kind: (Secret|ConfigMap)|http:\/\/web/);
  });

  it('write nothing', async () => {
    await accept(SPEC);
    const { applications, releases, jobs } = world.memory;
    const before = [applications.writes.length, releases.writes.length, jobs.length];
    expect((await show()).ok).toBe(true);
    expect([applications.writes.length, releases.writes.length, jobs.length]).toEqual(before);
  });

  it('are YAML over the network, and refused to whoever may not read the application', async () => {
    const ask = (principal: typeof reader) =>
      world.api.fetch(new Request(`http://local/api/v1/applications/${APPLICATION}/manifests?service=web`), principal);
    const answer = await ask(await world.person({ name: 'ana', holds: ['admin'], key: ['deployments:read'] }));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(await answer.text()).toMatch(/^---\napiVersion: apps\/v1\nkind: Deployment\n/);
    const other = await world.person({ name: 'ben', holds: ['admin'], key: ['logs:read'] });
    expect((await ask(other)).status).toBe(403);
    const twice = new Request(`http://local/api/v1/applications/${APPLICATION}/manifests?services=web`);
    expect((await world.api.fetch(twice, reader)).status).toBe(400);
  });

  it('refuse a patch that may not be applied any more', async () => {
    await accept(SPEC);
    const release = world.memory.releases.items.get('acme.production.shop.4');
    const { packSpec } = await import('../../../src/pipeline/release-body.ts');
    const { parseSpec } = await import('../../../src/spec/index.ts');
    const parsed = parseSpec(SPEC.replace('metadata: {labels: {team: blue}}', 'spec: {paused: true}'));
    if (!parsed.ok || release === undefined) throw new Error('a broken file');
    Object.assign(release.spec, { spec: packSpec(parsed.application) });
    expect(await show()).toMatchObject({
      ok: false,
      problem: { code: 'protected_field', at: 'services.web.kubernetes.deployment' },
    });
  });
});
