import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../kernel/index.ts';
import type { RecordedStatus } from './forge-ledger.ts';
import { type ForgeRecorder, startForgeRecorder } from './forge-recorder.ts';
import { freePort } from './free-port.ts';
import { createBareRepository, startGitServer } from './git-server.ts';
import { startDemoRegistry } from './registry.ts';
import { openWorkTree, type WorkTree } from './repository.ts';
import { shopFile } from './shop.ts';
import { buildStory } from './story-build.ts';
import { pullRequestStory } from './story-pull-request.ts';
import { deliverPush, type Hook } from './webhook.ts';
import type { DemoParts } from './world.ts';

const APPLICATION = 'acme/production/shop';
const CONTEXT = `hakopod/deploy/${APPLICATION}`;
const QUICK_PUSHES = 20;
const PATIENCE_MS = 90_000;

type World = {
  readonly parts: DemoParts;
  readonly forge: ForgeRecorder;
  readonly tree: WorkTree;
  readonly hook: Hook;
  readonly registry: string;
  readonly work: string;
  readonly canBuild: boolean;
  /** Digest of the page's image in the demo's registry. */
  readonly prebuilt: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly kubectlConfig: string;
  readonly say: (text: string) => void;
};

/**
 * The main job from end to end on real parts: a bare repository behind `git http-backend`, Redis, the server and the worker as processes
 * of their own, a Kubernetes API and a forge that records what it is told. Answers the exit code: 0 when every story ended as told.
 */
export async function runDemo(parts: DemoParts): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-demo-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const start = parts.now();
  const say = (text: string): void =>
    parts.print(`${((parts.now() - start) / 1000).toFixed(2).padStart(7)} s  ${text}`);
  try {
    const world = await build(parts, { folder, stops, say });
    if (world === undefined) return 1;
    await firstRelease(world);
    await refusedPatch(world);
    await quickPushes(world);
    heading(parts, "Story 4: a fork's pull request is planned, and nothing else");
    await pullRequestStory({ ...world, versions: () => versions(world) }, QUICK_PUSHES);
    heading(parts, 'Story 5: a service built from the repository');
    await buildStory(
      { ...world, release: (commit) => released(world, commit), objects: () => readObjects(world) },
      QUICK_PUSHES,
    );
    await summary(world);
    say('every story ended as it should');
    if (parts.keep) {
      parts.print('');
      parts.print('Still running; end it with Ctrl-C. Look around with');
      parts.print(`  npx hakopod --kubeconfig ${world.kubeconfig} status ${APPLICATION}`);
      parts.print(
        `  kubectl --kubeconfig ${world.kubectlConfig} -n ${world.namespace} get deployments,jobs,services,ingresses`,
      );
      await parts.untilStopped();
    }
    return 0;
  } catch (error) {
    parts.print(`demo: ${error instanceof Error ? error.message : 'stopped'}`);
    return 1;
  } finally {
    for (const stop of stops.reverse()) await stop().catch(() => undefined);
  }
}

type Building = {
  readonly folder: string;
  readonly stops: (() => Promise<void>)[];
  readonly say: (text: string) => void;
};

