import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/adapters/embedded/index.ts';
import { ensureCrds, transitionRules } from '../../src/adapters/store/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { ClusterRunAnswer } from '../../src/ports/api/index.ts';
import { type Foundation, layFoundation } from '../../src/wiring/foundation.ts';
import { type LocalApi, openLocalApi } from '../../src/wiring/local-api.ts';
import { must } from '../contracts/cluster.contract.ts';
import { realClock } from '../support/kubernetes.ts';
import { until } from '../support/redis.ts';

/* Runs over the whole of the wiring: two servers over one cluster, and a command line in a process of its own that is killed. */

const DIGEST = `sha256:${'c'.repeat(64)}`;
const ENV = { PATH: process.env.PATH ?? '', HAKOPOD_LEASE_SECONDS: '1', HAKOPOD_LOG_LEVEL: 'silent' };

let embedded: EmbeddedCluster;
let folder: string;
let kubeconfig: string;
let apis: LocalApi[];
let client: Foundation;
const children: ChildProcess[] = [];

beforeAll(async () => {
  embedded = await startEmbeddedCluster({ validators: transitionRules() });
  embedded.setBehaviour({ stuck: { kind: 'hang' } });
  folder = await mkdtemp(join(tmpdir(), 'hakopod-runs-'));
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, embedded.kubeconfig);
  client = foundation();
  must(await ensureCrds(client.cluster, realClock));
  for (const [name, labels] of [
    ['hakopod-system', {}],
    ['shop', { 'pod-security.kubernetes.io/enforce': 'baseline' }],
  ] as const)
    must(await client.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
  apis = [await server(), await server()];
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all((apis ?? []).map((api) => api.close()));
  await client?.connection.close();
  await embedded?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

function foundation(): Foundation {
  return must(layFoundation(must(loadConfig({}, { ...ENV, HAKOPOD_KUBECONFIG: kubeconfig }))));
}

async function server(): Promise<LocalApi> {
  return must(await openLocalApi(foundation()));
}

function requestOf(project: string, service: string, over: object = {}): object {
  return {
    project,
    target: {
      namespace: 'shop',
      application_id: randomUUID(),
      instance_id: randomUUID(),
      spec_digest: DIGEST,
    },
    services: [{ name: service, image: { reference: `ghcr.io/acme/${service}@${DIGEST}`, digest: DIGEST } }],
    ...over,
  };
}

type Said = { readonly status: number; readonly run: ClusterRunAnswer; readonly code: string | undefined };

async function ask(api: LocalApi, method: string, path: string, body?: object): Promise<Said> {
  const answer = await api.fetch(
    new Request(`${api.origin}/api/v1/cluster${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    }),
  );
  const said = (await answer.json()) as ClusterRunAnswer & { readonly error?: { readonly code: string } };
  return { status: answer.status, run: said, code: said.error?.code };
}

async function ended(api: LocalApi, id: string): Promise<ClusterRunAnswer> {
  await until(async () => (await ask(api, 'GET', `/runs/${id}`)).run.state === 'ended', `${id} has ended`, 60_000);
  return (await ask(api, 'GET', `/runs/${id}`)).run;
}

async function begun(api: LocalApi, id: string): Promise<void> {
  await until(async () => (await ask(api, 'GET', `/runs/${id}`)).run.started_at !== undefined, `${id} began`, 60_000);
}

const deployments = async (project: string): Promise<number> => {
  const query = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' };
  const labelSelector = `app.kubernetes.io/instance=${project}`;
  return must(await client.cluster.list({ ...query, labelSelector })).length;
};

/** `hakopod cluster deploy` in a process of its own, with the API inside. */
function commandLine(file: string, id: string): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const args = ['src/main.ts', '--kubeconfig', kubeconfig, 'cluster', 'deploy', file, '--request-id', id];
  const child = spawn(process.execPath, args, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const exit = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, text: Buffer.concat(chunks).toString() })),
  );
  return { child, ended: exit };
}
type Ended = { readonly code: number | null; readonly text: string };

describe('runs of an installation with two servers', () => {
  it('deploy, answer a repeated request from any of them, and take down', async () => {
    const [one, two] = apis as [LocalApi, LocalApi];
    const request = requestOf('blog', 'web', { request_id: 'blog-1' });
    expect(await ask(one, 'POST', '/deployments', request)).toMatchObject({ status: 202, run: { state: 'running' } });
    const busy = await ask(two, 'POST', '/deployments', requestOf('other', 'web', { request_id: 'other-1' }));
    expect([busy.status, busy.code]).toEqual([409, 'cluster_busy']);
    const again = await ask(two, 'POST', '/deployments', request);
    expect([again.status, again.code]).toEqual([409, 'run_in_progress']);
    const run = await ended(two, 'blog-1');
    expect(run, JSON.stringify(run)).toMatchObject({ outcome: 'succeeded', services: [{ service: 'web' }] });
    expect(run.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'precondition succeeded',
      'create succeeded',
      'start succeeded',
      'prune skipped',
    ]);
    expect(await ask(two, 'POST', '/deployments', request)).toMatchObject({ status: 200, run: { state: 'ended' } });
    expect(await deployments('blog')).toBe(1);
    const { services: _, ...rest } = request as { readonly services: unknown };
    const removal = { ...rest, request_id: 'blog-2', services: ['web'], confirm_name: 'blog' };
    expect((await ask(two, 'POST', '/removals', removal)).status).toBe(202);
    expect(await ended(one, 'blog-2')).toMatchObject({ outcome: 'succeeded', kind: 'remove' });
    await until(async () => (await deployments('blog')) === 0, 'the deployment is gone');
  }, 120_000);

  it('are unknown and not done again when the process that carried one out was killed', async () => {
    const [one, two] = apis as [LocalApi, LocalApi];
    const file = join(folder, 'stuck.json');
    const request = requestOf('killed', 'stuck');
    await writeFile(file, JSON.stringify(request));
    const { child, ended: exit } = commandLine(file, 'killed-1');
    await begun(one, 'killed-1');
    await until(async () => (await deployments('killed')) === 1, 'it has written');
    child.kill('SIGKILL');
    await exit;
    // A command line of the same version asked again with its id; the one that ran is gone.
    const run = await ended(two, 'killed-1');
    expect(run).toMatchObject({ outcome: 'unknown', code: 'restarted', steps: [] });
    const before = must(await client.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' }));
    const again = await commandLine(file, 'killed-1').ended;
    expect([again.code, again.text.trim()]).toEqual([5, 'unknown restarted']);
    const after = must(await client.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' }));
    expect(after.map(({ metadata }) => metadata.generation)).toEqual(before.map(({ metadata }) => metadata.generation));
    // The way is free again.
    expect((await ask(one, 'POST', '/deployments', requestOf('later', 'web', { request_id: 'later-1' }))).status).toBe(
      202,
    );
    expect(await ended(two, 'later-1')).toMatchObject({ outcome: 'succeeded' });
  }, 120_000);

  it('end as unknown, on record, when their server is stopped', async () => {
    const third = await server();
    const request = requestOf('stopped', 'stuck', { request_id: 'stopped-1' });
    expect((await ask(third, 'POST', '/deployments', request)).status).toBe(202);
    await begun(third, 'stopped-1');
    await third.close();
    expect((await ask(apis[0]!, 'GET', '/runs/stopped-1')).run).toMatchObject({
      state: 'ended',
      outcome: 'unknown',
      code: 'step_failed',
    });
  }, 120_000);

  it('run out of time as their request says, with the reasons', async () => {
    const request = requestOf('slow', 'stuck', { request_id: 'slow-1', timeout_seconds: 3 });
    expect((await ask(apis[0]!, 'POST', '/deployments', request)).status).toBe(202);
    const run = await ended(apis[1]!, 'slow-1');
    expect(run.outcome).toBe('timed_out');
    expect(run.steps.find(({ step }) => step === 'start')).toMatchObject({ code: 'rollout_timeout' });
  }, 120_000);
});
