/** What a registry asks for in `WWW-Authenticate` (RFC 9110 and the distribution specification's token flow). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined };

const MAX_HEADER = 4096;

/** Reads a challenge; `bearer` is preferred when both are offered. `undefined` when it is neither. */
export function parseChallenge(header: string): Challenge | undefined {
  if (header.length > MAX_HEADER) return undefined;
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/i.exec(header)?.[1];
  if (bearer !== undefined) {
    const parameters = new Map(
      [...bearer.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [name, value]),
    );
    const realm = parameters.get('realm');
    if (realm !== undefined) return { scheme: 'bearer', realm, service: parameters.get('service') };
  }
  return /(?:^|,\s*)basic\b/i.test(header) ? { scheme: 'basic' } : undefined;
}

/** Token servers that do not share a domain with their registry. */
const KNOWN_REALMS: Readonly<Record<string, string>> = { 'registry-1.docker.io': 'auth.docker.io' };
/** Endings under which anybody can register a name, so sharing one proves nothing. */
const SHARED_ENDING = /^(?:(?:co|com|org|net|gov|ac|edu)\.[a-z]{2}|[a-z0-9-]+)$/;

/**
 * Whether credentials for `registry` may be sent to a token server: the same host, its known one, the registry's parent domain or a
 * name beside it (`registry.gitlab.com` and `gitlab.com`). Hosts without ports.
 */
export function isTrustedRealm(registry: string, realm: string): boolean {
  if (realm === registry || KNOWN_REALMS[registry] === realm) return true;
  if (/^[\d.]+$|:/.test(registry)) return false;
  const parent = registry.slice(registry.indexOf('.') + 1);
  const domain = SHARED_ENDING.test(parent) ? registry : parent;
  return realm === domain || realm.endsWith(`.${domain}`);
}
