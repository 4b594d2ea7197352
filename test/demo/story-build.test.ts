import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BuildStage, buildStory } from '../../src/demo/story-build.ts';
import type { DemoParts } from '../../src/demo/world.ts';
import { parseSpec } from '../../src/spec/index.ts';

let work: string;
let said: string[];
let files: string[];
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'hakopod-story-'));
  said = [];
  files = [];
});
afterEach(() => rm(work, { recursive: true, force: true }));

/** The story's world: every push is released at once, and the page runs the next of these images. */
function stage(canBuild: boolean, images: string[]): BuildStage {
  return {
    parts: { print: () => undefined } as unknown as DemoParts,
    tree: {
      pushAll: async () => {
        files.push(await readFile(join(work, 'hakopod.toml'), 'utf8'));
        return 'c'.repeat(40);
      },
    } as unknown as BuildStage['tree'],
    work,
    registry: '127.0.0.1:5000',
    canBuild,
    prebuilt: `sha256:${'a'.repeat(64)}`,
    say: (text) => said.push(text),
    release: async () => undefined,
    objects: async () => [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'page' },
        spec: { template: { spec: { containers: [{ image: images.shift() }] } } },
      },
    ],
  };
}

it('runs a prebuilt image by its digest, and says why, where nothing can be built', async () => {
  const image = `127.0.0.1:5000/shop/page@sha256:${'a'.repeat(64)}`;
  await buildStory(stage(false, [image]), 20);
  expect(files).toHaveLength(1);
  expect(parseSpec(files[0] ?? '')).toMatchObject({ ok: true, application: { services: { page: { image } } } });
  expect(said.join('\n')).toContain('apt-get install buildah docker-registry');
});

it('builds twice where it can, and insists that the second image is another', async () => {
  const image = (digit: string): string => `127.0.0.1:6000/page@sha256:${digit.repeat(64)}`;
  await buildStory(stage(true, [image('a'), image('b')]), 20);
  expect(files).toHaveLength(2);
  expect(files[0]).toBe(files[1]);
  expect(parseSpec(files[0] ?? '')).toMatchObject({
    ok: true,
    application: { services: { page: { build: { context: 'page', build_args: { GREETING: 'good morning' } } } } },
  });
  await expect(buildStory(stage(true, [image('a'), image('a')]), 20)).rejects.toThrow('was not built again');
});
