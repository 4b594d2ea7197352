import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { RENDERED_KINDS } from '../../src/render/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { type DockerRegistry, missingForBuilds, startDockerRegistry } from '../support/docker-registry.ts';
import { pushBusybox } from '../support/real-pods.ts';
import { pushRedis } from '../support/redis-image.ts';
import { until } from '../support/world.ts';
import { applicationNamespace, type Installation, install, removeNow } from './installation.ts';
import { buildah } from './rig/node.ts';

/*
 * What an application keeps and reads, on real pods: files and secrets inside a job, the URL of a binding, a file that changes, a Redis
 * that wants its password and keeps its data, an image from a private registry, and what is left when every service is gone.
 */
const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const reason =
  kubeconfig === undefined || registry === undefined || rig === undefined
    ? 'no cluster of our own whose nodes pull from HAKOPOD_TEST_REGISTRY'
    : await missingForBuilds();
if (reason !== undefined) console.warn(`SKIPPED: files, secrets and data of real pods: ${reason}`);

const APPLICATION = 'acme/production/shop';
const SCOPE = ['--project', 'acme', '--environment', 'production'];
const PASSWORD = 'p@ss/w:rd?#%';
/** A bcrypt hash of `right-password`, cost 5. */
const LOGIN = 'robot:$2y$05$taeXCS5Sz7XN3.UZP6Iqte/W/pEZkAN.KvbL.JXrWR04f53GOp3.u';
const CREDENTIALS = '{"account":"canary"}';
/** Says what the job sees; whether a file can be written is asked last, as it fails. */
const LOOK = [
  'cat /etc/shop/settings.yaml',
  'stat -c "settings %a" -L /etc/shop/settings.yaml',
  'stat -c "credentials %a" -L /app/credentials.json',
  'sha256sum /app/credentials.json',
  'echo "cache $CACHE_URL"',
  'echo "database $DATABASE_URL"',
  'if echo x 2>/dev/null >/etc/shop/settings.yaml; then echo writable; else echo read-only; fi',
].join('; ');

const NO_SERVICES = 'name = "shop"\n[services]\n[volumes.kept]\nsize_gib = 1\n';

type Images = { readonly busybox: string; readonly redis: string; readonly hidden: string };

function file({ busybox, redis, hidden }: Images, page: string): string {
  return `name = "shop"
[volumes.kept]
size_gib = 1

[services.cache]
image = "${redis}"
port = 6379
command = ["/bin/sh", "-c", "exec redis-server --requirepass \\"$REDIS_PASSWORD\\" --dir /data --appendonly yes --appendfsync always --bind 0.0.0.0"]
secrets = { REDIS_PASSWORD = { ref = "cache-password" } }
mounts = [{ volume = "kept", mount_path = "/data" }]

[services.look]
image = "${busybox}"
command = ["sh", "-c", ${JSON.stringify(LOOK)}]
depends_on = ["cache"]
job = { timeout_seconds = 60 }
[services.look.files.settings]
mount_path = "/etc/shop/settings.yaml"
content = "log_level: info\\n"
[services.look.files.credentials]
mount_path = "/app/credentials.json"
secret = { ref = "app-credentials" }
mode = 288
[services.look.bindings.CACHE_URL]
service = "cache"
protocol = "redis"
password = { ref = "cache-password" }
[services.look.bindings.DATABASE_URL]
service = "cache"
protocol = "postgres"
username = "app user"
database = "shop"
password = { ref = "cache-password" }

[services.web]
image = "${hidden}"
command = ["httpd", "-f", "-p", "8080", "-h", "/www"]
port = 8080
healthcheck = "/"
termination_grace_seconds = 1
depends_on = ["look"]
files = { page = { mount_path = "/www/index.html", content = "${page}" } }
`;
}

