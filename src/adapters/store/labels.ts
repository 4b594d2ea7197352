/** Marks what Hakopod made (DESIGN 7). */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'hakopod' } as const;
/** The application an application secret belongs to: the 32 hex digits of its scope. */
export const SECRET_SCOPE = 'hakopod.io/secret-scope';
/** When an application secret was last set. */
export const UPDATED_AT = 'hakopod.io/updated-at';
/** Marks the Secrets that hold webhook secrets, so that the receiver's watch sees no others. */
export const HOOK_SECRET = 'hakopod.io/hook-secret';