async function build(parts: DemoParts, { folder, stops, say }: Building): Promise<World | undefined> {
  heading(parts, 'Getting ready');
  const redis = await parts.startRedis();
  if (!redis.ok) {
    parts.print(`demo: ${redis.problem.message}`);
    return undefined;
  }
  stops.push(() => redis.value.stop());
  const cluster = await parts.startCluster();
  stops.push(() => cluster.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const kubectlConfig = join(folder, 'kubectl-config');
  await writeFile(kubectlConfig, cluster.kubectlConfig, { mode: 0o600 });
  say(`${cluster.embedded ? 'embedded Kubernetes API (simulated nodes)' : 'your Kubernetes cluster'} and Redis are up`);

  const registry = await startDemoRegistry();
  stops.push(() => registry.stop());
  registry.addImage('shop/api', '1.4');
  registry.addImage('shop/web', '2.0');
  const prebuilt = registry.addImage('shop/page', '1.0');
  const builds = await parts.startBuildRegistry(folder);
  if (builds !== undefined) stops.push(() => builds.stop());
  const forge = await startForgeRecorder({
    onStatus: (status) =>
      say(`  forge shows ${status.commit.slice(0, 8)} ${status.state.padEnd(7)} ${status.description}`),
  });
  stops.push(() => forge.stop());
  const root = join(folder, 'git');
  const work = join(folder, 'work');
  await mkdir(root);
  await mkdir(work);
  await createBareRepository(root, 'shop.git');
  const git = await startGitServer({ root });
  stops.push(() => git.stop());
  const url = `${git.url}/shop.git`;

  const port = await freePort();
  const settings = {
    HAKOPOD_KUBECONFIG: kubeconfig,
    HAKOPOD_REDIS_URL: redis.value.url,
    HAKOPOD_APP_DOMAIN: 'apps.example.test',
    HAKOPOD_GITHUB_API_URL: forge.githubApiUrl,
    HAKOPOD_GITLAB_API_URL: forge.gitlabApiUrl,
    HAKOPOD_LOCAL_REGISTRIES: [registry, builds]
      .flatMap((one) => (one === undefined ? [] : [`http://${one.host}`]))
      .join(','),
    ...(builds === undefined ? {} : { HAKOPOD_BUILD_REGISTRY: builds.host, HAKOPOD_BUILD_DIR: join(folder, 'builds') }),
    HAKOPOD_LOCAL_REPOSITORIES: 'true',
    HAKOPOD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    HAKOPOD_LISTEN: `127.0.0.1:${port}`,
    HAKOPOD_MENTION_GRACE_SECONDS: '1',
    HAKOPOD_POLICY_SETTLE_SECONDS: cluster.embedded ? '0' : '2',
    HAKOPOD_LOG_LEVEL: 'warn',
  };
  for (const roles of ['server', 'worker']) {
    const admin = await freePort();
    const served = await parts.startServe({
      ...settings,
      HAKOPOD_ROLES: roles,
      HAKOPOD_ADMIN_LISTEN: `127.0.0.1:${admin}`,
    });
    stops.push(() => served.stop());
    say(`hakopod serve --roles ${roles} is ready`);
  }

  const secret = await parts.cli(
    ['--kubeconfig', kubeconfig, 'secrets', 'set', 'db-password', '--app', APPLICATION],
    `${parts.hex(12)}\n`,
  );
  expect(secret.code === 0, `secrets set ended with ${secret.code}: ${secret.out}`);
  say('hakopod secrets set db-password');
  const added = await parts.cli(
    [
      '--kubeconfig',
      kubeconfig,
      'sources',
      'add',
      url,
      '--app',
      APPLICATION,
      '--forge',
      'github',
      '--repository-id',
      '4711',
      '--slug',
      'acme/shop',
      '--local',
      '--token-stdin',
    ],
    `${parts.hex(20)}\n`,
  );
  expect(added.code === 0, `sources add ended with ${added.code}: ${added.out}`);
  say(`hakopod sources add ${url} --app ${APPLICATION}`);
  const hookPath = /\/hooks\/[0-9a-f]{32}/.exec(added.out)?.[0] ?? '';
  const hookSecret = /shown once\): (\S+)/.exec(added.out)?.[1] ?? '';
  const shown = await parts.cli(['--kubeconfig', kubeconfig, 'status', APPLICATION, '--output', 'json']);
  const id = /"id": "([0-9a-f]{32})"/.exec(shown.out)?.[1] ?? '';
  return {
    parts,
    forge,
    tree: await openWorkTree({ url, folder: work, environment: parts.environment }),
    hook: { url: `http://127.0.0.1:${port}${hookPath}`, secret: hookSecret, repositoryId: 4711, fullName: 'acme/shop' },
    registry: registry.host,
    work,
    canBuild: builds !== undefined,
    prebuilt,
    namespace: `hp-${id}`,
    kubeconfig,
    kubectlConfig,
    say,
  };
}

/** Story 1: a push becomes a migration, a private api and a public web. */
async function firstRelease(world: World): Promise<void> {
  const { parts, say } = world;
  heading(parts, 'Story 1: git push deploys a job, a private service and a public one');
  const commit = await pushAndDeliver(world, { build: 0, patch: false, message: 'Start the shop' });
  const began = parts.now();
  await finalStatus(world, commit, 'success');
  say(`released in ${Math.round(parts.now() - began)} ms after the webhook`);
  for (const line of await objectLines(world)) parts.print(`             ${line}`);
}

/** Story 2: what a push may never do. */
async function refusedPatch(world: World): Promise<void> {
  const { parts, say } = world;
  heading(parts, 'Story 2: a push that patches Kubernetes objects is refused and changes nothing');
  const before = await versions(world);
  const commit = await pushAndDeliver(world, { build: 0, patch: true, message: 'Use the host network' });
  const status = await finalStatus(world, commit, 'failure');
  expect(
    (status.description ?? '').includes('services.api.kubernetes'),
    `the status does not name the field: ${status.description}`,
  );
  expect((await versions(world)) === before, 'the cluster changed although the push was refused');
  say('the status names the field, and no object in the cluster changed');
}

