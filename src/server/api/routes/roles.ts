import { ConfirmName, CreateRole, Deleted, PutRole, Role, RolePage, RoleParams } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'roles';
const needs = { all: ['admin'] } as const;
const OPERATOR = { params: { name: 'operator' } };

/** Named sets of permissions. */
export const ROLE_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/roles',
    id: 'listRoles',
    tag,
    summary: 'Built-in and custom roles',
    needs: { all: [] },
    answer: RolePage,
    example: {},
    operation: (operations) => operations.roles.list,
  }),
  route({
    method: 'post',
    path: '/roles',
    id: 'createRole',
    tag,
    summary: 'Add a custom role',
    needs,
    body: CreateRole,
    status: 201,
    answer: Role,
    example: { body: { name: 'on-call', permissions: ['deployments:read', 'logs:read'] } },
    operation: (operations) => operations.roles.create,
  }),
  route({
    method: 'put',
    path: '/roles/{name}',
    id: 'replaceRole',
    tag,
    summary: 'Replace the permissions of a custom role',
    needs,
    params: RoleParams,
    body: PutRole,
    answer: Role,
    example: { ...OPERATOR, body: { permissions: ['deployments:read'], expected_revision: 1 } },
    operation: (operations) => operations.roles.replace,
  }),
  route({
    method: 'delete',
    path: '/roles/{name}',
    id: 'deleteRole',
    tag,
    summary: 'Delete a custom role',
    needs,
    params: RoleParams,
    body: ConfirmName,
    answer: Deleted,
    example: { ...OPERATOR, body: { confirm_name: 'operator' } },
    operation: (operations) => operations.roles.remove,
  }),
];
