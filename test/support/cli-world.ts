import { LOCAL, type Principal } from '../../src/access/index.ts';
import { checkRemoteUrl } from '../../src/adapters/git/index.ts';
import { type Runtime, runCli, type Terminal } from '../../src/cli/index.ts';
import { ok } from '../../src/kernel/index.ts';
import { type ApiWorld, apiWorld } from './api-world.ts';

/** What a command printed, in order and by stream. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string; readonly all: string };

export type RunOptions = {
  readonly input?: string;
  readonly folder?: string;
  readonly runtime?: Partial<Runtime>;
  readonly terminal?: Partial<Terminal>;
  /** Who the API takes the command for; `local` by default. */
  readonly principal?: Principal;
  /** Answers in place of the API, or lets it answer with `undefined`. */
  readonly intercept?: (request: Request) => Promise<Response | undefined> | Response | undefined;
};

/** The command line over the API in memory, with what the examples of the API speak of. */
export type CliWorld = ApiWorld & {
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Ends a release as a worker would. */
  end(id: string, state: 'succeeded' | 'failed' | 'cancelled', message?: string): Promise<void>;
};

export async function cliWorld(): Promise<CliWorld> {
  const world = await apiWorld();
  const { memory, api } = world;
  return {
    ...world,
    run: (args, options = {}) => {
      const { principal = LOCAL, intercept, runtime = {} } = options;
      const base: Runtime = {
        version: '1.2.3',
        now: () => memory.now,
        serve: async () => 0,
        demo: async () => 0,
        doctor: async () => [{ what: 'redis', ok: false, detail: 'does not answer' }],
        clientEnvironment: () => ({ apiUrl: undefined, apiKey: undefined, loginFile: '/nonexistent/login.json' }),
        checkUrl: (url, local) => checkRemoteUrl(url, { local }),
        openApi: async () =>
          ok({
            where: 'the cluster, namespace hakopod-system',
            origin: 'http://hakopod.local',
            fetch: async (request: Request) => (await intercept?.(request)) ?? api.fetch(request, principal),
            connect: (request) => api.connect(request, principal),
            close: async () => undefined,
          }),
      };
      return runWith({ ...base, ...runtime }, args, options);
    },
    end: async (id, state, message) => {
      const now = memory.now.toISOString();
      const isGood = state === 'succeeded';
      const done = await memory.releases.updateStatus(id, ({ status }) => ({
        ...status,
        state,
        attempts: 1,
        finishedAt: now,
        steps: [{ name: 'apply', state: isGood ? 'done' : 'failed', startedAt: now, at: now }],
        ...(isGood ? { resolved: { web: `ghcr.io/acme/shop@sha256:${'b'.repeat(64)}` } } : {}),
        ...(message === undefined ? {} : { code: 'rollout_failed', message }),
      }));
      if (!done.ok) throw new Error(`${id}: ${done.problem.message}`);
      const release = memory.releases.items.get(id);
      const { application = '', revision = 0 } = release?.spec ?? {};
      await memory.applications.updateStatus(application, ({ status }) => ({
        ...status,
        phase: isGood ? 'healthy' : 'failed',
        ...(isGood
          ? {
              revision,
              services: [{ name: 'web', status: 'ready', ready: 1, desired: 1, url: 'https://web.apps.example.test' }],
            }
          : {}),
      }));
    },
  };
}

/** Runs one command with this runtime. */
export async function runWith(runtime: Runtime, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const all: string[] = [];
  const terminal: Terminal = {
    out: (line) => [out, all].forEach((lines) => void lines.push(line)),
    err: (line) => [err, all].forEach((lines) => void lines.push(line)),
    readInput: async () => options.input ?? '',
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    ...options.terminal,
  };
  const code = await runCli(runtime, terminal, args);
  return { code, out: out.join('\n'), err: err.join('\n'), all: all.join('\n') };
}
