import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '../cluster/rig/cache.ts';
import { buildah } from '../cluster/rig/node.ts';

const exec = promisify(execFile);

/** Puts an image of this machine's Redis with the libraries it needs, and busybox for a shell, into a registry; answers its reference. */
export async function pushRedis(options: { readonly registry: string; readonly storage: string }): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'hakopod-redis-'));
  const image = `${options.registry}/redis:1`;
  try {
    const server = onPath('redis-server');
    if (server === undefined) throw new Error('no redis-server');
    for (const path of await librariesOf(server)) await copyInto(context, path, path);
    await copyInto(context, server, '/usr/bin/redis-server');
    await copyInto(context, '/bin/busybox', '/bin/sh');
    await writeFile(join(context, 'Dockerfile'), 'FROM scratch\nCOPY rootfs /\nENV PATH=/usr/bin:/bin\n');
    await buildah(options.storage, ['bud', '--isolation', 'chroot', '--tag', image, context]);
    await buildah(options.storage, ['push', '--tls-verify=false', image]);
    return image;
  } finally {
    await rm(context, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Paths of the shared libraries, and of the loader, as the program asks for them. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await exec('ldd', [program]);
  return stdout.split('\n').flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

async function copyInto(context: string, from: string, to: string): Promise<void> {
  const target = join(context, 'rootfs', dirname(to));
  await mkdir(target, { recursive: true });
  await copyFile(await realpath(from), join(target, basename(to)));
}
