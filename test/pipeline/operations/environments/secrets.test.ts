import { describe, expect, it } from 'vitest';
import { fail, LIMITS, ok, problem } from '../../../../src/kernel/index.ts';
import { registryOperations, secretOperations } from '../../../../src/pipeline/operations/environments/index.ts';
import { packSpec } from '../../../../src/pipeline/release-body.ts';
import type { SecretStore } from '../../../../src/ports/index.ts';
import { parseSpec } from '../../../../src/spec/index.ts';
import { SHA } from '../../../support/memory.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

const PLACE = { project: 'acme', environment: 'production' };
const SHOP = { ...PLACE, application: 'shop' };

async function withSecrets() {
  const world = await operationsWorld();
  const values = new Map<string, string>();
  const updatedAt = '2026-06-01T00:00:00.000Z';
  const secrets = {
    ...world.deps.secrets,
    list: async () => ok([...values.keys()].sort().map((name) => ({ name, updatedAt }))),
    create: async (_key: unknown, name: string, value: string) => {
      if (values.has(name)) return fail(problem('secret_exists'));
      values.set(name, value);
      return ok({ updatedAt });
    },
    replace: async (_key: unknown, name: string, value: string) => {
      if (!values.has(name)) return fail(problem('not_found'));
      values.set(name, value);
      return ok({ updatedAt });
    },
    delete: async (_key: unknown, name: string) => ok(values.delete(name)),
  } as unknown as SecretStore;
  const createdAt = updatedAt;
  await world.deps.projects.create({ name: 'acme', spec: { environments: [{ name: 'production', createdAt }] } });
  const deps = { ...world.deps, secrets };
  return { ...world, deps, values, secrets: secretOperations(deps), registries: registryOperations(deps) };
}

const FILE = `name = "shop"
[services.web]
image = "registry.example.test/shop:1"
secrets = { DATABASE_URL = { ref = "database-url" } }
[services.api]
image = "registry.example.test/shop:1"
secrets = { DATABASE_URL = { ref = "database-url" }, TOKEN = { ref = "token" } }
`;

