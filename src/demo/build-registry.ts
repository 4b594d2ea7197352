import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A registry that takes pushes: Debian's docker-registry, with its images in memory. */
export type BuildRegistry = { readonly host: string; stop(): Promise<void> };

const TRIES = 200;
const PAUSE_MS = 25;

/** Starts `docker-registry` on this loopback port, or answers `undefined` where there is none. */
export async function startBuildRegistry(options: {
  readonly folder: string;
  readonly port: number;
  readonly path: string;
  readonly sleep: (ms: number) => Promise<void>;
}): Promise<BuildRegistry | undefined> {
  const host = `127.0.0.1:${options.port}`;
  const config = join(options.folder, 'build-registry.yml');
  const log = 'log: { level: error, accesslog: { disabled: true } }';
  await writeFile(config, `version: 0.1\n${log}\nstorage: { inmemory: {} }\nhttp: { addr: "${host}" }\n`);
  const child = spawn('docker-registry', ['serve', config], { env: { PATH: options.path }, stdio: 'ignore' });
  let isGone = false;
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      isGone = true;
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  for (let tries = 0; tries < TRIES && !isGone; tries += 1) {
    const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return { host, stop };
    await options.sleep(PAUSE_MS);
  }
  await stop();
  return undefined;
}
