import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../../src/ports/index.ts';
import { kwokBinary } from './cache.ts';

/** Marks the nodes that kwok keeps. */
const FAKE = 'kwok.x-k8s.io/node';

const isPending = { key: '.status.phase', operator: 'In', values: ['Pending'] };
const hasNoEnd = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const isOfJob = (operator: string): object => ({
  key: '.metadata.ownerReferences.[].kind',
  operator,
  values: ['Job'],
});

function stage(name: string, kind: string, matchExpressions: readonly object[], next: object): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, next },
  };
}

const CONDITIONS = ['Initialized', 'ContainersReady', 'Ready'];
const conditions = (names: readonly string[]): string =>
  `conditions:\n${names.map((type) => `- {type: ${type}, status: "True", lastTransitionTime: {{ Now | Quote }}}`).join('\n')}\n`;
const containers = (state: string, ready: boolean): string =>
  `containerStatuses:\n{{ range .spec.containers }}\n- {name: {{ .name | Quote }}, image: {{ .image | Quote }}, ready: ${ready}, started: ${ready}, restartCount: 0, state: ${state}}\n{{ end }}\n`;

/** What nodes and pods come to at once: a node is ready, a pod of a Job has succeeded, every other is ready, and one that is to go is gone. */
const STAGES = [
  stage(
    'node-ready',
    'Node',
    [{ key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: 'NotIn', values: ['True'] }],
    {
      statusTemplate: conditions(['Ready']),
    },
  ),
  stage('pod-ready', 'Pod', [hasNoEnd, isPending, isOfJob('NotIn')], {
    statusTemplate: `${conditions(CONDITIONS)}${containers('{running: {startedAt: {{ Now | Quote }}}}', true)}phase: Running\nstartTime: {{ Now | Quote }}\n`,
  }),
  stage('pod-done', 'Pod', [hasNoEnd, isPending, isOfJob('In')], {
    statusTemplate: `${containers('{terminated: {exitCode: 0, reason: Completed, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}}', false)}phase: Succeeded\nstartTime: {{ Now | Quote }}\n`,
  }),
  stage('pod-gone', 'Pod', [{ ...hasNoEnd, operator: 'Exists' }], { finalizers: { empty: true }, delete: true }),
];

/** Keeps every node marked as simulated of a cluster, and the pods on it, until stopped. `undefined` where it can not be built. */
export async function startKwok(kubeconfig: string): Promise<{ stop(): Promise<void> } | undefined> {
  const binary = await kwokBinary();
  if (binary === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-kwok-'));
  const config = join(folder, 'stages.yaml');
  await writeFile(config, STAGES.map((one) => JSON.stringify(one)).join('\n---\n'));
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--config=${config}`,
    `--manage-nodes-with-annotation-selector=${FAKE}=fake`,
  ];
  const child = spawn(binary, [...args, '--node-lease-duration-seconds=40'], { stdio: 'ignore', cwd: folder });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A simulated node with this much room. */
export async function addFakeNode(
  cluster: Cluster,
  name: string,
  room: { readonly cpu: string; readonly memory: string },
): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const made = await cluster.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations: { [FAKE]: 'fake' } },
    spec: {},
  });
  if (!made.ok) throw new Error(made.problem.message);
  const capacity = { ...room, 'ephemeral-storage': '50Gi', pods: '110' };
  const status = { capacity, allocatable: capacity };
  const told = await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name }, { status }, 'status');
  if (!told.ok) throw new Error(told.problem.message);
}
