import {
  CreatedKey,
  CreateKey,
  ExchangeKey,
  Key,
  KeyPage,
  KeyParams,
  KeyQuery,
  RevokedKey,
  RotatedKey,
  RotateKey,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { KEY } from './examples.ts';

const tag = 'keys';
const needs = { all: ['admin'] } as const;
/** The document shows a date; the tests send one that is near. */
const EXPIRES = '2027-01-31T00:00:00Z';

/** Keys (facts 9.1). */
export const KEY_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/keys',
    id: 'listKeys',
    tag,
    summary: 'Keys, without their secrets',
    needs,
    query: KeyQuery,
    answer: KeyPage,
    example: {},
    operation: (operations) => operations.keys.list,
  }),
  route({
    method: 'post',
    path: '/keys',
    id: 'createKey',
    tag,
    summary: 'Make a key, shown this once',
    needs,
    body: CreateKey,
    status: 201,
    answer: CreatedKey,
    example: {
      body: {
        identity: 'ci',
        name: 'pipeline',
        permissions: ['deployments:read', 'deployments:write'],
        project: 'acme',
        environment: 'production',
        expires_at: EXPIRES,
      },
    },
    operation: (operations) => operations.keys.create,
  }),
  route({
    method: 'post',
    path: '/keys/exchange',
    id: 'exchangeKey',
    tag,
    summary: 'Exchange the key of the request for a command line key of a narrower scope',
    needs: { all: [] },
    body: ExchangeKey,
    status: 201,
    answer: CreatedKey,
    example: { body: { project: 'acme', environment: 'production' } },
    operation: (operations) => operations.keys.exchange,
  }),
  route({
    method: 'get',
    path: '/keys/{id}',
    id: 'getKey',
    tag,
    summary: 'One key, without its secret',
    needs,
    params: KeyParams,
    answer: Key,
    example: { params: { id: KEY } },
    operation: (operations) => operations.keys.show,
  }),
  route({
    method: 'post',
    path: '/keys/{id}/rotate',
    id: 'rotateKey',
    tag,
    summary: 'Make a key that takes the place of this one, which holds for 15 minutes more',
    needs,
    params: KeyParams,
    body: RotateKey,
    status: 201,
    answer: RotatedKey,
    example: { params: { id: KEY }, body: { expires_at: EXPIRES } },
    operation: (operations) => operations.keys.rotate,
  }),
  route({
    method: 'delete',
    path: '/keys/{id}',
    id: 'revokeKey',
    tag,
    summary:
      'Revoke a key, also for releases that run: any one as an administrator, otherwise the key of the request alone',
    needs: { all: [] },
    params: KeyParams,
    answer: RevokedKey,
    example: { params: { id: KEY } },
    operation: (operations) => operations.keys.revoke,
  }),
];
