import {
  ApplyWorkload,
  ClusterDeployment,
  ClusterRemoval,
  ClusterRunAnswer,
  ClusterRunParams,
  WorkloadParams,
} from '../../../ports/api/index.ts';
import { json } from '../respond.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'cluster';
const needs = { all: ['admin'] } as const;
const WORKLOAD = { namespace: 'shop', kind: 'deployment', name: 'web' };
const CONFIGURATION = {
  target: WORKLOAD,
  resource_version: '1',
  replicas: 1,
  strategy: 'RollingUpdate',
  containers: [
    {
      name: 'app',
      image: 'ghcr.io/acme/shop:1.4',
      command: [],
      args: [],
      env: [],
      resources: { requests: { cpu: '', memory: '' }, limits: { cpu: '', memory: '' } },
    },
  ],
  init_containers: [],
  env_from: [],
  managed: false,
  unsupported: [],
};

const DIGEST = `sha256:${'a'.repeat(64)}`;
const TARGET = {
  namespace: 'shop',
  application_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  instance_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  spec_digest: DIGEST,
};

/** A run that goes on was accepted; one that was asked for again has ended. */
function ran(run: ClusterRunAnswer): Response {
  return json(run.state === 'ended' ? 200 : 202, run);
}

/** What takes a while in the cluster: it is taken as a run, which goes on when nobody waits. */
export const CLUSTER_RUN_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'put',
    path: '/cluster/workloads/{namespace}/{kind}/{name}',
    id: 'applyWorkload',
    tag,
    summary: 'Change a workload at the version it was read, or create a Deployment: a run, which goes on',
    needs,
    params: WorkloadParams,
    body: ApplyWorkload,
    status: 202,
    also: [200, 422],
    answer: ClusterRunAnswer,
    example: { params: WORKLOAD, body: { configuration: CONFIGURATION } },
    operation: (operations) => operations.cluster.apply,
    respond: ran,
  }),
  route({
    method: 'post',
    path: '/cluster/deployments',
    id: 'deployInstance',
    tag,
    summary:
      'Apply the services of one instance in one namespace and wait for them: a run, which goes on. There is one run at a time; asked again with its request id, one that has ended is answered as it ended',
    needs,
    body: ClusterDeployment,
    status: 202,
    also: [200, 422],
    answer: ClusterRunAnswer,
    example: {
      body: {
        request_id: 'shop-1',
        project: 'shop',
        target: TARGET,
        services: [
          {
            name: 'web',
            image: { reference: `ghcr.io/acme/shop@${DIGEST}`, digest: DIGEST },
            ports: [{ published: 80, target: 8080 }],
            env: { MODE: 'production' },
          },
        ],
      },
    },
    operation: (operations) => operations.cluster.deploy,
    respond: ran,
  }),
  route({
    method: 'post',
    path: '/cluster/removals',
    id: 'removeInstance',
    tag,
    summary: 'Delete what an instance deployed, but for its claims: a run, which goes on',
    needs,
    body: ClusterRemoval,
    status: 202,
    also: [200, 422],
    answer: ClusterRunAnswer,
    example: {
      body: { request_id: 'shop-2', project: 'shop', target: TARGET, services: ['web'], confirm_name: 'shop' },
    },
    operation: (operations) => operations.cluster.takeDown,
    respond: ran,
  }),
  route({
    method: 'get',
    path: '/cluster/runs/{id}',
    id: 'getRun',
    tag,
    summary: 'A run by its request id, for a day and while it is one of the last 20',
    needs,
    params: ClusterRunParams,
    answer: ClusterRunAnswer,
    example: { params: { id: 'example-run' } },
    operation: (operations) => operations.cluster.run,
  }),
];
