import {
  CreateRepository,
  Deleted,
  Repository,
  RepositoryPage,
  RepositoryParams,
  RepositoryQuery,
  RepositorySaved,
  Webhook,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { REPOSITORY } from './examples.ts';

const tag = 'repositories';
const needs = { all: ['git:manage'] } as const;
const named = { params: { name: REPOSITORY } };

/** Git repositories, their tokens and hooks (facts 4.1). */
export const REPOSITORY_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/repositories',
    id: 'listRepositories',
    tag,
    summary: 'Git repositories I may bind',
    needs,
    query: RepositoryQuery,
    answer: RepositoryPage,
    example: {},
    operation: (operations) => operations.repositories.list,
  }),
  route({
    method: 'post',
    path: '/repositories',
    id: 'createRepository',
    tag,
    summary: 'Add a repository and make its webhook secret, shown this once; a known one gets the new token',
    needs,
    body: CreateRepository,
    answer: RepositorySaved,
    example: {
      body: {
        provider: 'github',
        url: 'https://github.com/acme/blog.git',
        repository_id: '987654321',
        repository: 'acme/blog',
        project: 'acme',
        environment: 'production',
        token: 'example-token',
      },
    },
    operation: (operations) => operations.repositories.create,
  }),
  route({
    method: 'get',
    path: '/repositories/{name}',
    id: 'getRepository',
    tag,
    summary: 'One repository',
    needs,
    params: RepositoryParams,
    answer: Repository,
    example: named,
    operation: (operations) => operations.repositories.show,
  }),
  route({
    method: 'get',
    path: '/repositories/{name}/webhook',
    id: 'getWebhook',
    tag,
    summary: 'The webhook to create at the forge, without its secret',
    needs,
    params: RepositoryParams,
    answer: Webhook,
    example: named,
    operation: (operations) => operations.repositories.webhook,
  }),
  route({
    method: 'delete',
    path: '/repositories/{name}',
    id: 'deleteRepository',
    tag,
    summary: 'Remove a repository that no source uses, with its token and hook',
    needs,
    params: RepositoryParams,
    answer: Deleted,
    example: { params: { name: 'github-42' } },
    operation: (operations) => operations.repositories.remove,
  }),
];
