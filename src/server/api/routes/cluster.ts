import { z } from 'zod';
import {
  ConfigurationAnswer,
  ConfirmWorkload,
  ExecQuery,
  ExecTarget,
  FactsAnswer,
  InspectionAnswer,
  InspectionParams,
  InspectionQuery,
  LogQuery,
  ManifestAnswer,
  ManifestRequest,
  OutcomeAnswer,
  ScaleWorkload,
  ServicePodParams,
  SnapshotAnswer,
  toSnake,
  WorkloadParams,
} from '../../../ports/api/index.ts';
import { json } from '../respond.ts';
import { type ApiRoute, route } from '../route.ts';
import { APPLICATION } from './examples.ts';

const tag = 'cluster';
const needs = { all: ['admin'] } as const;
const WORKLOAD = { namespace: 'shop', kind: 'deployment', name: 'web' };
/** An answer whose fields are called otherwise inside. */
function snaked(value: object): Response {
  return json(200, toSnake(value));
}

/** A container's log as it is written: declared like every route, answered by the stream itself. */
export const LOGS_ROUTE: ApiRoute = route({
  method: 'get',
  path: '/applications/{id}/services/{service}/logs',
  id: 'readLogs',
  tag,
  summary:
    'The log of one of a service’s pods: at most 10,000 lines or 4 MiB; with `follow` for an hour. A log that breaks off cuts the answer',
  needs: { all: ['logs:read'] },
  params: ServicePodParams,
  query: LogQuery,
  answer: z.string(),
  types: ['text/plain'],
  example: { params: { id: APPLICATION, service: 'web' }, query: { tail: '100' } },
  operation: (operations) => operations.cluster.logs,
});

/** What is done in the cluster itself. */
export const CLUSTER_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/applications/{id}/services/{service}/exec',
    id: 'execTarget',
    tag,
    summary:
      'Where a command would run. Asked for as a WebSocket it runs one: first the text `{argv, rows, columns}`, then input as bytes and `{resize}`; output comes as bytes, `{started}`, `{ended}` and `{error}` as text',
    needs: { all: ['pods:exec'] },
    params: ServicePodParams,
    query: ExecQuery,
    answer: ExecTarget,
    example: { params: { id: APPLICATION, service: 'web' } },
    operation: (operations) => operations.cluster.execTarget,
  }),
  route({
    method: 'get',
    path: '/cluster/facts',
    id: 'getFacts',
    tag,
    summary: 'What tells this cluster from others',
    needs,
    answer: FactsAnswer,
    example: {},
    operation: (operations) => operations.cluster.facts,
  }),
  route({
    method: 'get',
    path: '/cluster/workloads',
    id: 'listWorkloads',
    tag,
    summary: 'The inventory of the whole cluster, within 1 MiB; `truncated` names lists that are cut or unreadable',
    needs,
    answer: SnapshotAnswer,
    example: {},
    operation: (operations) => operations.cluster.workloads,
    respond: snaked,
  }),
  route({
    method: 'get',
    path: '/cluster/workloads/{namespace}/{kind}/{name}',
    id: 'getWorkload',
    tag,
    summary: 'What of a workload’s pods can be changed; values of Secrets are never read',
    needs,
    params: WorkloadParams,
    answer: ConfigurationAnswer,
    example: { params: WORKLOAD },
    operation: (operations) => operations.cluster.read,
    respond: snaked,
  }),
  route({
    method: 'post',
    path: '/cluster/workloads/{namespace}/{kind}/{name}/restart',
    id: 'restartWorkload',
    tag,
    summary: 'Start a workload’s pods anew',
    needs,
    params: WorkloadParams,
    also: [422],
    answer: OutcomeAnswer,
    example: { params: WORKLOAD },
    operation: (operations) => operations.cluster.restart,
  }),
  route({
    method: 'post',
    path: '/cluster/workloads/{namespace}/{kind}/{name}/scale',
    id: 'scaleWorkload',
    tag,
    summary: 'Change how many replicas a workload has',
    needs,
    params: WorkloadParams,
    body: ScaleWorkload,
    also: [422],
    answer: OutcomeAnswer,
    example: { params: WORKLOAD, body: { replicas: 2 } },
    operation: (operations) => operations.cluster.scale,
  }),
  route({
    method: 'delete',
    path: '/cluster/workloads/{namespace}/{kind}/{name}',
    id: 'deleteWorkload',
    tag,
    summary: 'Delete a workload that no application of ours owns, or one pod',
    needs,
    params: WorkloadParams,
    body: ConfirmWorkload,
    also: [422],
    answer: OutcomeAnswer,
    example: { params: WORKLOAD, body: { confirm_name: 'web' } },
    operation: (operations) => operations.cluster.remove,
  }),
  route({
    method: 'get',
    path: '/cluster/inspections/{namespace}/{name}',
    id: 'inspectDeployment',
    tag,
    summary: 'One Deployment and its pods as they are now',
    needs,
    params: InspectionParams,
    query: InspectionQuery,
    answer: InspectionAnswer,
    example: {
      params: { namespace: 'shop', name: 'web' },
      query: { uid: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    },
    operation: (operations) => operations.cluster.inspect,
    respond: snaked,
  }),
  route({
    method: 'post',
    path: '/cluster/manifest',
    id: 'renderManifest',
    tag,
    summary: 'The file an administrator of a cluster applies to let it be operated; nothing is changed',
    needs,
    body: ManifestRequest,
    answer: ManifestAnswer,
    example: { body: { name: 'production', namespaces: ['shop'] } },
    operation: (operations) => operations.cluster.manifest,
  }),
];
