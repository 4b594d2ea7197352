import { Delivery, DeliveryPage, DeliveryParams, DeliveryQuery, RepositoryParams } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { DELIVERY, REPOSITORY } from './examples.ts';

const tag = 'deliveries';
const needs = { all: ['git:manage'] } as const;

/** What arrived at a repository's webhook. */
export const DELIVERY_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/repositories/{name}/deliveries',
    id: 'listDeliveries',
    tag,
    summary: 'The newest webhook deliveries and what became of each, newest first',
    needs,
    params: RepositoryParams,
    query: DeliveryQuery,
    answer: DeliveryPage,
    example: { params: { name: REPOSITORY } },
    operation: (operations) => operations.deliveries.list,
  }),
  route({
    method: 'post',
    path: '/repositories/{name}/deliveries/{id}/redeliver',
    id: 'redeliverDelivery',
    tag,
    summary: 'Look again where a delivery pointed',
    needs,
    params: DeliveryParams,
    status: 202,
    answer: Delivery,
    example: { params: { name: REPOSITORY, id: DELIVERY } },
    operation: (operations) => operations.deliveries.redeliver,
  }),
];
