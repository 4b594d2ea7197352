import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../kernel/index.ts';
import type { WorkTree } from './repository.ts';
import { shopFile } from './shop.ts';
import type { DemoParts } from './world.ts';

/** What the story needs of the demo's world. */
export type BuildStage = {
  readonly parts: DemoParts;
  readonly tree: WorkTree;
  /** Folder of the work tree. */
  readonly work: string;
  readonly registry: string;
  /** True when this machine can build and push. */
  readonly canBuild: boolean;
  /** Digest of an image that stands in where it can not. */
  readonly prebuilt: string;
  readonly say: (text: string) => void;
  /** Delivers the push and waits for the release; answers when it succeeded. */
  readonly release: (commit: string) => Promise<void>;
  readonly objects: () => Promise<readonly Manifest[]>;
};

const DOCKERFILE = 'FROM scratch\nARG GREETING\nCOPY index.html /index.html\nENV GREETING=$GREETING\n';

/**
 * A service built from the repository: a push builds an image FROM scratch with a build arg, and a second one, which leaves the file
 * as it is and changes what is built, builds another. `build` is the number main stands at.
 */
export async function buildStory(stage: BuildStage, build: number): Promise<void> {
  const { say, parts } = stage;
  if (!stage.canBuild) {
    say('no buildah or no docker-registry here (Debian: apt-get install buildah docker-registry):');
    say('  the page runs a prebuilt image by its digest instead');
    await push(stage, build, `image = "${stage.registry}/shop/page@${stage.prebuilt}"\n`, 'Add the page');
    say(`page runs ${short(await imageOf(stage))}`);
    return;
  }
  const folder = join(stage.work, 'page');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'Dockerfile'), DOCKERFILE);
  await writeFile(join(folder, 'index.html'), '<h1>good morning</h1>\n');
  const table = '\n[services.page.build]\ncontext = "page"\nbuild_args = { GREETING = "good morning" }\n';
  for (const line of DOCKERFILE.trimEnd().split('\n')) parts.print(`             ${line}`);
  await push(stage, build, table, 'Build the page');
  const first = await imageOf(stage);
  say(`built, pushed and running: ${short(first)}`);

  await writeFile(join(folder, 'index.html'), '<h1>good evening</h1>\n');
  await push(stage, build, table, 'Change the page, not the file');
  const second = await imageOf(stage);
  if (first === second) throw new Error('the changed page was not built again');
  say(`the context changed, the file did not: ${short(second)}`);
}

async function push(stage: BuildStage, build: number, service: string, message: string): Promise<void> {
  const shop = shopFile({ registry: stage.registry, build, patch: false });
  await writeFile(join(stage.work, 'hakopod.toml'), `${shop}\n[services.page]\nport = 8080\n${service}`);
  const commit = await stage.tree.pushAll(message);
  stage.say(`git push: ${commit.slice(0, 8)} "${message}"`);
  await stage.release(commit);
}

async function imageOf(stage: BuildStage): Promise<string> {
  const page = (await stage.objects()).find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'page');
  const image = /"image":"([^"]+)"/.exec(JSON.stringify(page?.spec ?? {}))?.[1];
  if (image === undefined) throw new Error('the page is not deployed');
  return image;
}

function short(image: string): string {
  return image.slice(0, image.indexOf('@') + '@sha256:'.length + 12);
}
