import { fail, ok, problem, type Result, sha256 } from '../../kernel/index.ts';
import type { HttpClient, HttpResponse, ImageResolver, OpenHttp } from '../../ports/index.ts';
import { isPublicAddress } from './addresses.ts';
import { type LocalHosts, readLocalHosts } from './local-hosts.ts';
import { checkPlatforms, MANIFEST_TYPES, parseConfig, parseManifest } from './manifest.ts';
import { apiHost, type ImageReference, parseReference, pinned } from './reference.ts';
import { type RegistryCredentials, RegistrySession } from './session.ts';

export type { RegistryCredentials } from './session.ts';

/** Facts 3.8: two minutes for one resolution, whatever it takes. */
const DEADLINE_MS = 120_000;

export type ImageResolverOptions = {
  readonly openHttp: OpenHttp;
  /** Registries that may be on private addresses: none, all, or `host[:port]`; `http://host[:port]` also allows plain http. */
  readonly allowLocal: boolean | readonly string[];
  readonly userAgent: string;
  /** Credentials for a registry by its canonical host (`docker.io`, `ghcr.io`, `registry.example.com:5000`). */
  readonly credentials?: (host: string) => Promise<Result<RegistryCredentials | undefined>>;
  /** Architectures of the nodes, all of which an image must support; empty: any. */
  readonly architectures?: readonly string[];
  /** PEM bundle trusted besides the usual roots. */
  readonly ca?: string;
  /** Proxy for registries that are not local; it must itself refuse private addresses, because it resolves names again. */
  readonly proxy?: string;
};

/** Resolves tags by asking their registry once each; what a tag pointed to is kept by the release, not here. */
export function createImageResolver(options: ImageResolverOptions): ImageResolver & { stop(): Promise<void> } {
  const tls = options.ca === undefined ? {} : { ca: options.ca };
  const proxied = options.proxy === undefined ? tls : { ...tls, proxy: options.proxy };
  const open = options.openHttp({ ...proxied, allowAddress: (_host, address) => isPublicAddress(address) });
  const local = options.openHttp(tls);
  const hosts = readLocalHosts(options.allowLocal);

  async function resolve(reference: ImageReference, signal: AbortSignal): Promise<Result<string>> {
    const credentials = (await options.credentials?.(reference.host)) ?? ok(undefined);
    if (!credentials.ok) return credentials;
    const host = apiHost(reference);
    const base = `${hosts.speaksPlainHttp(host) ? 'http' : 'https'}://${host}/v2/${reference.repository}`;
    const session = new RegistrySession({
      host: new URL(base).host,
      repository: reference.repository,
      credentials: credentials.value,
      clientFor: chooseClient({ start: host, hosts, open, local }),
      signal,
      userAgent: options.userAgent,
    });
    const answer = await session.get(new URL(`${base}/manifests/${reference.tag}`), MANIFEST_TYPES);
    if (!answer.ok) return answer;
    const digest = contentDigest(answer.value);
    if (!digest.ok) return digest;
    const fits = await checkPlatform({ session, base, body: answer.value.body });
    return fits.ok ? ok(pinned(reference, digest.value)) : fits;
  }

  async function checkPlatform(read: {
    readonly session: RegistrySession;
    readonly base: string;
    readonly body: Buffer;
  }): Promise<Result<void>> {
    const architectures = options.architectures ?? [];
    const manifest = parseManifest(read.body);
    if (!manifest.ok) return manifest;
    if (manifest.value.kind === 'index') return checkPlatforms(manifest.value.platforms, architectures);
    const config = await read.session.get(new URL(`${read.base}/blobs/${manifest.value.config}`), '*/*');
    if (!config.ok) return config;
    if (`sha256:${sha256(config.value.body)}` !== manifest.value.config) return fail(damaged());
    const platform = parseConfig(config.value.body);
    return checkPlatforms(platform === undefined ? [] : [platform], architectures);
  }

  return {
    async resolve(image, signal) {
      const reference = parseReference(image);
      if (!reference.ok) return reference;
      if (reference.value.digest !== undefined) return ok(pinned(reference.value, reference.value.digest));
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      return resolve(reference.value, signal === undefined ? deadline : AbortSignal.any([deadline, signal]));
    },
    async stop() {
      await Promise.all([open.close(), local.close()]);
    },
  };
}

/**
 * The rules for each URL of a resolution, redirects and token servers included: https, or plain http where that is allowed; private
 * addresses only at hosts allowed as local, and only when the registry itself is one, so that no other can lead there.
 */
function chooseClient(rules: {
  readonly start: string;
  readonly hosts: LocalHosts;
  readonly open: HttpClient;
  readonly local: HttpClient;
}): (url: URL) => HttpClient | undefined {
  const { start, hosts, open, local } = rules;
  return (url) => {
    const mayBeLocal = hosts.isLocal(start) && hosts.isLocal(url.host);
    if (url.username !== '' || url.password !== '') return undefined;
    if (url.protocol === 'http:') return mayBeLocal && hosts.speaksPlainHttp(url.host) ? local : undefined;
    if (url.protocol !== 'https:') return undefined;
    return mayBeLocal ? local : open;
  };
}

/** The digest of what we read, which is what the image is; a registry that claims another one is not believed. */
function contentDigest(response: HttpResponse): Result<string> {
  const digest = `sha256:${sha256(response.body)}`;
  const claimed = response.headers['docker-content-digest'];
  return claimed?.startsWith('sha256:') === true && claimed !== digest ? fail(damaged()) : ok(digest);
}

function damaged() {
  return problem('registry_unavailable', 'the registry sent content that does not match its digest');
}
