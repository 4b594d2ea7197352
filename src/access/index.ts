/**
 * Who may do what: permissions, scopes, roles, the principal that acts and the one rule that decides, the form of a key and the rules of asking
 * for one. Takes what is on record, gives answers; it never reads a key's secret from anywhere, compares none and knows no clock.
 */
export { allowedOn, allows, canBindGit, canManageGit, canManagePreviews, holds, isAdmin, sees } from './decide.ts';
export { denied, refusal } from './denied.ts';
export {
  checkKeyRequest,
  formatKey,
  KEY_ID_BYTES,
  KEY_LIMITS,
  KEY_SECRET_BYTES,
  type KeyRequest,
  keyPrefix,
  parseKey,
} from './key.ts';
export {
  INSTALLATION_WIDE,
  isPermission,
  NAMED_ONLY,
  names,
  PERMISSIONS,
  type Permission,
} from './permissions.ts';
export { type Holding, type KeyHolding, LOCAL, type Principal, principalOf } from './principal.ts';
export { type BoundRole, BUILT_IN_ROLES, boundRole, type RoleBinding, type RoleDefinition } from './roles.ts';
export { ANYWHERE, checkScope, covers, isUnscoped, type Scope } from './scope.ts';
