import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildRun } from '../../src/ports/index.ts';
import { copyBusybox } from './docker-registry.ts';
import { deliver, finals, until, type World } from './world.ts';

export const APPLICATION = 'acme.production.shop';

/** A file with one built service and one that runs an image. */
export function builtFile(input: {
  readonly registry: string;
  readonly args?: string;
  readonly context?: string;
  readonly extra?: string;
}): string {
  return `name = "shop"

[services.page]
port = 8080
${input.extra ?? ''}
[services.page.build]
context = "${input.context ?? 'page'}"
build_args = ${input.args ?? '{ GREETING = "hello" }'}

[services.db]
image = "${input.registry}/shop/api:1.4"
port = 5432
`;
}

/** An image FROM scratch with a static binary and a build arg; `run` is a shell line of the build. */
export function dockerfile(run?: string): string {
  return [
    'FROM scratch',
    'ARG GREETING',
    'COPY busybox /bin/busybox',
    'COPY busybox /bin/sh',
    'LABEL greeting=$GREETING',
    ...(run === undefined ? [] : [`RUN ${run}`]),
    'CMD ["/bin/busybox", "httpd", "-f", "-p", "8080"]',
    '',
  ].join('\n');
}

/** Puts the page's context into the work tree, without a commit. */
export async function writeContext(world: World, run?: string): Promise<string> {
  const { mkdir } = await import('node:fs/promises');
  const folder = join(world.folder, 'work', 'page');
  await mkdir(folder, { recursive: true });
  await copyBusybox(join(folder, 'busybox'));
  await writeFile(join(folder, 'Dockerfile'), dockerfile(run));
  return folder;
}

/** Commits everything in the work tree with this file, pushes and delivers. */
export async function pushBuilt(
  world: World,
  hook: { readonly url: string; readonly secret: string },
  text: string,
): Promise<string> {
  await writeFile(join(world.folder, 'work', 'hakopod.toml'), text);
  const commit = await world.tree.pushAll('change');
  await deliver(hook, { commit });
  return commit;
}

/** All builds of the application, newest first. */
export async function builds(world: World): Promise<readonly BuildRun[]> {
  const listed = await world.store.builds.ofApplication(APPLICATION);
  return listed.ok ? listed.value : [];
}

/** The build of a commit once it has this state. */
export function buildOf(world: World, commit: string, state: BuildRun['status']['state']): Promise<BuildRun> {
  return until(
    `the build of ${commit.slice(0, 8)} is ${state}`,
    async () => (await builds(world)).find((run) => run.spec.commit === commit && run.status.state === state),
    60_000,
  );
}

/** Waits for the one final status of a commit. */
export async function finalStatus(world: World, commit: string) {
  return until(`${commit.slice(0, 8)} has a final status`, () => finals(world, commit)[0], 60_000);
}

/** The image a deployment runs. */
export function imageOf(world: World, service: string): string | undefined {
  const found = world.cluster
    .objects()
    .find((object) => object.kind === 'Deployment' && object.metadata.name === service);
  const spec = found?.spec as { template: { spec: { containers: readonly { image: string }[] } } } | undefined;
  return spec?.template.spec.containers[0]?.image;
}
