import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../../src/kernel/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { buildah } from '../cluster/rig/node.ts';
import { must } from '../contracts/cluster.contract.ts';
import { until } from './world.ts';

/** Puts an image of busybox alone, with its applets on the path, into a registry; answers its reference. */
export async function pushBusybox(options: { readonly registry: string; readonly storage: string }): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'hakopod-busybox-'));
  const image = `${options.registry}/busybox:1`;
  try {
    await copyFile('/bin/busybox', join(context, 'busybox'));
    await writeFile(
      join(context, 'Dockerfile'),
      'FROM scratch\nCOPY --chmod=755 busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "/bin"]\nENV PATH=/bin\n',
    );
    await buildah(options.storage, ['bud', '--isolation', 'chroot', '--tag', image, context]);
    await buildah(options.storage, ['push', '--tls-verify=false', image]);
    return image;
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
