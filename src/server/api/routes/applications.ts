import { z } from 'zod';
import {
  Application,
  ApplicationPage,
  ApplicationParams,
  ApplicationQuery,
  DeleteApplication,
  Deleted,
  DeploymentSummaryPage,
  DeploymentsQuery,
  ManifestsQuery,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { APPLICATION } from './examples.ts';

const tag = 'applications';

/** Applications (facts 7.3). */
export const APPLICATION_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/applications',
    id: 'listApplications',
    tag,
    summary: 'Applications of a scope',
    needs: { all: ['deployments:read'] },
    query: ApplicationQuery,
    answer: ApplicationPage,
    example: { query: { project: 'acme', environment: 'production' } },
    operation: (operations) => operations.applications.list,
  }),
  route({
    method: 'get',
    path: '/applications/{id}',
    id: 'getApplication',
    tag,
    summary: 'One application, its specification, services and last 30 releases',
    needs: { all: ['deployments:read'] },
    params: ApplicationParams,
    answer: Application,
    example: { params: { id: APPLICATION } },
    operation: (operations) => operations.applications.show,
  }),
  route({
    method: 'get',
    path: '/applications/{id}/manifests',
    id: 'getManifests',
    tag,
    summary:
      'Deployment, Service and Ingress of the current revision as YAML with its Kubernetes patches; nothing is applied',
    needs: { all: ['deployments:read'] },
    params: ApplicationParams,
    query: ManifestsQuery,
    answer: z.string(),
    types: ['application/yaml'],
    example: { params: { id: APPLICATION }, query: { service: 'web' } },
    operation: (operations) => operations.applications.manifests,
    respond: (yaml: string) => new Response(yaml, { headers: { 'Content-Type': 'application/yaml' } }),
  }),
  route({
    method: 'get',
    path: '/applications/{id}/deployments',
    id: 'listDeployments',
    tag,
    summary: 'Releases of an application, newest first',
    needs: { all: ['deployments:read'] },
    params: ApplicationParams,
    query: DeploymentsQuery,
    answer: DeploymentSummaryPage,
    example: { params: { id: APPLICATION }, query: { limit: '5' } },
    operation: (operations) => operations.applications.deployments,
  }),
  route({
    method: 'delete',
    path: '/applications/{id}',
    id: 'deleteApplication',
    tag,
    summary: 'Take an application down and forget it',
    needs: { all: ['applications:manage'] },
    params: ApplicationParams,
    body: DeleteApplication,
    answer: Deleted,
    example: { params: { id: APPLICATION }, body: { confirm_name: 'shop', expected_revision: 3 } },
    operation: (operations) => operations.applications.remove,
  }),
];
