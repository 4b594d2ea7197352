import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { certificateOperations } from '../../../../src/pipeline/operations/environments/index.ts';
import { packSpec } from '../../../../src/pipeline/release-body.ts';
import { parseSpec } from '../../../../src/spec/index.ts';
import { SHA } from '../../../support/memory.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';

const PLACE = { project: 'acme', environment: 'production' };
const SHOP = { ...PLACE, application: 'shop' };
const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/certificates', name), 'utf8');
const upload = (name: string, service = 'web') => ({
  ...SHOP,
  service,
  certificate_pem: read(`${name}.pem`),
  private_key_pem: read(`${name}.key`),
});

async function opened() {
  const made = await operationsWorld();
  made.world.now = new Date('2026-11-30T00:00:00Z');
  const createdAt = '2026-06-01T00:00:00.000Z';
  await made.deps.projects.create({ name: 'acme', spec: { environments: [{ name: 'production', createdAt }] } });
  const accept = async (revision: number, certificate: string): Promise<void> => {
    const parsed = parseSpec(
      `name = "shop"\n[services.web]\nimage = "r.example.com/a:1"\nport = 80\npublic = true\ntls = { certificate = "${certificate}" }\n`,
    );
    if (!parsed.ok) throw new Error('not valid');
    await made.world.releases.create({
      name: `acme.production.shop.${revision}`,
      spec: {
        application: 'acme.production.shop',
        applicationId: '1'.repeat(32),
        revision,
        specDigest: 'x',
        spec: packSpec(parsed.application),
        origin: { kind: 'git', actor: 'ada', commit: SHA(revision) },
      },
    });
  };
  return { ...made, accept, certificates: certificateOperations(made.deps) };
}

describe('uploaded certificates', () => {
  it('go in, are listed without their key, and go', async () => {
    const { certificates, actions } = await opened();
    const made = must(await certificates.add(ADMIN, upload('wildcard'), INFO));
    expect(made).toMatchObject({
      name: expect.stringMatching(/^hp-tls-web-[0-9a-f]{32}$/),
      service: 'web',
      hosts: ['*.apps.example.test', 'shop.example.com'],
      not_after: '2056-01-01T00:00:00.000Z',
      in_use: false,
    });
    expect(must(await certificates.add(ADMIN, upload('wildcard'), INFO)).name).toBe(made.name);
    const listed = must(await certificates.list(ADMIN, SHOP, INFO));
    expect(listed.items).toEqual([made]);
    expect(JSON.stringify([made, listed])).not.toMatch(/BEGIN|tls\.key/);
    expect(must(await certificates.remove(ADMIN, { ...SHOP, name: made.name }, INFO))).toEqual({ status: 'deleted' });
    expect(codeOf(await certificates.remove(ADMIN, { ...SHOP, name: made.name }, INFO))).toBe('not_found');
    expect(actions()).toEqual(['certificate.add', 'certificate.add', 'certificate.delete']);
  });

  it('are one per content and service', async () => {
    const { certificates } = await opened();
    const names = [];
    for (const one of [upload('wildcard'), upload('exact'), upload('exact', 'api')])
      names.push(must(await certificates.add(ADMIN, one, INFO)).name);
    expect(new Set(names).size).toBe(3);
  });

  it('stay while the running or the newest accepted revision names them', async () => {
    const { certificates, accept, world } = await opened();
    const [old, running, newest] = [
      must(await certificates.add(ADMIN, upload('wildcard'), INFO)).name,
      must(await certificates.add(ADMIN, upload('exact'), INFO)).name,
      must(await certificates.add(ADMIN, upload('exact', 'web-2'), INFO)).name,
    ];
    for (const [index, name] of [old, running, newest].entries()) await accept(index + 1, name);
    await world.applications.updateStatus('acme.production.shop', ({ status }) => ({ ...status, revision: 2 }));
    const used = must(await certificates.list(ADMIN, SHOP, INFO)).items.map(({ name, in_use: inUse }) => [name, inUse]);
    expect(Object.fromEntries(used)).toEqual({ [old]: false, [running]: true, [newest]: true });
    const remove = async (name: string) => codeOf(await certificates.remove(ADMIN, { ...SHOP, name }, INFO));
    expect([await remove(old), await remove(running), await remove(newest)]).toEqual([
      'ok',
      'certificate_in_use',
      'certificate_in_use',
    ]);
  });

  it('are refused when they can not be used, and nothing is kept', async () => {
    const { certificates, actions, world } = await opened();
    const other = { ...upload('wildcard'), private_key_pem: read('exact.key') };
    for (const one of [upload('expired'), upload('future'), upload('nameless'), other])
      expect(codeOf(await certificates.add(ADMIN, one, INFO))).toMatch(/^invalid_certificate /);
    expect(world.certificates.items.size).toBe(0);
    expect(actions()).toEqual([]);
  });
});
