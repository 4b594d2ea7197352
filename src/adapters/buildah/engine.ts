import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { BuildEngine, BuildRequest } from '../../ports/index.ts';
import { type Confinement, confined, namespaceFlags } from './confine.ts';
import { watchDisk } from './disk.ts';
import { buildProblem, pushProblem } from './failures.ts';
import { Lines } from './lines.ts';
import { run } from './run.ts';
import { type SettingFiles, writeSettings } from './settings.ts';
import { type Space, Spaces } from './space.ts';

export type BuildahOptions = {
  /** Folder for builds; each has its own part of it, removed with it. */
  readonly folder: string;
  /** Bytes one build may take there: context, base image, layers and temporary files. */
  readonly diskBytes: number;
  /**
   * `host`: build steps use the worker's network, since `--isolation chroot` has no other; whatever the worker reaches, they reach. `none`: no
   * network at all, also not for base images.
   */
  readonly network: 'host' | 'none';
  /** As for the resolver: `http://host:port` allows plain http there. */
  readonly localRegistries: readonly string[];
  readonly ca?: string;
  /** HTTP proxy for base images and the push; not handed to build steps. */
  readonly proxy?: string;
};

/** Bytes of a Dockerfile. */
const DOCKERFILE_BYTES = 1024 * 1024;
/** Name of the image in the build's own store. */
const LOCAL_NAME = 'localhost/build:latest';
/** Privileges a build step does not get: leaving the chroot, making devices, raw sockets. */
const DROPPED = ['CAP_SYS_CHROOT', 'CAP_MKNOD', 'CAP_NET_RAW', 'CAP_AUDIT_WRITE'];

/** How this machine can confine a build, or `undefined` when it can not or has no buildah. */
export async function buildahAvailable(): Promise<Confinement | undefined> {
  const quiet = {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    cwd: '/',
    signal: AbortSignal.timeout(10_000),
    onOutput: () => undefined,
  };
  if ((await run(['buildah', '--version'], quiet)) !== 0) return undefined;
  for (const userNamespace of [false, true]) {
    const probe = ['unshare', ...namespaceFlags({ userNamespace }), 'true'];
    if ((await run(['setpriv', '--pdeathsig', 'KILL', '--', ...probe], quiet)) === 0) return { userNamespace };
  }
  return undefined;
}

/** The engine. Whether it can work here is found out at the first build. */
export function createBuildahEngine(options: BuildahOptions): BuildEngine {
  const spaces = new Spaces(options.folder);
  let confinement: Promise<Confinement | undefined> | undefined;
  const confine = async (): Promise<Confinement | undefined> => {
    confinement ??= buildahAvailable();
    const found = await confinement;
    // It may be installed later; ask again next time.
    if (found === undefined) confinement = undefined;
    return found;
  };
  return {
    prepare: async () => {
      if ((await confine()) === undefined)
        return fail(
          problem('build_unavailable', 'this worker has no buildah, or may not make the namespaces it needs'),
        );
      try {
        const space = await spaces.make();
        return ok({ contextDir: space.context, dispose: () => spaces.remove(space) });
      } catch (cause) {
        return fail(problem('build_unavailable', 'the folder for builds can not be used', { cause: codeOf(cause) }));
      }
    },
    build: async (request) => {
      const space = spaces.ofContext(request.contextDir);
      const how = await confine();
      if (space === undefined || how === undefined) return fail(problem('build_unavailable'));
      return buildIn({ space, confinement: how, options, request });
    },
  };
}

type Work = {
  readonly space: Space;
  readonly confinement: Confinement;
  readonly options: BuildahOptions;
  readonly request: BuildRequest;
};

async function buildIn(work: Work): Promise<Result<{ readonly digest: string }>> {
  const { space, options, request } = work;
  const dockerfile = await takeDockerfile(space, request.dockerfile);
  if (!dockerfile.ok) return dockerfile;
  const files = await writeSettings(space, {
    registries: request.registries,
    plainHosts: options.localRegistries.filter((entry) => entry.startsWith('http://')).map((entry) => entry.slice(7)),
    ca: options.ca,
    proxy: options.proxy,
  });
  const left = Math.max(0, request.deadline.getTime() - Date.now());
  const late = AbortSignal.timeout(left);
  const disk = watchDisk(space.root, options.diskBytes);
  const signal = AbortSignal.any([request.signal, late, disk.signal]);
  const stopped = (): Result<never> | undefined => {
    if (disk.signal.aborted) return fail(problem('build_too_large'));
    if (request.signal.aborted) return fail(problem('worker_stopping', 'the build was cancelled', { afterMs: 0 }));
    return late.aborted ? fail(problem('build_timeout')) : undefined;
  };
  try {
    const built = await bud(work, { files, dockerfile: dockerfile.value, signal });
    if (!built.ok) return stopped() ?? built;
    const pushed = await push(work, files, signal);
    return pushed.ok ? pushed : (stopped() ?? pushed);
  } finally {
    disk.stop();
  }
}

