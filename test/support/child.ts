import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { until, type World } from './world.ts';

/** A `hakopod serve` of its own, which can be killed. */
export type Child = {
  readonly process: ChildProcess;
  readonly url: string;
  /** Where it is asked for its health and metrics. */
  readonly adminUrl: string;
  kill(signal: NodeJS.Signals): Promise<void>;
};

/** A busy machine needs long until a process has read its files. */
const START_MS = 90_000;

/** Starts the roles in a child process and waits until it is ready. Its output joins the world's lines. */
export async function startChild(
  world: World,
  roles: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const [port, admin] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, ['src/main.ts', 'serve', '--roles', roles], {
    env: {
      PATH: process.env.PATH ?? '',
      ...world.settings,
      HAKOPOD_LISTEN: `127.0.0.1:${port}`,
      HAKOPOD_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => world.lines.push(chunk.toString('utf8')));
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  world.defer(() => kill('SIGKILL'));
  await until(
    `the ${roles} is ready`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the ${roles} ended: ${world.lines.slice(-5).join('')}`);
      const answer = await fetch(`http://127.0.0.1:${admin}/readyz`).catch(() => undefined);
      return answer?.status === 200;
    },
    START_MS,
  );
  return { process: child, url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${admin}`, kill };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
