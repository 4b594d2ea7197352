import { randomBytes, randomUUID } from 'node:crypto';
import type { ClusterApi } from '../../src/adapters/kubernetes/api.ts';
import { applyWorkload } from '../../src/adapters/kubernetes/operations/apply-workload.ts';
import { deploy } from '../../src/adapters/kubernetes/operations/deploy.ts';
import { remove } from '../../src/adapters/kubernetes/operations/remove.ts';
import { createRequests } from '../../src/adapters/kubernetes/requests.ts';
import type { Manifest, ObjectRef } from '../../src/kernel/index.ts';
import type {
  DeploymentRequest,
  DeploymentResult,
  DeploymentService,
  RemovalRequest,
  RunOptions,
} from '../../src/ports/cluster-operations/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { type ClusterUnderTest, memoryLog, realClock } from './kubernetes.ts';
import { type RecordedApi, recordedApi } from './recorded-api.ts';

/** A cluster with a namespace that enforces the baseline, and an image its pods can run. */
export type DeployStage = ClusterUnderTest & {
  readonly api: ClusterApi;
  /** `host/name@sha256:...`. */
  readonly image: string;
};

export type OpenStage = () => Promise<DeployStage>;

/** The stage over a namespace of a cluster. */
export async function stageOf(under: ClusterUnderTest, image: string): Promise<DeployStage> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: under.namespace };
  await label(under, 'baseline');
  must(await under.cluster.get(ref));
  const client = { connection: under.connection, clock: realClock, userAgent: 'test', timeoutMs: 30_000 };
  return { ...under, api: createRequests(client), image };
}

/** Sets or, with undefined, removes the namespace's Pod Security level. */
export async function label(under: Pick<ClusterUnderTest, 'cluster' | 'namespace'>, level?: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': level ?? null };
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: under.namespace };
  must(await under.cluster.mergePatch(ref, { metadata: { labels } }));
}

const minutes = (count: number): string => new Date(Date.now() + count * 60_000).toISOString();

/** A service with nothing but an image, and what is told of it. */
export function serviceOf(
  stage: Pick<DeployStage, 'image'>,
  name: string,
  overrides: Partial<DeploymentService> = {},
): DeploymentService {
  const digest = stage.image.split('@')[1] ?? '';
  const pull = { reference: stage.image, digest };
  return { name, image: pull, ports: [], env: {}, secretKeys: [], mounts: [], ...overrides };
}

/** An instance nobody else has. Its names are its own too, so that tests of one namespace do not meet. */
export type Instance = { readonly project: string; readonly applicationId: string; readonly instanceId: string };

export function newInstance(): Instance {
  return { project: `p${randomBytes(4).toString('hex')}`, applicationId: randomUUID(), instanceId: randomUUID() };
}

type Overrides = Partial<Pick<DeploymentRequest, 'revision' | 'deployment' | 'issuedAt' | 'deadline'>> & {
  readonly claims?: DeploymentRequest['target']['claims'];
};

/** A valid request for services of an instance. */
export function requestOf(
  stage: Pick<DeployStage, 'namespace'>,
  { project, ...ids }: Instance,
  services: readonly DeploymentService[],
  overrides: Overrides = {},
): DeploymentRequest {
  const { claims = [], ...rest } = overrides;
  return {
    deployment: randomUUID(),
    requestId: 'request-1',
    endpoint: 'endpoint-1',
    project,
    revision: 1,
    issuedAt: minutes(0),
    deadline: minutes(10),
    services: [...services],
    target: { namespace: stage.namespace, ...ids, specDigest: `sha256:${'a'.repeat(64)}`, claims: [...claims] },
    ...rest,
  };
}

/** A valid removal of services of an instance. */
export function removalOf(
  stage: Pick<DeployStage, 'namespace'>,
  instance: Instance,
  services: readonly string[],
): RemovalRequest {
  const { claims: _, ...target } = requestOf(stage, instance, []).target;
  return { ...requestOf(stage, instance, []), services: [...services], target };
}

export type Ran = RecordedApi & { readonly result: DeploymentResult; readonly started: number };

type RunSetup = {
  /** Said to the recorder before the run. */
  readonly prepare?: (recorded: RecordedApi) => void;
  /** Pods are waited for instead of assumed. */
  readonly realRollout?: boolean;
  readonly signal?: AbortSignal;
};

const RUNS = {
  deploy,
  applyWorkload,
  remove: (deps: Parameters<typeof deploy>[0], input: unknown, options: RunOptions) =>
    remove({ ...deps, log: memoryLog() }, input, options),
};

/** Runs one of the three runs through a recorder. */
export async function run(
  stage: Pick<DeployStage, 'api'>,
  kind: keyof typeof RUNS,
  request: unknown,
  { prepare, realRollout, signal }: RunSetup = {},
): Promise<Ran> {
  const recorded = recordedApi(stage.api, { assumeReady: realRollout !== true });
  prepare?.(recorded);
  let started = 0;
  const deps = { api: recorded.api, clock: realClock, pollMs: realRollout === true ? 500 : 20 };
  const options = {
    started: () => {
      started += 1;
    },
    ...(signal === undefined ? {} : { signal }),
  };
  const result = await RUNS[kind](deps, request, options);
  return { ...recorded, result, started };
}

/** Steps as `service step outcome[ code][ detail]`. */
export function stepsOf({ steps }: DeploymentResult): readonly string[] {
  return steps.map(({ service, step, outcome, code, detail }) =>
    [service, step, outcome, code, detail].filter((word) => word !== undefined).join(' '),
  );
}

/** What is there, past every recorder. */
export async function live(stage: DeployStage, kind: string, name: string): Promise<Manifest | undefined> {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
  const ref: ObjectRef = { apiVersion, kind, namespace: stage.namespace, name };
  const found = must(await stage.cluster.get(ref));
  return found?.metadata.deletionTimestamp === undefined ? found : undefined;
}

/** A foreign object of a kind, as someone else would make it. */
export function foreign(
  stage: Pick<DeployStage, 'namespace'>,
  kind: string,
  name: string,
  extra: object = {},
): Manifest {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: stage.namespace }, ...extra };
}
