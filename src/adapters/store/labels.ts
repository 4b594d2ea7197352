/** The application an application secret belongs to: the 32 hex digits of its scope. */
export const SECRET_SCOPE = 'hakopod.io/secret-scope';
/** Marks the application secrets that came from env files: nobody else's to keep once no release refers to them. */
export const IMPORTED = 'hakopod.io/imported';
/** When an application secret was last set. */
export const UPDATED_AT = 'hakopod.io/updated-at';
/** Marks the Secrets that hold webhook secrets, so that the receiver's watch sees no others. */
export const HOOK_SECRET = 'hakopod.io/hook-secret';
/** Marks the Secrets that hold the digests of API keys, so that the watch of them sees no others. */
export const API_KEY = 'hakopod.io/api-key';
/** When an API key was last used. */
export const LAST_USED_AT = 'hakopod.io/last-used-at';
/** The application an uploaded certificate belongs to: the 32 hex digits of its scope. */
export const TLS_SCOPE = 'hakopod.io/tls-scope';
/** Marks uploaded certificates (facts 3.1). */
export const TLS_UPLOAD = 'hakopod.io/tls-upload';
/** The environment registry credentials belong to: the 32 hex digits of its scope. */
export const REGISTRY_SCOPE = 'hakopod.io/registry-scope';
