import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedCluster, type EmbeddedOptions, startEmbeddedCluster } from '../../src/adapters/embedded/index.ts';
import { connect, createCluster } from '../../src/adapters/kubernetes/index.ts';
import { createLog } from '../../src/adapters/log/index.ts';
import { type PrivateRedis, startPrivateRedis } from '../../src/adapters/redis/index.ts';
import {
  createCredentialStore,
  createSecretStore,
  createStore,
  ensureCrds,
  transitionRules,
} from '../../src/adapters/store/index.ts';
import { createSystemClock } from '../../src/adapters/system/index.ts';
import { type Runtime, runCli } from '../../src/cli/index.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { RecordedStatus } from '../../src/demo/forge-ledger.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import { createBareRepository, type GitServer, startGitServer } from '../../src/demo/git-server.ts';
import { type DemoRegistry, startDemoRegistry } from '../../src/demo/registry.ts';
import { openWorkTree, type WorkTree } from '../../src/demo/repository.ts';
import type { Clock, Cluster, SecretStore, Store } from '../../src/ports/index.ts';
import { checkUrl, layFoundation } from '../../src/wiring/foundation.ts';
import { openLocalApi } from '../../src/wiring/local-api.ts';
import { type Serving, startServing } from '../../src/wiring/serve.ts';
import { complaintsAgainst } from './github-rest.ts';
import { gitlabComplaintsAgainst } from './gitlab-rest.ts';

export const CONTEXT = 'hakopod/deploy/acme/production/shop';

/** How the source of the world's one application is added. */
export type Binding = {
  readonly app: string;
  readonly forge: 'github' | 'gitlab';
  readonly repositoryId: string;
  readonly path: string;
  readonly flags: readonly string[];
};
const SHOP: Binding = {
  app: 'acme/production/shop',
  forge: 'github',
  repositoryId: '4711',
  path: 'hakopod.toml',
  flags: [],
};

/** Real parts around the code under test: Git over HTTP, Redis, the embedded cluster over HTTP, a recording forge and a registry. */
export type World = {
  /** The embedded cluster; reading it on a world of a real cluster is a mistake of the test and throws. */
  readonly cluster: EmbeddedCluster;
  /** `undefined` on a real cluster. */
  readonly embedded: EmbeddedCluster | undefined;
  readonly api: Cluster;
  readonly store: Store;
  readonly secrets: SecretStore;
  readonly redis: PrivateRedis;
  readonly forge: ForgeRecorder;
  readonly registry: DemoRegistry;
  readonly git: GitServer;
  readonly gitUrl: string;
  readonly root: string;
  readonly tree: WorkTree;
  readonly folder: string;
  /** Environment of a `hakopod serve` child of this world. */
  readonly settings: Readonly<Record<string, string>>;
  /** Everything any part of the world logged or printed. */
  readonly lines: string[];
  /** What the forges' published descriptions have against the requests that were sent. */
  readonly complaints: string[];
  /** Lets so much time pass for everything in this process; timers go on as they did. */
  later(ms: number): void;
  /** Puts a hook secret in place as `sources add` does, for sources that are created directly. */
  saveHook(secret: string): Promise<void>;
  /** Starts the roles in this process; stopped with the world. */
  serve(overrides?: Partial<Config>): Promise<Serving>;
  cli(args: readonly string[], input?: string): Promise<{ readonly code: number; readonly out: string }>;
  /** Adds a source and answers its hook. */
  bind(binding?: Partial<Binding>): Promise<{ readonly path: string; readonly secret: string }>;
  /** Runs on stop, last first. */
  defer(stop: () => Promise<unknown>): void;
  stop(): Promise<void>;
};