/**
 * Copies the Dockerfile out of the context under a name of ours: buildah runs a preprocessor, which can include any file of the machine,
 * over files named `*.in`. Links are followed only inside the context.
 */
async function takeDockerfile(space: Space, path: string): Promise<Result<string>> {
  const missing = fail(problem('file_not_found', 'there is no such Dockerfile in the build context'));
  try {
    const root = await realpath(space.context);
    const real = await realpath(join(space.context, path));
    const found = await stat(real);
    if (!real.startsWith(root + sep) || !found.isFile()) return missing;
    if (found.size > DOCKERFILE_BYTES) return fail(problem('context_too_large', 'the Dockerfile is larger than 1 MiB'));
    const copy = join(space.root, 'Dockerfile');
    await writeFile(copy, await readFile(real));
    return ok(copy);
  } catch {
    return missing;
  }
}

async function bud(
  { space, confinement, options, request }: Work,
  with_: { readonly files: SettingFiles; readonly dockerfile: string; readonly signal: AbortSignal },
): Promise<Result<void>> {
  const { files } = with_;
  const command = [
    ...buildah(space),
    'bud',
    '--isolation',
    'chroot',
    '--layers=false',
    '--http-proxy=false',
    '--signature-policy',
    files.policy,
    '--authfile',
    files.noCredentials,
    '--cert-dir',
    files.certificates,
    ...DROPPED.flatMap((capability) => ['--cap-drop', capability]),
    ...Object.entries(request.buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...(request.target === undefined ? [] : ['--target', request.target]),
    '--file',
    with_.dockerfile,
    '--tag',
    LOCAL_NAME,
    space.context,
  ];
  const lines = new Lines(space, request.onLog);
  const argv = confined(command, { confinement, dev: space.dev, network: options.network });
  const code = await run(argv, {
    env: files.environment,
    cwd: space.root,
    signal: with_.signal,
    onOutput: (text) => lines.push(text),
  });
  lines.end();
  return code === 0 ? ok(undefined) : fail(buildProblem(lines.last));
}

async function push(
  { space, confinement, request }: Work,
  files: SettingFiles,
  signal: AbortSignal,
): Promise<Result<{ readonly digest: string }>> {
  const authfile = join(space.root, 'settings', 'push.json');
  const digestfile = join(space.root, 'settings', 'digest');
  const host = request.image.slice(0, request.image.indexOf('/'));
  await writeFile(authfile, JSON.stringify(authOf(host, request.credentials)), { mode: 0o600 });
  try {
    const command = [
      ...buildah(space),
      'push',
      '--signature-policy',
      files.policy,
      '--authfile',
      authfile,
      '--cert-dir',
      files.certificates,
      '--digestfile',
      digestfile,
      LOCAL_NAME,
      `docker://${request.image}`,
    ];
    const lines = new Lines(space, request.onLog);
    // The push runs nothing of the Dockerfile, so it may use the network whatever the build may.
    const argv = confined(command, { confinement, dev: space.dev, network: 'host' });
    const onOutput = (text: string): void => lines.push(text);
    const code = await run(argv, { env: files.environment, cwd: space.root, signal, onOutput });
    lines.end();
    if (code !== 0) return fail(pushProblem(lines.last));
    return ok({ digest: (await readFile(digestfile, 'utf8')).trim() });
  } finally {
    await rm(authfile, { force: true });
  }
}

function buildah(space: Space): readonly string[] {
  return ['buildah', '--root', space.storage, '--runroot', space.run, '--storage-driver', 'vfs'];
}

function authOf(host: string, credentials: BuildRequest['credentials']): object {
  if (credentials === undefined) return {};
  const { username, password } = { username: credentials.username, password: credentials.token };
  return { auths: { [host]: { auth: Buffer.from(`${username}:${password}`, 'utf8').toString('base64') } } };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