/** Story 3: twenty pushes, their webhooks shuffled and doubled, end at the twentieth. */
async function quickPushes(world: World): Promise<void> {
  const { parts, say, forge } = world;
  heading(parts, `Story 3: ${QUICK_PUSHES} quick pushes, webhooks shuffled and doubled`);
  const commits: string[] = [];
  const answers: Promise<number>[] = [];
  const late: { readonly commit: string; readonly delivery: string }[] = [];
  for (let build = 1; build <= QUICK_PUSHES; build += 1) {
    const commit = await world.tree.push(
      'hakopod.toml',
      shopFile({ registry: world.registry, build, patch: false }),
      `Build ${build}`,
    );
    commits.push(commit);
    const delivery = { commit, delivery: `demo-${parts.hex(8)}` };
    late.push(delivery, delivery);
    // Now and then some of what is waiting goes out, in no order.
    while (late.length > 0 && Number.parseInt(parts.hex(1), 16) < 128)
      answers.push(deliverPush(world.hook, takeAny(late, parts)));
  }
  say(`pushed ${QUICK_PUSHES} commits`);
  while (late.length > 0) answers.push(deliverPush(world.hook, takeAny(late, parts)));
  const codes = await Promise.all(answers);
  expect(
    codes.every((code) => code === 202),
    `a delivery was answered ${codes.find((code) => code !== 202)}`,
  );
  say(`${codes.length} deliveries answered 202`);

  for (const commit of commits) await anyFinalStatus(world, commit);
  const last = commits[commits.length - 1] ?? '';
  await finalStatus(world, last, 'success');
  const finals = commits.map(
    (commit) =>
      forge
        .statuses()
        .filter((status) => status.commit === commit && status.context === CONTEXT && status.state !== 'pending')
        .length,
  );
  expect(
    finals.every((count) => count === 1),
    `final statuses per commit: ${finals.join(' ')}`,
  );
  const objects = await readObjects(world);
  const api = objects.find((object) => object.kind === 'Deployment' && object.metadata.name === 'api');
  expect(JSON.stringify(api).includes(`"value":"${QUICK_PUSHES}"`), 'the api does not run the last push');
  say(`the cluster runs build ${QUICK_PUSHES}; each of the ${QUICK_PUSHES} commits has exactly one final status`);
}

async function released(world: World, commit: string): Promise<void> {
  const code = await deliverPush(world.hook, { commit, delivery: `demo-${world.parts.hex(8)}` });
  expect(code === 202, `the delivery was answered ${code}`);
  await finalStatus(world, commit, 'success');
}

async function summary(world: World): Promise<void> {
  const { parts } = world;
  heading(parts, 'What there is now');
  for (const line of await objectLines(world)) parts.print(`  ${line}`);
  const status = await parts.cli(['--kubeconfig', world.kubeconfig, 'status', APPLICATION]);
  parts.print('');
  for (const line of status.out.split('\n').slice(0, 12)) parts.print(`  ${line}`);
  parts.print('');
  parts.print("  Where to look next: README.md (a commit's path), examples/ (files to push), npx hakopod --help,");
  parts.print('  npm run demo -- --keep (leaves this running), npx hakopod doctor (checks your own installation).');
}

async function pushAndDeliver(
  world: World,
  file: { readonly build: number; readonly patch: boolean; readonly message: string },
): Promise<string> {
  const commit = await world.tree.push('hakopod.toml', shopFile({ registry: world.registry, ...file }), file.message);
  world.say(`git push: ${commit.slice(0, 8)} "${file.message}"`);
  const code = await deliverPush(world.hook, { commit, delivery: `demo-${world.parts.hex(8)}` });
  expect(code === 202, `the delivery was answered ${code}`);
  return commit;
}

function finalStatus(world: World, commit: string, state: string): Promise<RecordedStatus> {
  return waitFor(world.parts, `a ${state} status of ${commit.slice(0, 8)}`, () =>
    world.forge
      .statuses()
      .find((status) => status.commit === commit && status.state === state && status.context === CONTEXT),
  );
}

function anyFinalStatus(world: World, commit: string): Promise<unknown> {
  return waitFor(world.parts, `a final status of ${commit.slice(0, 8)}`, () =>
    world.forge.statuses().find((status) => status.commit === commit && status.state !== 'pending'),
  );
}

async function waitFor<T>(parts: DemoParts, what: string, look: () => T | undefined): Promise<T> {
  const deadline = parts.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (parts.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`);
    await parts.sleep(25);
  }
}

async function readObjects(world: World): Promise<readonly Manifest[]> {
  const read = await world.parts.objects(world.kubeconfig, world.namespace);
  if (!read.ok) throw new Error(`reading the cluster: ${read.problem.message}`);
  return read.value;
}

async function objectLines(world: World): Promise<readonly string[]> {
  const objects = await readObjects(world);
  const byKind = Map.groupBy(objects, (object) => object.kind);
  return [...byKind].map(
    ([kind, all]) =>
      `${kind.padEnd(14)} ${all
        .map((object) => object.metadata.name)
        .sort()
        .join(', ')}`,
  );
}

/** Names and resource versions of everything in the namespace, as one text to compare. */
async function versions(world: World): Promise<string> {
  return (await readObjects(world))
    .map((object) => `${object.kind}/${object.metadata.name}@${object.metadata.resourceVersion}`)
    .sort()
    .join('\n');
}

function takeAny<T>(items: T[], parts: DemoParts): T {
  const [taken] = items.splice(Number.parseInt(parts.hex(4), 16) % items.length, 1);
  if (taken === undefined) throw new Error('nothing left to deliver');
  return taken;
}

function heading(parts: DemoParts, text: string): void {
  parts.print('');
  parts.print(text);
}

function expect(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