/** `kubeconfig` is the text of a real cluster's; without it an embedded one is started. */
export async function startWorld(
  options: {
    readonly cluster?: EmbeddedOptions;
    readonly kubeconfig?: string;
    /** Environment beside the world's own. */
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-test-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const lines: string[] = [];
  const complaints: string[] = [];
  let passedMs = 0;
  const clock: Clock = { ...createSystemClock(), now: () => new Date(Date.now() + passedMs) };
  const embedded =
    options.kubeconfig === undefined
      ? await startEmbeddedCluster({ validators: transitionRules(), ...options.cluster })
      : undefined;
  stops.push(async () => embedded?.stop());
  const kubeconfigText = options.kubeconfig ?? embedded?.kubeconfig ?? '';
  const namespace = embedded === undefined ? `hakopod-test-${randomBytes(4).toString('hex')}` : 'hakopod-system';
  const started = await startPrivateRedis();
  if (!started.ok) throw new Error(started.problem.message);
  const redis = started.value;
  stops.push(() => redis.stop());
  const forge = await startForgeRecorder({
    onCall: (called, call) =>
      void complaints.push(...(called === 'github' ? complaintsAgainst(call) : gitlabComplaintsAgainst(call))),
  });
  const registry = await startDemoRegistry();
  const root = join(folder, 'git');
  const work = join(folder, 'work');
  await mkdir(root);
  await mkdir(work);
  await createBareRepository(root, 'shop.git');
  const git = await startGitServer({ root });
  stops.push(
    () => git.stop(),
    () => registry.stop(),
    () => forge.stop(),
  );
  registry.addImage('shop/api', '1.4');
  registry.addImage('shop/web', '2.0');
  const gitUrl = `${git.url}/shop.git`;
  const tree = await openWorkTree({ url: gitUrl, folder: work, environment: { PATH: process.env.PATH ?? '' } });

  const connection = connect({ kubeconfigText });
  if (!connection.ok) throw new Error(connection.problem.message);
  const log = createLog('silent');
  const api = createCluster(connection.value, { clock, log, userAgent: 'hakopod-test' });
  const crds = await ensureCrds(api, clock);
  if (!crds.ok) throw new Error(crds.problem.message);
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const store = createStore({ cluster: api, namespace, log });
  await store.start();
  stops.push(
    () => connection.value.close(),
    () => store.stop(),
  );

  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText, { mode: 0o600 });
  const settings = {
    HAKOPOD_KUBECONFIG: kubeconfig,
    HAKOPOD_NAMESPACE: namespace,
    HAKOPOD_REDIS_URL: redis.url,
    HAKOPOD_APP_DOMAIN: 'apps.example.test',
    HAKOPOD_GITHUB_API_URL: forge.githubApiUrl,
    HAKOPOD_GITLAB_API_URL: forge.gitlabApiUrl,
    HAKOPOD_LOCAL_REGISTRIES: `http://${registry.host}`,
    HAKOPOD_LOCAL_REPOSITORIES: 'true',
    HAKOPOD_LISTEN: '127.0.0.1:0',
    HAKOPOD_ADMIN_LISTEN: '127.0.0.1:0',
    HAKOPOD_MENTION_GRACE_SECONDS: '0.3',
    HAKOPOD_POLICY_SETTLE_SECONDS: '0',
    HAKOPOD_RESYNC_SECONDS: '1',
    HAKOPOD_LOG_LEVEL: 'debug',
    ...options.settings,
  };
  const config = (): Config => {
    const loaded = loadConfig({}, settings);
    if (!loaded.ok) throw new Error(`${loaded.problem.at}: ${loaded.problem.message}`);
    return loaded.value;
  };
  const write = (line: string): void => {
    lines.push(line);
  };
  const world: World = {
    get cluster(): EmbeddedCluster {
      if (embedded === undefined) throw new Error('this world runs on a real cluster');
      return embedded;
    },
    ...{ embedded, api, store, redis, forge, registry, git, gitUrl, root, tree, folder, settings, lines, complaints },
    later: (ms) => {
      passedMs += ms;
    },
    secrets: createSecretStore({ cluster: api, namespace, clock }),
    saveHook: async (secret) => {
      const credentials = createCredentialStore({ cluster: api, namespace });
      const saved = await credentials.saveHookSecret('github-4711-hook', { current: secret });
      const token = await credentials.saveCredentials('github-4711-credentials', {
        username: 'x-access-token',
        token: 'forge-token-0123456789',
      });
      if (!saved.ok || !token.ok) throw new Error('saving the hook secret');
    },
    serve: async (overrides = {}) => {
      const serving = await startServing({ ...config(), ...overrides }, { write, clock });
      if (!serving.ok) throw new Error(serving.problem.message);
      stops.push(() => serving.value.stop());
      await until(
        'the server is ready',
        async () =>
          (await fetch(`http://127.0.0.1:${serving.value.adminPort ?? serving.value.port}/readyz`)).status === 200,
      );
      return serving.value;
    },
    cli: (args, input = '') => cliIn(config(), { args, input, lines, clock }),
    bind: async (given = {}) => {
      const binding = { ...SHOP, ...given };
      const { app, forge: kind, repositoryId, path, flags } = binding;
      const added = await world.cli(
        [
          'sources',
          'add',
          gitUrl,
          '--app',
          app,
          '--forge',
          kind,
          '--repository-id',
          repositoryId,
          '--slug',
          'acme/shop',
          '--path',
          path,
          '--local',
          '--token-stdin',
          ...flags,
        ],
        'forge-token-0123456789\n',
      );
      if (added.code !== 0) throw new Error(added.out);
      return {
        path: /\/hooks\/[0-9a-f]{32}/.exec(added.out)?.[0] ?? '',
        secret: /shown once\): (\S+)/.exec(added.out)?.[1] ?? '',
      };
    },
    defer: (stop) => {
      stops.push(stop);
    },
    stop: async () => {
      for (const stop of stops.reverse()) await stop();
    },
  };
  return world;
}