describe.skipIf(reason !== undefined)('what an application reads and keeps, on a real cluster', () => {
  const namespace = `hakopod-test-${randomBytes(4).toString('hex')}`;
  const volume = `kept-${randomBytes(4).toString('hex')}`;
  let there: Installation;
  let images: Images;
  let hiding: DockerRegistry;
  let disk: string;
  let known: string | undefined;

  beforeAll(async () => {
    hiding = await startDockerRegistry({ htpasswd: LOGIN });
    const busybox = await pushBusybox({ registry: registry!, storage: rig! });
    const hidden = `${hiding.host}/private/busybox:1`;
    await buildah(rig!, ['tag', busybox, hidden]);
    await buildah(rig!, ['push', '--tls-verify=false', '--creds', 'robot:right-password', hidden]);
    images = { busybox, hidden, redis: await pushRedis({ registry: registry!, storage: rig! }) };
    there = await install({ kubeconfig: kubeconfig!, namespace, registry: registry!, otherRegistry: hiding.host });
    disk = await mkdtemp(join(tmpdir(), 'hakopod-volume-'));
    await chmod(disk, 0o777);
    await there.cli(['secrets', 'set', 'cache-password', '--app', APPLICATION], `${PASSWORD}\n`);
  }, 300_000);
  afterAll(async () => {
    if (there !== undefined) {
      if (known !== undefined) await removeNow(there.admin, { apiVersion: 'v1', kind: 'Namespace', name: known });
      await removeNow(there.admin, { apiVersion: 'v1', kind: 'PersistentVolume', name: volume });
      await there.stop();
    }
    await hiding?.stop();
    if (disk !== undefined) await rm(disk, { recursive: true, force: true });
  }, 240_000);

  /** A volume that waits for our claim alone: the cluster is shared, and what no claim is named for goes to the first one that asks. */
  async function offerVolume(applicationNamespace: string): Promise<void> {
    must(
      await there.admin.create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume },
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          claimRef: { namespace: applicationNamespace, name: 'hakopod-volume-kept' },
          hostPath: { path: disk },
          persistentVolumeReclaimPolicy: 'Retain',
        },
      }),
    );
  }
  async function deploy(text: string): Promise<string> {
    const path = join(there.work, 'hakopod.toml');
    await writeFile(path, text);
    const said = await there.cli(['deploy', path, ...SCOPE, '--wait']).catch((error: Error) => {
      throw new Error(`${error.message}\n${there.lines.join('').split('\n').slice(-20).join('\n')}`);
    });
    known = await applicationNamespace(there);
    return said;
  }
  async function all(kind: string): Promise<readonly Manifest[]> {
    const { apiVersion } = [...RENDERED_KINDS, { apiVersion: 'v1', kind: 'Pod' }].find((one) => one.kind === kind)!;
    return must(await there.admin.list({ apiVersion, kind, namespace: known! }));
  }
  /** The one pod of a service that is not on its way out. */
  async function podOf(service: string): Promise<Manifest> {
    const pods = (await all('Pod')).filter(
      ({ metadata }) => metadata.labels?.['hakopod.io/service'] === service && metadata.deletionTimestamp === undefined,
    );
    expect(pods).toHaveLength(1);
    return pods[0]!;
  }
  /** What Redis answers on a connection of its own, from where the node is. */
  async function redis(...commands: readonly string[]): Promise<string> {
    const { podIP } = (await podOf('cache')).status as { podIP: string };
    return new Promise((resolve, reject) => {
      const socket = connect(6379, podIP, () => socket.end(commands.map((command) => `${command}\r\n`).join('')));
      let text = '';
      socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('error', reject).on('close', () => resolve(text));
    });
  }
  async function page(): Promise<string> {
    const { metadata } = await podOf('web');
    return (await there.raw(`/api/v1/namespaces/${known}/pods/${metadata.name}:8080/proxy/`)).text.trim();
  }

  it('refuses a release before it writes anything, while a secret or credentials are missing', async () => {
    const path = join(there.work, 'hakopod.toml');
    await writeFile(path, file(images, 'one'));
    await expect(there.cli(['deploy', path, ...SCOPE, '--wait'])).rejects.toThrow('missing: app-credentials');
    await there.cli(['secrets', 'set', 'app-credentials', '--app', APPLICATION], CREDENTIALS);
    // Nobody told it yet how to read the private image.
    await expect(there.cli(['deploy', path, ...SCOPE, '--wait'])).rejects.toThrow('does not open it to us');
    known = await applicationNamespace(there);
    const live = await there.admin.get({ apiVersion: 'v1', kind: 'Namespace', name: known });
    expect(must(live)).toBeUndefined();
    await offerVolume(known);
    const login = ['--server', hiding.host, '--username', 'robot'];
    await there.cli(['registries', 'set', 'wrong', ...login, ...SCOPE], 'wrong-password');
    await there.cli(['registries', 'set', 'zz-right', ...login, ...SCOPE], 'right-password');
  }, 240_000);

  it('gives a job its files, secrets and URLs, and a pod its private image', async () => {
    await deploy(file(images, 'one'));
    const log = await there.cli(['logs', APPLICATION, 'look']);
    expect(log).toContain('log_level: info');
    expect(log).toContain('settings 444');
    expect(log).toContain('credentials 440');
    expect(log).toContain('read-only');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(CREDENTIALS));
    expect(log).toContain(`${Buffer.from(digest).toString('hex')}  /app/credentials.json`);
    const escaped = 'p%40ss%2Fw%3Ard%3F%23%25';
    expect(log).toContain(`cache redis://:${escaped}@cache:6379`);
    expect(log).toContain(`database postgres://app%20user:${escaped}@cache:6379/shop`);
    expect(await page()).toBe('one');
    // The peer that the URL names: its Service has the address of the pod that answers.
    const service = (await all('Service')).find(({ metadata }) => metadata.name === 'cache');
    expect(service?.spec).toMatchObject({ ports: [{ port: 6379, targetPort: 6379 }] });
    const shown = await there.cli(['releases', 'list', APPLICATION, '-o', 'json']);
    const everything = [shown, JSON.stringify(await releases()), there.lines.join('')].join('');
    for (const secret of [PASSWORD, escaped, 'right-password', 'canary']) expect(everything).not.toContain(secret);
  }, 300_000);

  async function releases(): Promise<readonly Manifest[]> {
    return must(await there.admin.list({ apiVersion: 'hakopod.io/v1', kind: 'Release', namespace }));
  }

  it('has a Redis that wants its password and keeps its data on the same claim over a restart', async () => {
    expect(await redis('GET colour')).toContain('-NOAUTH');
    expect(await redis(`AUTH wrong`)).toContain('-WRONGPASS');
    expect(await redis(`AUTH ${PASSWORD}`, 'SET colour blue')).toBe('+OK\r\n+OK\r\n');
    const [claim] = await all('PersistentVolumeClaim');
    const before = await podOf('cache');
    await there.cli(['restart', APPLICATION, 'cache', '--wait', ...SCOPE]);
    expect((await podOf('cache')).metadata.uid).not.toBe(before.metadata.uid);
    expect(await redis(`AUTH ${PASSWORD}`, 'GET colour')).toBe('+OK\r\n$4\r\nblue\r\n');
    const [after] = await all('PersistentVolumeClaim');
    expect(after?.metadata.uid).toBe(claim?.metadata.uid);
    expect(await redis('GET colour')).toContain('-NOAUTH');
  }, 300_000);

  it('rolls a changed file out, and removes the snapshots that nothing reads any more', async () => {
    const generation = async () =>
      (await all('Deployment')).find(({ metadata }) => metadata.name === 'web')?.metadata.generation ?? 0;
    const before = await generation();
    await deploy(file(images, 'two'));
    expect(await page()).toBe('two');
    expect(await generation()).toBeGreaterThan(before);
    await until(
      'the old snapshot is gone',
      async () => {
        const files = (await all('ConfigMap')).filter(({ metadata }) => metadata.name.startsWith('web-files-'));
        return files.length === 1 && JSON.stringify(files[0]?.data).includes('two');
      },
      90_000,
    );
    // The job that is kept reads its own still.
    const [job] = await all('Job');
    const read = JSON.stringify(job?.spec);
    const names = [...(await all('ConfigMap')), ...(await all('Secret'))].map(({ metadata }) => metadata.name);
    const mounted = names.filter((name) => name.startsWith('look-') && read.includes(name));
    expect(mounted.map((name) => name.replace(/-[0-9a-f]{16}$/, '')).sort()).toEqual([
      'look-environment',
      'look-files',
      'look-files-secret',
    ]);
  }, 300_000);

  /** What is left of the application besides what fences its namespace in. */
  async function ours(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const { kind } of RENDERED_KINDS) {
      if (kind === 'Namespace') continue;
      for (const { metadata } of await all(kind))
        if (metadata.labels?.['app.kubernetes.io/managed-by'] === 'hakopod') left.push(`${kind}/${metadata.name}`);
    }
    return left.filter((name) => !/^(NetworkPolicy|ResourceQuota)\/hakopod-/.test(name));
  }

  it('leaves nothing but the claim and what fences the namespace when every service goes', async () => {
    await deploy(NO_SERVICES);
    // Snapshots stay until the last pod that reads them is gone.
    let left: readonly string[] = [];
    const isClean = async (): Promise<boolean> => {
      left = await ours();
      return left.length === 1 && (await all('Pod')).length === 0;
    };
    await until('everything is gone', isClean, 90_000).catch(() => undefined);
    expect(left).toEqual(['PersistentVolumeClaim/hakopod-volume-kept']);
  }, 240_000);
});
