/**
 * People and programs: who asks, identities, roles and keys. Takes a principal and a request of the API, decides, changes the records and
 * audits; also recognises keys and makes the first administrator. It never keeps, logs or answers a raw key but the once that it makes one.
 */
export { type Authenticate, createAuthenticator } from './authenticate.ts';
export type { PeopleDeps } from './context.ts';
export { ensureFirstAdministrator, FIRST_ADMINISTRATOR } from './first-administrator.ts';
export { forgetKeys } from './forget-keys.ts';
export { identityOperations } from './identities.ts';
export { keyOperations } from './keys.ts';
export { meOperations } from './me.ts';
export { roleOperations } from './roles.ts';
