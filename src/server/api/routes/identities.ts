import {
  ConfirmName,
  CreateIdentity,
  Deleted,
  Identity,
  IdentityPage,
  IdentityParams,
  IdentityQuery,
  PutIdentity,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'identities';
const needs = { all: ['admin'] } as const;
const ANA = { params: { name: 'ana' } };

/** Who can hold keys. */
export const IDENTITY_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/identities',
    id: 'listIdentities',
    tag,
    summary: 'Identities',
    needs,
    query: IdentityQuery,
    answer: IdentityPage,
    example: {},
    operation: (operations) => operations.identities.list,
  }),
  route({
    method: 'post',
    path: '/identities',
    id: 'createIdentity',
    tag,
    summary: 'Add an identity',
    needs,
    body: CreateIdentity,
    status: 201,
    answer: Identity,
    example: { body: { name: 'ben', kind: 'person', bindings: [{ project: 'acme', role: 'developer' }] } },
    operation: (operations) => operations.identities.create,
  }),
  route({
    method: 'get',
    path: '/identities/{name}',
    id: 'getIdentity',
    tag,
    summary: 'One identity',
    needs,
    params: IdentityParams,
    answer: Identity,
    example: ANA,
    operation: (operations) => operations.identities.show,
  }),
  route({
    method: 'put',
    path: '/identities/{name}',
    id: 'replaceIdentity',
    tag,
    summary: 'Replace what an identity holds',
    needs,
    params: IdentityParams,
    body: PutIdentity,
    answer: Identity,
    example: { ...ANA, body: { bindings: [{ project: 'acme', role: 'viewer' }], expected_revision: 1 } },
    operation: (operations) => operations.identities.replace,
  }),
  route({
    method: 'delete',
    path: '/identities/{name}',
    id: 'deleteIdentity',
    tag,
    summary: 'Delete an identity and revoke its keys',
    needs,
    params: IdentityParams,
    body: ConfirmName,
    answer: Deleted,
    example: { ...ANA, body: { confirm_name: 'ana' } },
    operation: (operations) => operations.identities.remove,
  }),
];