describe('secrets', () => {
  it('go in, are replaced and deleted, and never come out', async () => {
    const { secrets, values, deps, actions } = await withSecrets();
    const value = 'correct horse battery staple';
    const made = must(await secrets.create(ADMIN, { ...SHOP, name: 'token', value }, INFO));
    expect(made).toMatchObject({ name: 'token', used_by: [] });
    expect(values.get('token')).toBe(value);
    expect(codeOf(await secrets.create(ADMIN, { ...SHOP, name: 'token', value: 'x' }, INFO))).toBe('secret_exists');
    expect(codeOf(await secrets.replace(ADMIN, { ...SHOP, name: 'none', value: 'x' }, INFO))).toBe('not_found');
    must(await secrets.replace(ADMIN, { ...SHOP, name: 'token', value: `${value} 2` }, INFO));
    const listed = must(await secrets.list(ADMIN, SHOP, INFO));
    expect(JSON.stringify([made, listed, deps.audit.events])).not.toContain('horse');
    must(await secrets.remove(ADMIN, { ...SHOP, name: 'token' }, INFO));
    expect(codeOf(await secrets.remove(ADMIN, { ...SHOP, name: 'token' }, INFO))).toBe('not_found');
    expect(actions()).toEqual(['secret.write', 'secret.write', 'secret.delete']);
    for (const event of deps.audit.events) expect([event.before, event.after]).toEqual([undefined, undefined]);
  });

  it('are generated: 32 random bytes as base64url or hex', async () => {
    const { secrets, values } = await withSecrets();
    must(await secrets.create(ADMIN, { ...SHOP, name: 'a', generate: true }, INFO));
    must(await secrets.create(ADMIN, { ...SHOP, name: 'b', generate: true, format: 'hex' }, INFO));
    expect(values.get('a')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(values.get('b')).toMatch(/^[0-9a-f]{64}$/);
    const both = { ...SHOP, name: 'c', value: 'x', generate: true as const };
    expect(codeOf(await secrets.create(ADMIN, both, INFO))).toBe('invalid_request value');
    expect(codeOf(await secrets.create(ADMIN, { ...SHOP, name: 'c' }, INFO))).toBe('invalid_request value');
    const odd = { ...SHOP, name: 'c', value: 'x', format: 'hex' as const };
    expect(codeOf(await secrets.create(ADMIN, odd, INFO))).toBe('invalid_request format');
  });

  it('say which services read them, in the revision that runs and in the newest one', async () => {
    const { secrets, values, world } = await withSecrets();
    for (const name of ['database-url', 'old', 'token', 'unused']) values.set(name, 'x');
    const release = (revision: number, text: string) => {
      const parsed = parseSpec(text);
      if (!parsed.ok) throw new Error(parsed.problems[0]!.message);
      return world.releases.create({
        name: `acme.production.shop.${revision}`,
        spec: {
          ...{ application: 'acme.production.shop', applicationId: '1'.repeat(32), revision, specDigest: 'x' },
          spec: packSpec(parsed.application),
          origin: { kind: 'git', actor: 'ada', commit: SHA(1) },
        },
      });
    };
    await release(1, FILE.replaceAll('"token"', '"unused"'));
    await release(2, FILE.replaceAll('"token"', '"old"'));
    await release(3, FILE);
    await world.applications.updateStatus('acme.production.shop', () => ({ revision: 2, acceptedRevision: 3 }));
    const listed = must(await secrets.list(ADMIN, SHOP, INFO));
    expect(listed.items.map(({ name, used_by: by }) => [name, by])).toEqual([
      ['database-url', ['api', 'web']],
      ['old', ['api']],
      ['token', ['api']],
      ['unused', []],
    ]);
  });

  it('are written by who may deploy or write secrets, and listed by who may do either or read', async () => {
    const { secrets, deps, as } = await withSecrets();
    const person = async (name: string, permission: 'secrets:write' | 'deployments:write' | 'deployments:read') =>
      as((await addPerson(deps, { name, holds: [permission], key: [permission], scope: SHOP })).raw);
    const [writer, deployer, reader] = [
      await person('writer', 'secrets:write'),
      await person('deployer', 'deployments:write'),
      await person('reader', 'deployments:read'),
    ];
    for (const who of [writer, deployer]) {
      const value = { ...SHOP, name: who.identity, value: 'x' };
      expect(codeOf(await secrets.create(who, value, INFO))).toBe('ok');
      expect(codeOf(await secrets.list(who, SHOP, INFO))).toBe('ok');
    }
    expect(codeOf(await secrets.list(reader, SHOP, INFO))).toBe('ok');
    const other = { ...SHOP, application: 'other' };
    for (const answer of [
      await secrets.create(reader, { ...SHOP, name: 'x', value: 'x' }, INFO),
      await secrets.replace(reader, { ...SHOP, name: 'writer', value: 'x' }, INFO),
      await secrets.remove(reader, { ...SHOP, name: 'writer' }, INFO),
      await secrets.create(writer, { ...other, name: 'x', value: 'x' }, INFO),
      await secrets.list(writer, other, INFO),
    ])
      expect(codeOf(answer)).toBe('permission_denied');
  });

  it('need an environment that exists, but for an administrator', async () => {
    const { secrets, deps, as } = await withSecrets();
    const elsewhere = { project: 'new', environment: 'production', application: 'shop' };
    const { raw } = await addPerson(deps, { name: 'dev', holds: ['deployments:write'], key: ['deployments:write'] });
    const create = { ...elsewhere, name: 'a', value: 'x' };
    expect(codeOf(await secrets.create(await as(raw), create, INFO))).toBe('not_found');
    expect(codeOf(await secrets.create(ADMIN, create, INFO))).toBe('ok');
    expect(deps.projects.cached('new')?.spec.environments).toMatchObject([{ name: 'production' }]);
  });
});

describe('registry credentials', () => {
  const value = { server: 'Index.docker.io', username: 'robot', password: 'correct horse' };

  it('go in, are replaced and deleted, and the password never comes out', async () => {
    const { registries, deps, actions } = await withSecrets();
    const made = must(await registries.create(ADMIN, { ...PLACE, name: 'main', ...value }, INFO));
    expect(made).toMatchObject({ name: 'main', server: 'docker.io', username: 'robot', ...PLACE });
    expect(codeOf(await registries.create(ADMIN, { ...PLACE, name: 'main', ...value }, INFO))).toBe('already_exists');
    const next = { ...PLACE, name: 'main', server: 'GHCR.io:443', username: 'r', password: 'horse 2' };
    expect(must(await registries.replace(ADMIN, next, INFO)).server).toBe('ghcr.io:443');
    expect(codeOf(await registries.replace(ADMIN, { ...next, name: 'none' }, INFO))).toBe('not_found');
    const listed = must(await registries.list(ADMIN, PLACE, INFO));
    expect(must(await deps.registries.credentials(PLACE))[0]?.password).toBe('horse 2');
    expect(JSON.stringify([made, listed, deps.audit.events])).not.toContain('horse');
    must(await registries.remove(ADMIN, { ...PLACE, name: 'main' }, INFO));
    expect(codeOf(await registries.remove(ADMIN, { ...PLACE, name: 'main' }, INFO))).toBe('not_found');
    expect(actions()).toEqual(['registry.create', 'registry.replace', 'registry.delete']);
  });

  it('are as many as the limit, and of the whole environment', async () => {
    const { registries, deps, as } = await withSecrets();
    const { raw } = await addPerson(deps, {
      name: 'dev',
      holds: ['deployments:read', 'deployments:write'],
      key: ['deployments:read', 'deployments:write'],
      scope: SHOP,
    });
    const dev = await as(raw);
    for (const answer of [
      await registries.list(dev, PLACE, INFO),
      await registries.create(dev, { ...PLACE, name: 'x', ...value }, INFO),
      await registries.replace(dev, { ...PLACE, name: 'x', ...value }, INFO),
      await registries.remove(dev, { ...PLACE, name: 'x' }, INFO),
    ])
      expect(codeOf(answer)).toBe('permission_denied');
    for (let n = 0; n < LIMITS.registriesPerEnvironment; n += 1)
      must(await registries.create(ADMIN, { ...PLACE, name: `r${n}`, ...value }, INFO));
    expect(codeOf(await registries.create(ADMIN, { ...PLACE, name: 'more', ...value }, INFO))).toBe('limit_reached');
  });
});
