import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildahAvailable } from '../../src/adapters/buildah/index.ts';

/** Debian's docker-registry on loopback, with its images in memory. */
export type DockerRegistry = {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** JSON of a manifest or blob; `undefined` when the registry has none. */
  json(path: string): Promise<unknown>;
  stop(): Promise<void>;
};

const PATHS = ['/usr/bin', '/usr/local/bin', '/bin'];

/** Why image builds can not be tested here, or `undefined`. */
export async function missingForBuilds(): Promise<string | undefined> {
  if ((await buildahAvailable()) === undefined) return 'buildah is not installed or may not make namespaces';
  if ((await whichOf('docker-registry')) === undefined) return 'docker-registry is not installed';
  return (await whichOf('busybox')) === undefined ? 'busybox-static is not installed' : undefined;
}

/** Says loudly that a file's tests are skipped, and why; answers whether they are. */
export async function skipBuilds(file: string): Promise<boolean> {
  const reason = await missingForBuilds();
  if (reason !== undefined)
    console.warn(`SKIPPED ${file}: ${reason} (apt-get install buildah docker-registry busybox-static)`);
  return reason !== undefined;
}

/** `htpasswd` is a line for basic authentication; without it anybody may push. */
export async function startDockerRegistry(options: { readonly htpasswd?: string } = {}): Promise<DockerRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-registry-'));
  const port = await freePort();
  const config = join(folder, 'config.yml');
  const auth = join(folder, 'htpasswd');
  await writeFile(auth, `${options.htpasswd ?? ''}\n`);
  await writeFile(
    config,
    [
      'version: 0.1',
      'log: { level: error, accesslog: { disabled: true } }',
      'storage: { inmemory: {} }',
      `http: { addr: "127.0.0.1:${port}" }`,
      ...(options.htpasswd === undefined ? [] : [`auth: { htpasswd: { realm: test, path: "${auth}" } }`]),
    ].join('\n'),
  );
  const child = spawn('docker-registry', ['serve', config], { env: { PATH: PATHS.join(':') }, stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const host = `127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
    if (answer !== undefined) break;
    if (tries > 400 || child.exitCode !== null) throw new Error('docker-registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    host,
    json: async (path) => {
      const accept = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';
      const answer = await fetch(`http://${host}/v2/${path}`, { headers: { accept } });
      return answer.ok ? answer.json() : undefined;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The static busybox, for contexts of images FROM scratch. */
export async function copyBusybox(to: string): Promise<void> {
  const found = await whichOf('busybox');
  if (found === undefined) throw new Error('no busybox');
  await copyFile(found, to);
  await chmod(to, 0o755);
}

async function whichOf(program: string): Promise<string | undefined> {
  const { access } = await import('node:fs/promises');
  for (const folder of PATHS) {
    const path = join(folder, program);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
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
