import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureCrds } from '../../src/adapters/store/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { ClusterRunAnswer } from '../../src/ports/api/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { layFoundation } from '../../src/wiring/foundation.ts';
import { type LocalApi, openLocalApi } from '../../src/wiring/local-api.ts';
import { must } from '../contracts/cluster.contract.ts';
import { type ClusterUnderTest, connectReal, eventually, inNewNamespace, realClock } from '../support/kubernetes.ts';
import { accountToken } from '../support/limited-account.ts';
import { pushSleeper } from '../support/real-pods.ts';
import { until } from '../support/redis.ts';
import { renderChart } from './chart.ts';
import { helmBinary } from './rig/cache.ts';

/* Runs on a real API server, by two servers that have no more rights than the chart gives them in one namespace that is named. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const hasHelm = (await helmBinary()) !== undefined;
if (kubeconfig === undefined || !hasHelm)
  console.warn('SKIPPED: runs under the rights of the chart: no cluster or helm');

const DIGEST = `sha256:${'d'.repeat(64)}`;
const ABSENT = `registry.invalid/web@${DIGEST}`;

describe.skipIf(kubeconfig === undefined || !hasHelm)('runs under the rights of the chart', () => {
  let control: ClusterUnderTest;
  let shop: ClusterUnderTest;
  let other: ClusterUnderTest;
  let folder: string;
  /** Of a program that runs where there is a node, else of none. */
  let image = ABSENT;
  let made: Manifest[] = [];
  let apis: LocalApi[] = [];

  beforeAll(async () => {
    if (registry !== undefined && rig !== undefined) image = await pushSleeper({ registry, storage: rig });
    const open = (): Promise<ClusterUnderTest> => inNewNamespace(connectReal(kubeconfig ?? ''));
    [control, shop, other] = [await open(), await open(), await open()];
    must(await ensureCrds(control.cluster, realClock));
    for (const { namespace, cluster } of [shop, other]) await enforceBaseline(cluster, namespace);
    const values = ['server.operations=all', `config.operationNamespaces={${shop.namespace}}`];
    made = (await renderChart(control.namespace, values)).filter(
      ({ kind, metadata }) => /Role|ServiceAccount/.test(kind) && !metadata.name.includes('worker'),
    );
    for (const object of made) must(await control.cluster.apply(object));
    folder = await mkdtemp(join(tmpdir(), 'hakopod-runs-'));
    const config = parse(await readFile(kubeconfig ?? '', 'utf8')) as { users: { user: unknown }[] };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: control.namespace, name: 'hakopod-server' };
    const token = await accountToken(control.connection, account);
    const file = join(folder, 'kubeconfig');
    const users = config.users.map((user) => ({ ...user, user: { token } }));
    await writeFile(file, JSON.stringify({ ...config, users }), { mode: 0o600 });
    const server = async (): Promise<LocalApi> => {
      const env = {
        HAKOPOD_KUBECONFIG: file,
        HAKOPOD_NAMESPACE: control.namespace,
        HAKOPOD_OPERATION_NAMESPACES: shop.namespace,
        HAKOPOD_LOG_LEVEL: 'silent',
      };
      return must(await openLocalApi(must(layFoundation(must(loadConfig({}, env))))));
    };
    apis = [await server(), await server()];
  });
  afterAll(async () => {
    for (const api of apis) await api.close();
    for (const { apiVersion, kind, metadata } of made) {
      const { name, namespace } = metadata;
      const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
      const live = await control.cluster.get(ref);
      if (live.ok && live.value?.metadata.uid !== undefined)
        await control.cluster.delete(ref, { uid: live.value.metadata.uid, propagation: 'Background' });
    }
    for (const under of [shop, other, control]) await under?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const ask = async (api: LocalApi, method: string, path: string, body?: object) => {
    const json = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const request = new Request(`${api.origin}/api/v1/cluster${path}`, { method, ...(body === undefined ? {} : json) });
    const answer = await api.fetch(request);
    const said = (await answer.json()) as ClusterRunAnswer & { readonly error?: { readonly code: string } };
    return { status: answer.status, run: said, code: said.error?.code };
  };
  const ended = async (api: LocalApi, id: string): Promise<ClusterRunAnswer> => {
    await until(async () => (await ask(api, 'GET', `/runs/${id}`)).run.state === 'ended', `${id} has ended`, 60_000);
    return (await ask(api, 'GET', `/runs/${id}`)).run;
  };
  const requestOf = (id: string, namespace: string, over: object = {}): object => ({
    request_id: id,
    project: 'shop',
    target: { namespace, application_id: randomUUID(), instance_id: randomUUID(), spec_digest: DIGEST },
    services: [
      {
        name: 'web',
        image: { reference: image, digest: image.slice(image.indexOf('@') + 1) },
        ports: [{ published: 80, target: 8080 }],
        env: { MODE: 'test', TOKEN: 'canary-of-a-run' },
        secret_keys: ['TOKEN'],
      },
    ],
    ...over,
  });

  it('deploy and take down, and are answered by the server that did not carry them out', async () => {
    const [one, two] = apis as [LocalApi, LocalApi];
    const request = requestOf('shop-1', shop.namespace);
    expect((await ask(one, 'POST', '/deployments', request)).status).toBe(202);
    expect((await ask(two, 'POST', '/deployments', request)).code).toBe('run_in_progress');
    expect((await ask(two, 'POST', '/deployments', requestOf('shop-2', shop.namespace))).code).toBe('cluster_busy');
    if (image === ABSENT) await becomeReady(shop.cluster, shop.namespace);
    const run = await ended(two, 'shop-1');
    expect(run, JSON.stringify(run)).toMatchObject({ outcome: 'succeeded', services: [{ name: 'shop-web' }] });
    expect(await ask(two, 'POST', '/deployments', request)).toMatchObject({ status: 200, run: { state: 'ended' } });
    const records = await control.cluster.list({
      apiVersion: 'hakopod.io/v1',
      kind: 'ClusterRun',
      namespace: control.namespace,
    });
    expect(must(records).map(({ spec }) => (spec as { readonly id: string }).id)).toEqual(['shop-1']);
    expect(JSON.stringify(must(records))).not.toContain('canary');
    const { services: _, ...rest } = request as { readonly services: unknown };
    const removal = { ...rest, request_id: 'shop-3', services: ['web'], confirm_name: 'shop' };
    expect((await ask(two, 'POST', '/removals', removal)).status).toBe(202);
    expect(await ended(one, 'shop-3')).toMatchObject({ outcome: 'succeeded' });
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: shop.namespace, name: 'shop-web' };
    await eventually(
      async () =>
        must(await shop.cluster.get(ref))?.metadata.deletionTimestamp !== undefined ||
        must(await shop.cluster.get(ref)) === undefined,
      'the deployment goes',
    );
  }, 120_000);

  it('are refused in a namespace that is not named, by us and by the cluster', async () => {
    const [one] = apis as [LocalApi];
    const refused = await ask(one, 'POST', '/deployments', requestOf('other-1', other.namespace));
    expect([refused.status, refused.code]).toEqual([422, 'namespace_not_granted']);
    const restart = await ask(one, 'POST', `/workloads/${other.namespace}/deployment/web/restart`, {});
    expect([restart.status, restart.code]).toEqual([422, 'namespace_not_granted']);
  });
});

async function enforceBaseline(cluster: Cluster, name: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  must(await cluster.mergePatch({ apiVersion: 'v1', kind: 'Namespace', name }, { metadata: { labels } }));
}

/** Without a node: what a kubelet would say of the pod is said here. */
async function becomeReady(cluster: Cluster, namespace: string): Promise<void> {
  await until(
    async () => {
      const [pod] = must(await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }));
      if (pod === undefined) return false;
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
      const status = { ...(pod.status ?? {}), phase: 'Running', conditions };
      return (await cluster.replace({ ...pod, status }, 'status')).ok;
    },
    'the pod is ready',
    60_000,
  );
}
