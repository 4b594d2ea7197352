import { DIGEST, fail, ok, problem, type Result } from '../../kernel/index.ts';

/** A parsed reference; `host` is canonical (`docker.io` for all names of Docker Hub), with a port when one was given. */
export type ImageReference = {
  readonly host: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest?: string;
};

const HUB = 'docker.io';
/** Names under which Docker Hub is known; all are the same registry. */
const HUB_ALIASES = [HUB, 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];
const HUB_API = 'registry-1.docker.io';

/** Facts 2.2: characters that no reference has. */
const FORBIDDEN = /[\s\\?#]|:\/\/|\.\./;
const MAX_LENGTH = 512;
const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;
/** OCI distribution specification: repository names and tags. */
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Parses an image reference (facts 2.2 and 3.8): `docker.io` and `library/` are filled in, the tag is `latest` when absent. */
export function parseReference(image: string): Result<ImageReference> {
  const [name = '', digest, ...more] = image.split('@');
  const misshapen = image === '' || image.length > MAX_LENGTH || FORBIDDEN.test(image) || more.length > 0;
  if (misshapen || (digest !== undefined && !DIGEST.test(digest))) return fail(problem('invalid_image'));
  const { host, path } = splitHost(name);
  const colon = path.indexOf(':', path.lastIndexOf('/') + 1);
  const bare = colon < 0 ? path : path.slice(0, colon);
  const tag = colon < 0 ? 'latest' : path.slice(colon + 1);
  const repository = host === HUB && !bare.includes('/') ? `library/${bare}` : bare;
  if (!HOST.test(host) || !REPOSITORY.test(repository) || !TAG.test(tag)) return fail(problem('invalid_image'));
  return ok(digest === undefined ? { host, repository, tag } : { host, repository, tag, digest });
}

/** Docker's rule: the first part is a host when it has a dot, a colon or is `localhost`. */
function splitHost(name: string): { readonly host: string; readonly path: string } {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost';
  const host = isHost ? first.toLowerCase() : HUB;
  return { host: canonicalHost(host), path: isHost ? name.slice(slash + 1) : name };
}

/** A registry's one name, in lowercase: Docker Hub goes by several. */
export function canonicalHost(host: string): string {
  const name = host.toLowerCase();
  return HUB_ALIASES.includes(name) ? HUB : name;
}

/** The host that serves the registry's API. */
export function apiHost(reference: ImageReference): string {
  return reference.host === HUB ? HUB_API : reference.host;
}

/** `registry/repository@sha256:...`; the tag is dropped (facts 3.8). */
export function pinned(reference: ImageReference, digest: string): string {
  return `${reference.host}/${reference.repository}@${digest}`;
}
