/**
 * What belongs to the installation as a whole: settings and the trail of changes. Takes a principal and a request of the API; the trail is
 * read and forgotten here, and written wherever something changes.
 */
export { auditOperations } from './audit.ts';
export { retainAudit } from './retention.ts';
export { settingOperations } from './settings.ts';
