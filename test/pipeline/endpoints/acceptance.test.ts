import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { secretScope } from '../../../src/kernel/index.ts';
import { plan, sync } from '../../../src/pipeline/index.ts';
import { domainOperations } from '../../../src/pipeline/operations/applications/domains.ts';
import { certificateName, readCertificate } from '../../../src/render/index.ts';
import { MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../../support/memory.ts';
import { codeOf, INFO, must, type ReleaseApi, releaseApi } from '../../support/release-api.ts';

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/certificates', name), 'utf8');

/** Uploads a fixture for a service; answers its name. */
async function upload({ certificates, deps }: Memory, fixture: string, service = 'web'): Promise<string> {
  const pair = { certificate: read(`${fixture}.pem`), key: read(`${fixture}.key`) };
  const { hosts, notBefore, notAfter } = must(readCertificate(pair, new Date('2026-11-30')));
  const name = certificateName(secretScope(KEY), service, must(readCertificate(pair, new Date('2026-11-30'))));
  await certificates.add(KEY, { name, service, hosts, notBefore, notAfter }, pair);
  expect(deps.certificates).toBe(certificates);
  return name;
}

function file(domains: readonly string[], extra = ''): string {
  const lines = domains.map((host) => `"${host}" = "web"\n`).join('');
  return `name = "shop"\n[domains]\n${lines}[services.web]\nimage = "registry.example.test/shop:1"\nport = 8080\npublic = true\n${extra}`;
}

describe('a release over the API', () => {
  let api: ReleaseApi;
  beforeEach(async () => {
    api = await releaseApi();
  });

  it('reserves the domains it names, and not before everything else agrees', async () => {
    expect(codeOf(await api.deploy(file(['shop.example.com'], 'secrets = { A = { ref = "missing" } }\n')))).toBe(
      'missing_secrets',
    );
    expect(codeOf(await api.deploy(file(['shop.example.com']), { expected: 7 }))).toBe('conflict');
    expect(api.world.domains.items.size).toBe(0);
    const made = must(await api.deploy(file(['shop.example.com'])));
    expect(api.world.domains.items.get('shop.example.com')?.spec).toMatchObject({
      application: 'acme.production.shop',
      applicationId: made.application_id,
      revision: 1,
    });
  });

  it('is refused a domain of another application, at its field, at plan and at acceptance', async () => {
    must(await api.deploy(file(['shop.example.com'])));
    const other = file(['shop.example.com']).replace('name = "shop"', 'name = "blog"');
    const planned = await api.operations.plan(LOCAL, { project: 'acme', environment: 'production', toml: other }, INFO);
    expect(planned).toMatchObject({ ok: false, problem: { code: 'domain_taken', at: 'domains."shop.example.com"' } });
    expect(await api.deploy(other, { expected: 0 })).toMatchObject({
      ok: false,
      problem: { code: 'domain_taken', at: 'domains."shop.example.com"' },
    });
    expect([...api.world.releases.items.keys()]).toEqual(['acme.production.shop.1']);
    expect(api.world.applications.items.has('acme.production.blog')).toBe(false);
  });

  it('is refused a certificate that does not cover a host, with the host, and takes one that does', async () => {
    const covering = await upload(api.world, 'wildcard');
    const lacking = await upload(api.world, 'exact');
    const tls = (name: string) => file(['shop.example.com'], `tls = { certificate = "${name}" }\n`);
    const refused = await api.deploy(tls(lacking), { expected: 0 });
    expect(refused).toMatchObject({
      ok: false,
      problem: { code: 'certificate_refused', at: 'services.web.tls.certificate' },
    });
    expect(refused.ok ? '' : refused.problem.message).toMatch(/^does not cover web-0{12}\.apps\.example\.test$/);
    expect(codeOf(await api.deploy(tls('hp-tls-web-nothing'), { expected: 0 }))).toBe('certificate_missing');
    expect(codeOf(await api.deploy(tls(await upload(api.world, 'wildcard', 'api')), { expected: 0 }))).toBe(
      'certificate_missing',
    );
    expect(codeOf(await api.deploy(tls(covering)))).toBe('ok');
  });

  it('lists and verifies domains, and then has the application reconciled', async () => {
    const { application_id: id } = must(await api.deploy(file(['shop.example.com'])));
    const domains = domainOperations(api.deps);
    const [pending] = must(await domains.list(LOCAL, { id }, INFO)).items;
    expect(pending).toMatchObject({ host: 'shop.example.com', service: 'web', status: 'pending' });
    const target = { id, host: 'shop.example.com' };
    expect(codeOf(await domains.verify(LOCAL, target, INFO))).toBe('domain_not_verified');
    expect(api.audited.filter(({ action }) => action === 'domain.verify')).toEqual([]);
    api.world.records.set(pending?.challenge.name ?? '', [pending?.challenge.value ?? '']);
    api.world.jobs.length = 0;
    expect(must(await domains.verify(LOCAL, target, INFO))).toMatchObject({ status: 'active' });
    expect(api.world.jobs).toEqual([{ queue: 'reconcile', application: SOURCE }]);
    expect(api.audited.at(-1)).toMatchObject({
      action: 'domain.verify',
      resource: { kind: 'Domain', name: 'shop.example.com' },
    });
    expect(codeOf(await domains.verify(LOCAL, { id, host: 'other.example.com' }, INFO))).toBe('not_found');
  });

  it('shows the same challenge for a claim that somebody deleted, and makes it again', async () => {
    const { application_id: id } = must(await api.deploy(file(['shop.example.com'])));
    const domains = domainOperations(api.deps);
    const [before] = must(await domains.list(LOCAL, { id }, INFO)).items;
    api.world.domains.items.clear();
    const [after] = must(await domains.list(LOCAL, { id }, INFO)).items;
    expect(after).toEqual(before);
    api.world.records.set(after?.challenge.name ?? '', [after?.challenge.value ?? '']);
    expect(codeOf(await domains.verify(LOCAL, { id, host: 'shop.example.com' }, INFO))).toBe('ok');
  });

  it('says when the name servers are away', async () => {
    const { application_id: id } = must(await api.deploy(file(['shop.example.com'])));
    api.deps.dns.txt = async () => ({
      ok: false,
      problem: { code: 'dns_unavailable', kind: 'transient', message: '' },
    });
    expect(codeOf(await domainOperations(api.deps).verify(LOCAL, { id, host: 'shop.example.com' }, INFO))).toBe(
      'dns_unavailable',
    );
  });
});

describe('a push', () => {
  let world: Memory;
  beforeEach(async () => {
    world = await memory();
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, domains: ['*.example.com'] } },
    }));
  });

  async function push(text: string, n = 1): Promise<string | undefined> {
    world.head = SHA(n);
    world.files.set(SHA(n), text);
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    await plan(world.deps, { source: SOURCE }, RUN);
    return said(world, SHA(n));
  }

  it('reserves its domains for the revision it becomes', async () => {
    expect(await push(file(['shop.example.com']))).toMatch(/^pending/);
    expect(world.domains.items.get('shop.example.com')?.spec).toMatchObject({
      applicationId: '1'.repeat(32),
      revision: 1,
    });
  });

  it('is refused a domain of another application, and a certificate that is not there', async () => {
    await world.applications.create({
      name: 'acme.production.blog',
      spec: { id: '2'.repeat(32), ...KEY, name: 'blog' },
    });
    const claim = {
      host: 'shop.example.com',
      application: 'acme.production.blog',
      applicationId: '2'.repeat(32),
      token: 't',
      revision: 1,
    };
    await world.domains.create({ name: claim.host, spec: claim });
    expect(await push(file(['shop.example.com']))).toMatch(
      /^failure: .*domains\."shop\.example\.com".*another application/,
    );
    expect(world.releases.items.size).toBe(0);
    world.domains.items.clear();
    expect(await push(file([], 'tls = { certificate = "hp-tls-web-x" }\n'), 2)).toMatch(
      /^failure: .*services\.web\.tls\.certificate/,
    );
    expect(world.releases.items.size).toBe(0);
  });
});
