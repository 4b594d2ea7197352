import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../../src/kernel/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { buildah } from '../cluster/rig/node.ts';
import { must } from '../contracts/cluster.contract.ts';
import { until } from './world.ts';

type Registry = { readonly registry: string; readonly storage: string };

/** Puts an image of busybox alone, with its applets on the path, into a registry; answers its reference. */
export async function pushBusybox(options: Registry): Promise<string> {
  const install = 'RUN ["/bin/busybox", "--install", "/bin"]';
  const { image } = await push(options, 'busybox', [install, 'ENV PATH=/bin']);
  return image;
}

/** Puts an image whose program runs until it is stopped into a registry; answers its reference with a digest. */
export async function pushSleeper(options: Registry): Promise<string> {
  const program = "trap 'exit 0' TERM; /bin/busybox sleep 3600 & wait";
  const command = `CMD ${JSON.stringify(['/bin/busybox', 'sh', '-c', program])}`;
  const { digest } = await push(options, 'sleeper', [command]);
  return `${options.registry}/sleeper@${digest}`;
}

async function push(
  { registry, storage }: Registry,
  name: string,
  lines: readonly string[],
): Promise<{ readonly image: string; readonly digest: string }> {
  const context = await mkdtemp(join(tmpdir(), `hakopod-${name}-`));
  const image = `${registry}/${name}:1`;
  try {
    await copyFile('/bin/busybox', join(context, 'busybox'));
    const file = ['FROM scratch', 'COPY --chmod=755 busybox /bin/busybox', ...lines];
    await writeFile(join(context, 'Dockerfile'), `${file.join('\n')}\n`);
    const digestFile = join(context, 'digest');
    await buildah(storage, ['bud', '--isolation', 'chroot', '--tag', image, context]);
    await buildah(storage, ['push', '--tls-verify=false', '--digestfile', digestFile, image]);
    return { image, digest: (await readFile(digestFile, 'utf8')).trim() };
  } finally {
    await rm(context, { recursive: true, force: true, maxRetries: 3 });
  }
}

export type PodSpec = {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
};

/** Creates a pod that ends within a second, and answers it as it is once it runs or has ended. */
export async function startPod(cluster: Cluster, wanted: PodSpec): Promise<Manifest> {
  const { namespace, name, image, command, labels = {}, spec } = wanted;
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
  await until('the service account is there', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: 'default' };
    return must(await cluster.get(account)) !== undefined;
  });
  must(
    await cluster.create({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels } },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image, command }],
        ...spec,
      },
    }),
  );
  let live: Manifest | undefined;
  await until(
    `the pod ${name} runs`,
    async () => {
      live = must(await cluster.get(ref));
      const { phase } = (live?.status ?? {}) as { phase?: string };
      return phase === 'Running' || phase === 'Succeeded' || phase === 'Failed';
    },
    60_000,
  );
  return live!;
}