async function cliIn(
  config: Config,
  call: {
    readonly args: readonly string[];
    readonly input: string;
    readonly lines: string[];
    readonly clock: Clock;
  },
): Promise<{ code: number; out: string }> {
  const printed: string[] = [];
  const print = (line: string): void => {
    printed.push(line);
  };
  const unused = async (): Promise<never> => {
    throw new Error('not in tests');
  };
  const runtime: Runtime = {
    version: 'test',
    checkUrl,
    serve: unused,
    demo: unused,
    doctor: unused,
    now: () => call.clock.now(),
    clientEnvironment: () => ({ apiUrl: undefined, apiKey: undefined, loginFile: '/nonexistent/login.json' }),
    openApi: async () => {
      const foundation = layFoundation({ ...config, logLevel: 'silent' }, undefined, call.clock);
      return foundation.ok ? openLocalApi(foundation.value) : foundation;
    },
  };
  const code = await runCli(runtime, { out: print, err: print, readInput: async () => call.input }, call.args);
  // What `sources add` shows once is meant to be seen; everything else is searched for secrets.
  call.lines.push(...printed.filter((line) => !line.includes('shown once')));
  return { code, out: printed.join('\n') };
}

/** Polls until the look succeeds; fails loudly after `ms`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 20_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as T;
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Delivers a GitHub push as the forge would. */
export async function deliver(
  hook: { readonly url: string; readonly secret: string },
  push: {
    readonly commit: string;
    readonly id?: string;
    readonly repositoryId?: number;
    readonly ref?: string;
    /** What else the payload says. */
    readonly more?: Readonly<Record<string, unknown>>;
  },
): Promise<Response> {
  const body = JSON.stringify({
    ...push.more,
    ref: push.ref ?? 'refs/heads/main',
    after: push.commit,
    deleted: false,
    repository: { id: push.repositoryId ?? 4711, full_name: 'acme/shop' },
  });
  return fetch(hook.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': push.id ?? randomBytes(16).toString('hex'),
      'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
    },
  });
}

/** Statuses of a commit that are not pending, in the deploy context. */
export function finals(world: World, commit: string): readonly RecordedStatus[] {
  return world.forge
    .statuses()
    .filter((status) => status.commit === commit && status.context === CONTEXT && status.state !== 'pending');
}

export function finalOf(world: World, commit: string, ms?: number): Promise<RecordedStatus> {
  return until(`${commit.slice(0, 8)} has a final status`, () => finals(world, commit)[0], ms);
}

/** The embedded cluster's objects of the application, without the control namespace. */
export function applicationObjects(
  world: World,
  kind: string,
): readonly { readonly metadata: { readonly name: string } }[] {
  return world.cluster
    .objects()
    .filter((object) => object.kind === kind && object.metadata.namespace?.startsWith('hp-'));
}
