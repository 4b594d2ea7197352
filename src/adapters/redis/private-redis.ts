import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { connectRedis } from './connect.ts';

const HOW_TO_INSTALL =
  'no redis-server was found; set REDIS_URL, or install one (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis)';
/** A server that does not answer by then will not. */
const START_DEADLINE_MS = 10_000;
/** The port may be taken between finding it free and using it. */
const START_TRIES = 5;

/** A server of our own. */
export type PrivateRedis = {
  /** With its password: never to be logged. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
};

/** Whether a `redis-server` stands on this machine's search path. */
export function redisAvailable(): boolean {
  return runs('redis-server');
}

/**
 * Starts a `redis-server` for this process alone: on loopback, with a password (handed over on standard input, so that
 * no process list shows it), nothing written to disk, ended with its parent however that ends. `dir` is its working folder, a
 * temporary one by default. `invalid_config` when there is none or it does not start.
 */
export async function startPrivateRedis(options: { readonly dir?: string } = {}): Promise<Result<PrivateRedis>> {
  if (!redisAvailable()) return fail(problem('invalid_config', HOW_TO_INSTALL));
  const ours = options.dir === undefined;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'hakopod-redis-')));
  const cleanUp = async (): Promise<void> => {
    if (ours) await rm(dir, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < START_TRIES; attempt += 1) {
    const port = await freePort();
    const password = randomBytes(24).toString('hex');
    const child = launch();
    child.stdin?.on('error', () => {});
    child.stdin?.end(configuration(port, password, dir));
    const url = `redis://:${password}@127.0.0.1:${port}`;
    if (await answers(url, child)) return ok(running(child, url, cleanUp));
    await end(child);
  }
  await cleanUp();
  return fail(problem('invalid_config', 'the private redis-server did not start'));
}

function running(child: ChildProcess, url: string, cleanUp: () => Promise<void>): PrivateRedis {
  const onExit = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', onExit);
  return {
    url,
    pid: child.pid ?? -1,
    stop: async () => {
      process.off('exit', onExit);
      await end(child);
      await cleanUp();
    },
  };
}

/** `setpriv`, where there is one, lets the kernel end the server when we are killed and can not do it ourselves. */
function launch(): ChildProcess {
  const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore'];
  if (process.platform !== 'linux' || !runs('setpriv')) return spawn('redis-server', ['-'], { stdio });
  return spawn('setpriv', ['--pdeathsig', 'KILL', 'redis-server', '-'], { stdio });
}

function configuration(port: number, password: string, dir: string): string {
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    'protected-mode yes',
    `requirepass ${password}`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'daemonize no',
    `dir ${JSON.stringify(dir)}`,
  ];
  return `${lines.join('\n')}\n`;
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const redis = connectRedis(url);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    await Promise.race([redis.waitUntilReady(START_DEADLINE_MS), gone]);
    return child.exitCode === null && child.signalCode === null && (await redis.ping()).ok;
  } finally {
    await redis.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
