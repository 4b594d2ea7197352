import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Runtime } from '../../src/cli/index.ts';
import { cliWorld, runWith } from '../support/cli-world.ts';
import { keyed } from '../support/release-api.ts';

const FILE = `name = "shop"
[services.api]
image = "ghcr.io/acme/api:1.4"
port = 8080
public = true
secrets = { PASSWORD = { ref = "password" } }
[services.api.kubernetes]
deployment = 'metadata: {annotations: {example.com/note: "yes\u202e"}}'
[services.built]
build = {}
[services.migrate]
image = "ghcr.io/acme/api:1.4"
job = {}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hakopod-manifests-'));
  await writeFile(join(folder, 'hakopod.toml'), FILE);
  await writeFile(join(folder, 'other.toml'), 'name = "other"\n[services.a]\nimage = "a:1"\nruntime_profile = "x"\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('manifests --file', () => {
  const runtime = { version: '1.2.3' } as Runtime;
  const run = (...args: string[]) => runWith(runtime, ['manifests', ...args], { folder });

  it('prints the patched objects of every long-running service, without anything that could steer a terminal', async () => {
    const { code, out, err } = await run('--file', 'hakopod.toml');
    expect([code, err]).toEqual([0, '']);
    // biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
    const objects = parseAllDocuments(out).map((document): any => document.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Deployment/api',
      'Service/api',
      'Ingress/api',
      'Deployment/built',
    ]);
    expect(objects[0].metadata.annotations['example.com/note']).toBe('yes\u202e');
    expect(
      objects.filter(({ kind }) => kind === 'Deployment').map((o) => o.spec.template.spec.containers[0].image),
    ).toEqual(['ghcr.io/acme/api:1.4', 'built.built-from-the-repository.invalid']);
    expect(objects[2].spec.rules[0].host).toMatch(/\.apps\.invalid$/);
    expect(out).not.toMatch(/\u202e/);
  });

  it('prints one service, and nothing for what is none', async () => {
    expect((await run('-f', 'hakopod.toml', '--service', 'built')).out).not.toContain('name: api');
    for (const name of ['migrate', 'toString'])
      expect(await run('-f', 'hakopod.toml', '--service', name)).toMatchObject({ code: 2, out: '' });
    expect(await run('-f', 'absent.toml')).toMatchObject({ code: 2, out: '' });
    const unsupported = await run('-f', 'other.toml');
    expect(unsupported).toMatchObject({ code: 2, out: '' });
    expect(unsupported.err).toContain('unsupported_feature');
  });
});

describe('manifests', () => {
  it('asks the API, for an application by name or of the file here', async () => {
    const world = await cliWorld();
    const shown = await world.run(['manifests', 'acme/production/shop', '--service', 'web']);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/^---\napiVersion: apps\/v1\nkind: Deployment\n/);
    expect((await world.run(['manifests'], { folder })).out).toBe(
      (await world.run(['manifests', 'acme/production/shop'])).out,
    );
    expect(await world.run(['manifests', 'shop', '--service', 'nothing'])).toMatchObject({ code: 2, out: '' });
    expect(await world.run(['manifests', 'absent'])).toMatchObject({ code: 2, out: '' });
    const nobody = keyed(['logs:read']);
    expect((await world.run(['manifests', 'shop'], { principal: nobody })).out).toBe('');
    expect((await world.run(['manifests'], { folder: tmpdir() })).code).toBe(2);
  });
});
