/**
 * What stands between a release and the host names it wants: custom domains, which one application holds and which lead somewhere only once
 * their ownership is verified, and uploaded certificates. In: specifications and claims on record. Out: refusals, claims made and let go, and
 * what may be rendered. It writes nothing into an application's namespace.
 */
export { forgetCertificates, recordedCertificates, releaseCertificates } from './certificates.ts';
export { checkDomain, recheckDomains } from './check-domain.ts';
export { activeDomains, domainRefusals, dropDomains, forgetDomains, reserveDomains } from './domains.ts';
export { type EndpointQuestion, endpointRefusals } from './refusals.ts';
