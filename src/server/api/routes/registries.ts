import {
  CreateRegistry,
  Deleted,
  Registry,
  RegistryPage,
  RegistryParams,
  RegistryQuery,
  type RegistryScope,
  ReplaceRegistry,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'registries';
const query = { project: 'acme', environment: 'production' };
const LOGIN = { server: 'ghcr.io', username: 'acme-bot', password: 'example-password' };
const target = ({ project, environment }: RegistryScope): RegistryScope => ({ project, environment });

/** Credentials for pulling images (facts 7.6). */
export const REGISTRY_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/registries',
    id: 'listRegistries',
    tag,
    summary: 'Registry credentials of an environment',
    needs: { all: ['deployments:read'] },
    target,
    query: RegistryQuery,
    answer: RegistryPage,
    example: { query },
    operation: (operations) => operations.registries.list,
  }),
  route({
    method: 'post',
    path: '/registries',
    id: 'createRegistry',
    tag,
    summary: 'Save credentials for a registry',
    needs: { all: ['deployments:write'] },
    target,
    query: RegistryQuery,
    body: CreateRegistry,
    status: 201,
    answer: Registry,
    example: { query, body: { name: 'github', ...LOGIN } },
    operation: (operations) => operations.registries.create,
  }),
  route({
    method: 'put',
    path: '/registries/{name}',
    id: 'replaceRegistry',
    tag,
    summary: 'Replace the credentials for a registry',
    needs: { all: ['deployments:write'] },
    target,
    params: RegistryParams,
    query: RegistryQuery,
    body: ReplaceRegistry,
    answer: Registry,
    example: { params: { name: 'packages' }, query, body: LOGIN },
    operation: (operations) => operations.registries.replace,
  }),
  route({
    method: 'delete',
    path: '/registries/{name}',
    id: 'deleteRegistry',
    tag,
    summary: 'Delete the credentials for a registry',
    needs: { all: ['deployments:write'] },
    target,
    params: RegistryParams,
    query: RegistryQuery,
    answer: Deleted,
    example: { params: { name: 'packages' }, query },
    operation: (operations) => operations.registries.remove,
  }),
];
