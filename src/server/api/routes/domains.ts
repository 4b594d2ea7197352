import { Domain, DomainPage, DomainParams, DomainsParams } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { APPLICATION } from './examples.ts';

const tag = 'domains';

/** Custom domains (facts 7.5). */
export const DOMAIN_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/applications/{id}/domains',
    id: 'listDomains',
    tag,
    summary: 'Custom domains of an application, and the TXT record that verifies each',
    needs: { all: ['deployments:read'] },
    params: DomainsParams,
    answer: DomainPage,
    example: { params: { id: APPLICATION } },
    operation: (operations) => operations.domains.list,
  }),
  route({
    method: 'post',
    path: '/applications/{id}/domains/{host}/verify',
    id: 'verifyDomain',
    tag,
    summary: 'Look for the TXT record now; a verified domain leads to its service at once',
    needs: { all: ['deployments:write'] },
    params: DomainParams,
    answer: Domain,
    example: { params: { id: APPLICATION, host: 'shop.example.com' } },
    operation: (operations) => operations.domains.verify,
  }),
];
