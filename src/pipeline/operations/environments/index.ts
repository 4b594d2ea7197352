/**
 * Projects, their environments and what lies in them besides applications: secrets, certificates and registry credentials. Takes a principal and a request
 * of the API, decides, changes the records and audits. Values of secrets and passwords go in and never come out.
 */
export { applicationLimit } from './application-limit.ts';
export { certificateOperations } from './certificates.ts';
export type { EnvironmentDeps } from './context.ts';
export { projectOperations } from './projects.ts';
export { registryOperations } from './registries.ts';
export { requireEnvironment } from './require-environment.ts';
export { secretOperations } from './secrets.ts';
