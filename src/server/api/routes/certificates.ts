import {
  AddCertificate,
  Certificate,
  CertificatePage,
  CertificateParams,
  CertificateQuery,
  Deleted,
  type SecretScope,
} from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';
import { EXAMPLE_CERTIFICATE, EXAMPLE_KEY } from './example-certificate.ts';

const tag = 'certificates';
const query = { project: 'acme', environment: 'production', application: 'shop' };
const target = ({ project, environment, application }: SecretScope): SecretScope => ({
  project,
  environment,
  application,
});

/** Uploaded certificates (facts 7.5). A private key goes in and never comes out. */
export const CERTIFICATE_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/certificates',
    id: 'listCertificates',
    tag,
    summary: 'Uploaded certificates of an application',
    needs: { any: ['deployments:read', 'secrets:write'] },
    target,
    query: CertificateQuery,
    answer: CertificatePage,
    example: { query },
    operation: (operations) => operations.certificates.list,
  }),
  route({
    method: 'post',
    path: '/certificates',
    id: 'addCertificate',
    tag,
    summary: 'Upload a certificate with its private key for one service; name it in the service as tls.certificate',
    needs: { all: ['secrets:write'] },
    target,
    query: CertificateQuery,
    body: AddCertificate,
    status: 201,
    answer: Certificate,
    example: {
      query,
      body: { service: 'web', certificate_pem: EXAMPLE_CERTIFICATE, private_key_pem: EXAMPLE_KEY },
    },
    operation: (operations) => operations.certificates.add,
  }),
  route({
    method: 'delete',
    path: '/certificates/{name}',
    id: 'removeCertificate',
    tag,
    summary: 'Remove an uploaded certificate that no revision uses',
    needs: { all: ['secrets:write'] },
    target,
    params: CertificateParams,
    query: CertificateQuery,
    answer: Deleted,
    example: { params: { name: 'hp-tls-web-ee7a84d5b52289d0a4e2af13874d8da3' }, query },
    operation: (operations) => operations.certificates.remove,
  }),
];
