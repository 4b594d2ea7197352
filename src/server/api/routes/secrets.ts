import {
  CreateSecret,
  Deleted,
  Secret,
  SecretContent,
  SecretPage,
  SecretParams,
  SecretQuery,
  type SecretScope,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'secrets';
const WRITE = { all: ['secrets:write'] } as const;
const query = { project: 'acme', environment: 'production', application: 'shop' };
const target = ({ project, environment, application }: SecretScope): SecretScope => ({
  project,
  environment,
  application,
});

/** Secrets of an application (facts 7.6). Values go in and never come out. */
export const SECRET_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/secrets',
    id: 'listSecrets',
    tag,
    summary: 'Names of the secrets of an application',
    needs: { any: ['deployments:read', 'secrets:write'] },
    target,
    query: SecretQuery,
    answer: SecretPage,
    example: { query },
    operation: (operations) => operations.secrets.list,
  }),
  route({
    method: 'post',
    path: '/secrets',
    id: 'createSecret',
    tag,
    summary: 'Create a secret from a value, or let one be generated',
    needs: WRITE,
    target,
    query: SecretQuery,
    body: CreateSecret,
    status: 201,
    answer: Secret,
    example: { query, body: { name: 'session-key', generate: true, format: 'hex' } },
    operation: (operations) => operations.secrets.create,
  }),
  route({
    method: 'put',
    path: '/secrets/{name}',
    id: 'replaceSecret',
    tag,
    summary: 'Replace the value of a secret',
    needs: WRITE,
    target,
    params: SecretParams,
    query: SecretQuery,
    body: SecretContent,
    answer: Secret,
    example: { params: { name: 'database-url' }, query, body: { value: 'postgres://db.example.com/shop' } },
    operation: (operations) => operations.secrets.replace,
  }),
  route({
    method: 'delete',
    path: '/secrets/{name}',
    id: 'deleteSecret',
    tag,
    summary: 'Delete a secret',
    needs: WRITE,
    target,
    params: SecretParams,
    query: SecretQuery,
    answer: Deleted,
    example: { params: { name: 'database-url' }, query },
    operation: (operations) => operations.secrets.remove,
  }),
];
