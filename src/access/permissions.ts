/** What a key or an identity may hold (facts 9.2, without what belongs to systems this installation does not run). */
export const PERMISSIONS = [
  'admin',
  'deployments:read',
  'deployments:write',
  'logs:read',
  'git:manage',
  'applications:manage',
  'secrets:write',
  'kubernetes:patch',
  'pods:exec',
  'settings:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Held by a key only when the key names them: `admin` on a key is no wildcard for what leaves the rails of a specification. */
export const NAMED_ONLY: readonly Permission[] = ['kubernetes:patch', 'pods:exec'];

/** What belongs to the installation and to no project, so that no scope can hold it. */
export const INSTALLATION_WIDE: readonly Permission[] = ['admin', 'settings:write'];

/** Whether the text names a permission. */
export function isPermission(text: string): text is Permission {
  return (PERMISSIONS as readonly string[]).includes(text);
}

/** Whether a list grants a permission by name, or by the one implication: who may deploy may write the secrets a deployment reads. */
export function names(held: readonly Permission[], wanted: Permission): boolean {
  return held.includes(wanted) || (wanted === 'secrets:write' && held.includes('deployments:write'));
}
