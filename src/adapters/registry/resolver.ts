import { fail, ok, problem, type Result, sha256 } from '../../kernel/index.ts';
import type {
  HttpClient,
  HttpResponse,
  ImageResolver,
  OpenHttp,
  ResolvedImage,
  ResolveOptions,
} from '../../ports/index.ts';
import { isPublicAddress } from './addresses.ts';
import { type LocalHosts, readLocalHosts } from './local-hosts.ts';
import { checkPlatforms, MANIFEST_TYPES, parseConfig, parseManifest } from './manifest.ts';
import { apiHost, canonicalHost, type ImageReference, parseReference, pinned } from './reference.ts';
import { type Proof, RegistrySession } from './session.ts';

/** Facts 3.8: two minutes for one resolution, whatever it takes. */
const DEADLINE_MS = 120_000;
/** Facts 3.8: saved credentials that are tried for one image. */
const MAX_CREDENTIALS = 100;

export type ImageResolverOptions = {
  readonly openHttp: OpenHttp;
  /** Registries that may be on private addresses: none, all, or `host[:port]`; `http://host[:port]` also allows plain http. */
  readonly allowLocal: boolean | readonly string[];
  readonly userAgent: string;
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

  async function resolve(
    reference: ImageReference,
    { selected, credentials = [], architectures = [], signal }: ResolveOptions & { readonly signal: AbortSignal },
  ): Promise<Result<ResolvedImage>> {
    const host = apiHost(reference);
    const base = `${hosts.speaksPlainHttp(host) ? 'http' : 'https'}://${host}/v2/${reference.repository}`;
    const session = new RegistrySession({
      host: new URL(base).host,
      repository: reference.repository,
      proofs: proofsFor(reference.host, credentials, selected),
      clientFor: chooseClient({ start: host, hosts, open, local }),
      signal,
      userAgent: options.userAgent,
    });
    const wanted = reference.digest ?? reference.tag;
    const answer = await session.get(new URL(`${base}/manifests/${wanted}`), MANIFEST_TYPES);
    if (!answer.ok) return answer;
    const digest = contentDigest(answer.value);
    if (!digest.ok) return digest;
    if (reference.digest !== undefined && digest.value !== reference.digest) return fail(damaged());
    const fits = await checkPlatform({ session, base, body: answer.value.body }, architectures);
    if (!fits.ok) return fits;
    const image = pinned(reference, digest.value);
    return ok(session.opened === undefined ? { image } : { image, credential: session.opened.name });
  }

  async function checkPlatform(
    read: { readonly session: RegistrySession; readonly base: string; readonly body: Buffer },
    architectures: readonly string[],
  ): Promise<Result<void>> {
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
    async resolve(image, asked = {}) {
      const reference = parseReference(image);
      if (!reference.ok) return reference;
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      const signal = asked.signal === undefined ? deadline : AbortSignal.any([deadline, asked.signal]);
      return resolve(reference.value, { ...asked, signal });
    },
    async stop() {
      await Promise.all([open.close(), local.close()]);
    },
  };
}

/** Facts 5.8: the selected credentials, anonymous, then those of the same host by name; never those of another host. */
function proofsFor(
  host: string,
  credentials: NonNullable<ResolveOptions['credentials']>,
  selected: string | undefined,
): readonly Proof[] {
  const sameHost = credentials
    .filter(({ server }) => canonicalHost(server) === host)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const chosen = sameHost.filter(({ name }) => name === selected);
  const others = sameHost.filter(({ name }) => name !== selected).slice(0, MAX_CREDENTIALS - chosen.length);
  return [...chosen, undefined, ...others];
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
