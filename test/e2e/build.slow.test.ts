import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildOf, builds, builtFile, finalStatus, imageOf, pushBuilt, writeContext } from '../support/built.ts';
import { type DockerRegistry, skipBuilds, startDockerRegistry } from '../support/docker-registry.ts';
import { finals, startWorld, until, type World } from '../support/world.ts';

const isSkipped = await skipBuilds('test/e2e/build.slow.test.ts');

describe.skipIf(isSkipped)('a push to a file that builds', () => {
  let world: World;
  let registry: DockerRegistry;
  let hook: { url: string; secret: string };
  let page: string;
  const file = (args?: string, extra?: string): string =>
    builtFile({
      registry: world.registry.host,
      ...(args === undefined ? {} : { args }),
      ...(extra === undefined ? {} : { extra }),
    });

  beforeEach(async () => {
    registry = await startDockerRegistry();
    world = await startWorld();
    world.defer(() => registry.stop());
    const serving = await world.serve({
      buildRegistry: `${registry.host}/built`,
      buildDir: join(world.folder, 'builds'),
      localRegistries: [`http://${world.registry.host}`, `http://${registry.host}`],
    });
    const bound = await world.bind();
    hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
    page = await writeContext(world);
  });
  afterEach(() => world.stop());

  it('builds with the build args, pushes, deploys the digest and says so', async () => {
    const commit = await pushBuilt(world, hook, file('{ GREETING = "good morning" }'));
    expect(await finalStatus(world, commit)).toMatchObject({ state: 'success', description: 'released revision 1' });
    const run = await buildOf(world, commit, 'succeeded');
    expect(run.status).toMatchObject({ attempts: 1, image: `${run.spec.repository}@${run.status.digest}` });
    expect(run.status.log).toContain('LABEL greeting=$GREETING');
    expect(imageOf(world, 'page')).toBe(run.status.image);
    const path = run.spec.repository.slice(registry.host.length + 1);
    const manifest = (await registry.json(`${path}/manifests/${run.status.digest}`)) as { config: { digest: string } };
    const config = (await registry.json(`${path}/blobs/${manifest.config.digest}`)) as {
      config: { Labels: Record<string, string> };
    };
    expect(config.config.Labels.greeting).toBe('good morning');
    expect(await readdir(join(world.folder, 'builds'))).toEqual([]);
  }, 120_000);

  it('builds a changed context though the file is the same, and moves no other tag meanwhile', async () => {
    const first = await pushBuilt(world, hook, file());
    await finalStatus(world, first);
    const [database, before] = [imageOf(world, 'db'), imageOf(world, 'page')];
    world.registry.addImage('shop/api', '1.4', { platforms: ['linux/amd64'] });
    await writeFile(join(page, 'news.txt'), 'news');
    const second = await pushBuilt(world, hook, file());
    expect(await finalStatus(world, second)).toMatchObject({ state: 'success', description: 'released revision 2' });
    expect(imageOf(world, 'page')).not.toBe(before);
    expect(imageOf(world, 'db')).toBe(database);
    // A change of the file asks for the tag anew.
    const third = await pushBuilt(world, hook, file(undefined, 'env = { A = "b" }\n'));
    expect(await finalStatus(world, third)).toMatchObject({ state: 'success' });
    expect(imageOf(world, 'db')).not.toBe(database);
  }, 180_000);

  it('builds the same commit and configuration once', async () => {
    const commit = await pushBuilt(world, hook, file());
    await finalStatus(world, commit);
    const asked = await world.cli(['sources', 'sync', 'acme/production/shop']);
    expect(asked.code).toBe(0);
    await until('the request is answered', () => {
      const source = world.store.sources.cached('acme.production.shop');
      return source?.status.planned?.request !== undefined;
    });
    expect(await builds(world)).toMatchObject([{ status: { state: 'succeeded', attempts: 1 } }]);
    expect(finals(world, commit)).toHaveLength(1);
  }, 120_000);

  it('is cancelled by a newer commit, which is built and released', async () => {
    await writeContext(world, '/bin/busybox sleep 600');
    const old = await pushBuilt(world, hook, file());
    await buildOf(world, old, 'running');
    await writeContext(world);
    const newer = await pushBuilt(world, hook, file());
    expect(await finalStatus(world, newer)).toMatchObject({ state: 'success' });
    const cancelled = await buildOf(world, old, 'cancelled');
    expect(cancelled.status).toMatchObject({ code: 'superseded' });
    expect(await finalStatus(world, old)).toMatchObject({
      state: 'error',
      description: `superseded by ${newer.slice(0, 7)}`,
    });
    expect(finals(world, old)).toHaveLength(1);
    expect((await buildOf(world, newer, 'succeeded')).status.image).toBe(imageOf(world, 'page'));
  }, 180_000);

  it('that fails is a failing status with the last useful lines, and changes nothing', async () => {
    await writeContext(
      world,
      'echo no rule to make target; echo npm-token glpat-0123456789abcdef; /bin/busybox sleep 0.3; exit 3',
    );
    const commit = await pushBuilt(world, hook, file());
    const status = await finalStatus(world, commit);
    expect(status.state).toBe('failure');
    expect(status.description).toMatch(
      /^failed: services\.page\.build: no rule to make target; npm-token \[redacted\]/,
    );
    const run = await buildOf(world, commit, 'failed');
    expect(run.status.code).toBe('build_failed');
    expect(run.status.log).not.toContain('glpat');
    expect(imageOf(world, 'page')).toBeUndefined();
    // The same commit can be asked for again.
    await world.cli(['sources', 'sync', 'acme/production/shop']);
    await until('it was begun again', async () => (await builds(world))[0]?.status.release?.endsWith('.2'), 60_000);
  }, 180_000);

  it('with a secret-like build arg is refused by name before anything runs', async () => {
    const commit = await pushBuilt(world, hook, file('{ NPM_TOKEN = "abc" }'));
    const status = await finalStatus(world, commit);
    expect(status).toMatchObject({ state: 'failure' });
    expect(status.description).toMatch(/^refused: services\.page\.build\.build_args\.NPM_TOKEN/);
    expect(await builds(world)).toEqual([]);
  }, 60_000);

  it('shows the build none of the worker', async () => {
    process.env.HAKOPOD_TEST_CANARY = 'canary-e2e-93c1';
    try {
      await writeContext(world, '/bin/busybox env; /bin/busybox cat /proc/*/environ; echo done');
      const commit = await pushBuilt(world, hook, file());
      const run = await buildOf(world, commit, 'succeeded');
      expect(run.status.log).toContain('GREETING=hello');
      expect(run.status.log).not.toContain('canary-e2e-93c1');
    } finally {
      delete process.env.HAKOPOD_TEST_CANARY;
    }
  }, 120_000);

  it('whose context has a link out of it is refused, also by way of another link', async () => {
    await symlink('/etc/passwd', join(page, 'passwd'));
    const absolute = await pushBuilt(world, hook, file());
    const status = await finalStatus(world, absolute);
    expect(status).toMatchObject({ state: 'failure' });
    expect(status.description).toContain(
      'services.page.build: the build context has a symbolic link that leads out of it',
    );
    const run = await buildOf(world, absolute, 'failed');
    expect(run.status).toMatchObject({ code: 'symlink_refused' });
    expect(run.status.log).toContain('passwd');
    expect(run.status.log).not.toContain('root:');

    await rm(join(page, 'passwd'));
    await symlink('..', join(page, 'here'));
    await symlink('here/../other', join(page, 'other'));
    const relative = await pushBuilt(world, hook, file());
    expect((await finalStatus(world, relative)).state).toBe('failure');
    expect((await buildOf(world, relative, 'failed')).status).toMatchObject({ code: 'symlink_refused' });

    for (const name of ['here', 'other']) await rm(join(page, name));
    await symlink('busybox', join(page, 'inside'));
    const inside = await pushBuilt(world, hook, file());
    expect(await finalStatus(world, inside)).toMatchObject({ state: 'success' });
  }, 120_000);
});
