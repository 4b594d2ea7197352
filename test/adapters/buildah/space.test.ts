import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBuildahEngine } from '../../../src/adapters/buildah/index.ts';
import { policyOf } from '../../../src/adapters/buildah/settings.ts';
import { Spaces } from '../../../src/adapters/buildah/space.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hakopod-spaces-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the folder for builds', () => {
  it('has a space of its own for each build, gone with it', async () => {
    const spaces = new Spaces(folder);
    const [one, two] = [await spaces.make(), await spaces.make()];
    expect(one.root).not.toBe(two.root);
    expect(spaces.ofContext(one.context)).toEqual(one);
    expect(spaces.ofContext('/etc')).toBeUndefined();
    await spaces.remove(one);
    expect(spaces.ofContext(one.context)).toBeUndefined();
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('is swept of what killed workers of this machine left, and of nothing else', async () => {
    const machine = hostname().replace(/[^A-Za-z0-9.]/g, '_');
    // No process has the highest id, process 1 always runs, and this process has nothing in use yet.
    const left = [`${machine}-4194304-dead`, `${machine}-${process.pid}-dead`];
    const kept = [`${machine}-1-alive`, 'elsewhere-4194304-unknown'];
    for (const name of [...left, ...kept]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'file'), '');
    }
    const spaces = new Spaces(folder);
    const space = await spaces.make();
    await spaces.make();
    const names = await readdir(folder);
    expect(names).toHaveLength(kept.length + 2);
    expect(names).toEqual(expect.arrayContaining(kept));
    expect(spaces.ofContext(space.context)).toBeDefined();
  });

  it('that can not be used makes builds unavailable', async () => {
    await writeFile(join(folder, 'file'), '');
    const engine = createBuildahEngine({
      folder: join(folder, 'file/x'),
      diskBytes: 1,
      network: 'host',
      localRegistries: [],
    });
    expect(await engine.prepare()).toMatchObject({
      ok: false,
      problem: { code: 'build_unavailable', kind: 'transient' },
    });
  });
});

describe('the policy for base images', () => {
  const accept = [{ type: 'insecureAcceptAnything' }];
  it.each([
    [['**'], { '': accept }],
    [['*'], { '': accept }],
    [['docker.io', 'registry.example.com:5000'], { 'docker.io': accept, 'registry.example.com:5000': accept }],
    [['*.example.com'], { '*.example.com': accept }],
    // globs the policy has no words for allow nothing
    [['reg*.example.com', 'a.*.b', '**.example.com'], {}],
    [[], {}],
  ])('of %j rejects everything else', (registries, docker) => {
    expect(policyOf(registries)).toEqual({
      default: [{ type: 'reject' }],
      transports: { docker, 'containers-storage': { '': accept } },
    });
  });
});
